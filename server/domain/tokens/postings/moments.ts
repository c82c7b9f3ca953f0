import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { chainOf } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { refuseInQuarantine } from "#server/ledger/index.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import { fail } from "#shared/errors.ts"
import { readFollowedSlot } from "../holder-movements/followed.ts"
import { readBlockTime } from "./date.ts"

/** A moment of the books: the end of a second, or of a slot. */
export type Moment = { slot: number; time: Date } | { slot: null; time: Date }

/** A moment includes its whole second. */
export const endOf = ({ time }: Moment): Date => new Date(time.getTime() + 999)

/** How many slots in a row may have no block. */
const SKIPPED = 100
/** How long a change of the books alone may take to commit. */
const COMMIT_SECONDS = 1

/** A whole second, as chains count time. */
export const secondOf = (time: Date): Date => new Date(Math.floor(time.getTime() / 1000) * 1000)

/** The time of a slot, or of the last block before it if it has none. Null if no node knows it. */
export async function timeOfSlot(rpc: Rpc, slot: number): Promise<Date | null> {
  const time = await readBlockTime(rpc, slot)
  if (time !== null) return time
  // Each of the slots before it would take a call to every node.
  const known = await Promise.allSettled(rpc.views.map((view) => view.firstAvailableBlock()))
  const first = Math.min(...known.map((one) => (one.status === "fulfilled" ? one.value : 0)))
  for (let one = slot - 1; one >= first && one > slot - SKIPPED; one--) {
    const time = await readBlockTime(rpc, one)
    if (time !== null) return time
  }
  return null
}

/**
 * The last slot up to which the books are final: everything that landed is posted and dated, and nothing that is signed
 * can still land. A transaction cannot have landed before the slot of its blockhash.
 */
async function readFinalSlot(
  { workspaceId, mode }: Pick<Principal, "workspaceId" | "mode">,
  rpc: Rpc,
): Promise<number> {
  // Read before the books, so that what lands later lands after it.
  const { slot } = await rpc.finalizedHeight()
  const rows = await sql<{ open: bigint | null; now: Date }[]>`
    select least(
      (select min(coalesce(signed_slot, slot, 1)) - 1 from transactions
        where mode = ${mode} and workspace_id = ${workspaceId} and status = 'saved'),
      (select min(coalesce(signed_slot, slot, 1)) - 1 from transactions
        where mode = ${mode} and workspace_id = ${workspaceId} and status = 'confirmed' and finalized_at is null),
      (select min(t.slot) - 1 from postings p
        join operations o on o.workspace_id = p.workspace_id and o.id = p.operation_id
        join transactions t on t.signature = o.signature
        where p.workspace_id = ${workspaceId} and p.landed_at is null and t.slot is not null)) as open`
  const { open } = only(rows)
  return open === null ? slot : Math.min(slot, Number(open))
}

/**
 * A moment at which the books of a token are final: the given one, or the last. In holder mode, what holders moved is recorded
 * up to it. Errors: not_final_yet, chain_not_configured, chain_unavailable.
 */
export async function finalMoment(
  principal: Pick<Principal, "workspaceId" | "mode">,
  mintConfig: string,
  at: { slot: number } | { time: Date } | null,
): Promise<Moment> {
  const { rpc } = chainOf(principal.mode)
  // A restored database may lack what has landed.
  await refuseInQuarantine(sql, principal.workspaceId)
  const ofBooks = await readFinalSlot(principal, rpc)
  const followed = await readFollowedSlot(principal.workspaceId, mintConfig)
  const slot = followed === null ? ofBooks : Math.min(ofBooks, followed)
  const time = await timeOfSlot(rpc, slot)
  if (time === null) return fail("chain_unavailable", "No node reports the time of the last final slot. Try again.")
  // Slots after it may share its second. The books alone can change until now.
  const [row] = await sql<{ now: Date }[]>`select now() as now`
  const lastSecond = Math.min(time.getTime() - 1000, secondOf(row!.now).getTime() - (COMMIT_SECONDS + 1) * 1000)
  const newest = new Date(lastSecond)
  const tooLate = () =>
    fail(
      "not_final_yet",
      `at: must be at most ${toTimestamp(newest)} or slot ${slot} now. Ask for that, or try again later.`,
    )
  if (at === null) return { slot: null, time: newest }
  if ("time" in at) return secondOf(at.time) > newest ? tooLate() : { slot: null, time: secondOf(at.time) }
  if (at.slot > slot) return tooLate()
  const ofSlot = await timeOfSlot(rpc, at.slot)
  if (ofSlot === null) return fail("validation_failed", `at: no node has slot ${at.slot}. Ask for a time instead.`)
  return ofSlot.getTime() > lastSecond + 1000 ? tooLate() : { slot: at.slot, time: ofSlot }
}
