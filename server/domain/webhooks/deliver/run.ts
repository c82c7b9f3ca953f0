import { clock } from "#server/lib/time.ts"
import { secretsAt } from "../secrets.ts"
import { type Attempted, isTaken, note } from "./note.ts"
import { Ended, openAgent, post } from "./post.ts"
import { type Claimed, claim, giveBack, readTarget } from "./queue.ts"
import { bodyOf, signedHeaders } from "./sent.ts"

/** Deliveries to one endpoint at a time, unless it requires order. */
const AT_ONCE = 8
/** Deliveries that are claimed and recorded together if it does. They are sent one after another. */
const IN_A_ROW = 16
/** After this time, other endpoints continue. */
const TURN_MS = 10_000

/**
 * Sends an endpoint its deliveries until none must be tried now or its time is over. `stop` ends the run after the
 * attempts in progress, `end` at once: attempts without a response are then left to any other process.
 */
export async function deliverTo(
  workspaceId: string,
  endpointId: string,
  { stop, end: abort }: { stop: AbortSignal; end: AbortSignal },
): Promise<void> {
  const end = performance.now() + TURN_MS
  const first = await readTarget(workspaceId, endpointId)
  if (first === null) return
  const agent = openAgent(first.url, AT_ONCE)
  try {
    while (performance.now() < end && !stop.aborted) {
      // The endpoint may be changed, disabled or deleted at any time.
      const target = await readTarget(workspaceId, endpointId)
      if (target === null || target.url !== first.url) return
      const due = await claim(workspaceId, target, target.ordered ? IN_A_ROW : AT_ONCE)
      if (due.length === 0) return
      const secrets = secretsAt(clock.now(), target)
      const attempts = target.ordered ? await inOrder(due) : await Promise.all(due.map(attempt))
      const attempted = attempts.filter((one) => one !== null)
      if (attempted.length > 0) await note(workspaceId, endpointId, attempted)
      if (attempted.length < due.length) {
        const noted = new Set(attempted.map(({ delivery }) => delivery))
        const others = due.filter((one) => !noted.has(one))
        return await giveBack(workspaceId, endpointId, others)
      }

      /** Stops at a failure, because later deliveries must wait, and at the end of the run, when its claims may end. */
      async function inOrder(row: readonly Claimed[]): Promise<(Attempted | null)[]> {
        const made: (Attempted | null)[] = []
        for (const delivery of row) {
          if (made.length > 0 && (performance.now() >= end || stop.aborted)) break
          const one = await attempt(delivery)
          made.push(one)
          if (one === null || !isTaken(one)) break
        }
        return made
      }

      async function attempt(delivery: Claimed): Promise<Attempted | null> {
        const [at, body] = [clock.now(), bodyOf(delivery)]
        const headers = signedHeaders(secrets, { id: delivery.event_id, at, body })
        try {
          const outcome = await post(agent, first!.url, { headers, body, at, end: abort })
          return { delivery, outcome, signature: headers["webhook-signature"] }
        } catch (error) {
          if (error instanceof Ended) return null
          throw error
        }
      }
    }
  } finally {
    agent.destroy()
  }
}
