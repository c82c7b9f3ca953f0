import { background as sql } from "#db/client.ts"
import { subscribe } from "#db/pubsub.ts"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"

/** How long a request waits for its operation, in milliseconds. Tests on a busy machine raise it. */
export const operationWait = { ms: 25_000 }
/** A notification can be lost, so the operations of waiting requests are also read at this interval. */
const POLL_EVERY_MS = 1000
/** Notifications within this time are handled together. */
const GATHER_MS = 2

type Waiting = { workspaceId: string; ended: (() => void)[] }

const waiting = new Map<string, Waiting>()
let isPolling = false
let wake = Promise.withResolvers<void>()

subscribe("settled", () => wake.resolve())

/** Resolves when the operation has ended, or after `timeoutMs`. One query serves all waiting requests. */
export async function untilEnded(workspaceId: string, operationId: string, timeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const one = waiting.get(operationId) ?? { workspaceId, ended: [] }
  one.ended.push(resolve)
  waiting.set(operationId, one)
  // It may have ended already, and then no notification will follow.
  wake.resolve()
  if (!isPolling) void poll()
  const timer = setTimeout(resolve, timeoutMs)
  await promise
  clearTimeout(timer)
  one.ended = one.ended.filter((other) => other !== resolve)
  if (one.ended.length === 0) waiting.delete(operationId)
}

/** Ends all waits before this process stops. The operations continue elsewhere. */
export function endWaits(): void {
  for (const { ended } of waiting.values()) for (const end of ended) end()
}

async function poll(): Promise<void> {
  isPolling = true
  while (waiting.size > 0) {
    wake = Promise.withResolvers()
    await pollOnce().catch((error) => logger.debug({ err: error }, "could not check waiting requests; retrying"))
    const pause = new AbortController()
    await Promise.race([wake.promise, sleep(POLL_EVERY_MS, pause.signal)])
    pause.abort()
    await sleep(GATHER_MS)
  }
  isPolling = false
}

async function pollOnce(): Promise<void> {
  const ids = [...waiting.keys()]
  const workspaces = ids.map((id) => waiting.get(id)!.workspaceId)
  const rows = await sql<{ id: string }[]>`
    select o.id from operations o join unnest(${workspaces}::text[], ${ids}::text[]) as t(workspace_id, id)
      on o.workspace_id = t.workspace_id and o.id = t.id
    where o.status in ('confirmed', 'failed')`
  for (const { id } of rows) for (const ended of waiting.get(id)?.ended ?? []) ended()
}
