import { background as sql } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import type { Mode } from "#shared/mode.ts"
import type { Verdict } from "./evidence.ts"

/** No node can say whether a transaction landed. It is checked again, with growing pauses. */
export type Doubt = { reason: string; times: number; againAt: number }

/** The first and the longest pause between two checks, in milliseconds, and the longest while nodes fail to answer. */
const FIRST_MS = 2000
const LONGEST_MS = 60_000
const LONGEST_PASSING_MS = 10_000

/** A doubt that an earlier process had noted. It is checked again at once. */
export const doubtBefore = (reason: string): Doubt => ({ reason, times: 0, againAt: 0 })

/** Records a doubt on the transaction, and logs it when it is new. */
export async function noteDoubt(
  mode: Mode,
  before: Doubt | null,
  { signature, workspaceId, reason, isPassing }: Omit<Extract<Verdict, { end: "doubt" }>, "end">,
): Promise<Doubt> {
  const times = (before?.times ?? 0) + 1
  const longest = isPassing ? LONGEST_PASSING_MS : LONGEST_MS
  const pause = Math.min(FIRST_MS * 2 ** (times - 1), longest)
  // A doubt from before a restart is logged once, by the process that takes it over.
  if (times === 1 || before?.reason !== reason) {
    logger.warn(
      { mode, workspaceId, signature, reason },
      "no node can say whether a transaction has landed; its operations wait. `vouch ledger resolve` decides it",
    )
    await sql`update transactions set doubt = ${reason} where signature = ${signature} and status = 'saved'`
  }
  return { reason, times, againAt: performance.now() + pause }
}
