import { sql } from "#db/client.ts"
import { subscribeAccessLoss, subscribeActivity } from "#db/pubsub.ts"
import { lacksSecondFactor } from "#domain/people"
import type { Principal, SignedIn } from "#domain/requests"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

/** Pause after each notice: changes in between are reported as one. */
const PACE_MS = 500
/** How often to check that the watcher may still read the workspace. */
const RECHECK_MS = 60_000

/** Something in the workspace has changed, at this time or earlier. The reader reads what. */
export type Change = {
  at: string
  /** The reader's permissions may have changed, so they read those, too. */
  access: boolean
}

const watches = new Set<() => void>()

/** Ends all streams of this process before it stops, so that clients connect to another one. */
export function endWatches(): void {
  for (const end of watches) end()
}

/**
 * Reports changes in a workspace, at most twice a second, until the client disconnects. It listens from the call on, so
 * that it misses nothing once the client is connected. Ends when the session or membership ends. Errors: not_signed_in.
 */
export function watchActivity({
  principal,
  user,
  signal,
  recheckMs = RECHECK_MS,
}: {
  principal: Principal
  user: SignedIn | null
  signal: AbortSignal | undefined
  recheckMs?: number
}): AsyncGenerator<Change> {
  let changed = false
  let ended = false
  let lost = false
  let access = false
  let wake = () => {}
  const unsubscribe = subscribeActivity(principal.workspaceId, () => {
    changed = true
    wake()
  })
  const unsubscribeLoss = user
    ? subscribeAccessLoss(user.id, () => {
        lost = true
        wake()
      })
    : () => {}
  const leave = () => {
    unsubscribe()
    unsubscribeLoss()
    watches.delete(end)
    signal?.removeEventListener("abort", end)
  }
  const end = () => {
    ended = true
    // An iterator that is never read is never closed either.
    leave()
    wake()
  }
  watches.add(end)
  signal?.addEventListener("abort", end)
  if (signal?.aborted) end()

  /** Resolves after `ms`, at the end of the stream, or at a change if changes are awaited. */
  const pause = (ms: number, forChanges: boolean) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(done, ms)
      wake = () => {
        if (ended || lost || (forChanges && changed)) done()
      }
      wake()
    })

  async function* changes(): AsyncGenerator<Change> {
    try {
      for (let checkedAt = performance.now(); !ended; ) {
        await pause(Math.max(0, checkedAt + recheckMs - performance.now()), true)
        if (ended) break
        if (lost || performance.now() >= checkedAt + recheckMs) {
          access = lost
          lost = false
          await requireMembership(principal, user)
          checkedAt = performance.now()
        }
        if (!changed && !access) continue
        const change = { at: toTimestamp(clock.now()), access }
        changed = false
        access = false
        yield change
        await pause(PACE_MS, false)
      }
    } finally {
      leave()
    }
    // The stream breaks instead of ending, because clients then reconnect.
    throw new DOMException("The server is stopping, or the client has disconnected.", "AbortError")
  }
  return changes()
}

async function requireMembership({ workspaceId }: Principal, user: SignedIn | null): Promise<void> {
  if (user === null) return
  const [member] = await sql`
    select from user_sessions s
    join members m on m.user_id = s.user_id
    join accounts a on a.id = m.account_id
    join workspaces w on w.account_id = a.id
    where s.id = ${user.sessionId} and s.user_id = ${user.id} and s.expires_at > ${clock.now()} and w.id = ${workspaceId}
      and not ${lacksSecondFactor(sql, user.sessionId)}`
  if (!member) fail("not_signed_in", "Sign in again and choose one of your workspaces.")
}
