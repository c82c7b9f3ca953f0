import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { newId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { type Outcome, openAgent, post } from "./deliver/post.ts"
import { signedHeaders } from "./deliver/sign.ts"
import { readEndpoint } from "./endpoint.ts"
import { type Secrets, secretsAt } from "./secrets.ts"

/**
 * Sends an event of the type `webhook.test` at once, and says what became of it; also to one that is disabled. It is in no
 * sequence, and is not sent again. Errors: webhook_endpoint_not_found.
 */
export async function sendTestEvent(workspaceId: string, endpointId: string): Promise<Outcome> {
  const { url } = await readEndpoint(sql, workspaceId, endpointId)
  const secrets = only(
    await sql<Secrets[]>`
      select id, secret, previous_secret, previous_until from webhook_endpoints
      where workspace_id = ${workspaceId} and id = ${endpointId}`,
  )
  const [id, at] = [newId("evt"), clock.now()]
  const body = JSON.stringify({
    id,
    type: "webhook.test",
    occurred_at: toTimestamp(at),
    data: { endpoint_id: endpointId },
  })
  const agent = openAgent(url, 1)
  try {
    return await post(agent, url, {
      headers: signedHeaders(secretsAt(at, secrets), { id, at, body }),
      body,
      at,
    })
  } finally {
    agent.destroy()
  }
}
