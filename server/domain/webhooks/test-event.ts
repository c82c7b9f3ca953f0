import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { type Outcome, openAgent, post } from "./deliver/post.ts"
import { signedHeaders } from "./deliver/sent.ts"
import { readEndpoint } from "./endpoint.ts"
import { readSecrets } from "./secrets.ts"

/** The most test events of one workspace that wait for a response. Each holds a connection and may be slow. */
const AT_ONCE = 4
const inProgress = new Map<string, number>()

/** Like `send`, if few others are in progress. Errors: rate_limited. */
async function oneOfFew<T>(workspaceId: string, send: () => Promise<T>): Promise<T> {
  const others = inProgress.get(workspaceId) ?? 0
  if (others >= AT_ONCE)
    fail(
      "rate_limited",
      `${AT_ONCE} test events of this workspace are waiting for a response. Retry when one has ended.`,
      { retryAfterSeconds: 1 },
    )
  inProgress.set(workspaceId, others + 1)
  try {
    return await send()
  } finally {
    const left = inProgress.get(workspaceId)! - 1
    if (left === 0) inProgress.delete(workspaceId)
    else inProgress.set(workspaceId, left)
  }
}

/**
 * Sends an event of the type `webhook.test` at once and returns the outcome, even if the endpoint is disabled. It is
 * not in the sequence and is not retried. Errors: webhook_endpoint_not_found, rate_limited.
 */
export async function sendTestEvent(workspaceId: string, endpointId: string): Promise<Outcome> {
  const { url } = await readEndpoint(sql, workspaceId, endpointId)
  const [id, at] = [newId("evt"), clock.now()]
  const secrets = await readSecrets(workspaceId, endpointId, at)
  const data = { endpoint_id: endpointId }
  const body = JSON.stringify({ id, type: "webhook.test", occurred_at: toTimestamp(at), data })
  const agent = openAgent(url, 1)
  try {
    const headers = signedHeaders(secrets, { id, at, body })
    return await oneOfFew(workspaceId, () => post(agent, url, { headers, body, at }))
  } finally {
    agent.destroy()
  }
}
