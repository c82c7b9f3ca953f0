import { background as sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import { askQuorum } from "#server/ledger/index.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { addDays, clock } from "#server/lib/time.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Mode } from "#shared/mode.ts"

// A posting gets its slot and the time of its block once its transaction is final, because until then it may vanish and land
// in another slot.

/** The most postings to date in one statement, and the most slots to ask about. */
const BATCH = 5000
const SLOTS = 200
/** After so many days, a block whose time no node has counts as lost, and the time of settling takes its place. */
const LOST_AFTER_DAYS = 2

type Due = { workspace_id: string; operation_id: string; mode: Mode; slot: number; settled_at: Date }

/** Log throttle by mode, because a node may lack old blocks for long. */
const failing = new Backoff({ firstMs: 1000, longestMs: 60_000 })

/** Dates postings whose transactions are final. Reads the time of each slot once. */
export async function datePostings(): Promise<void> {
  for (const mode of Object.keys(deployment.chains) as Mode[]) {
    const chain = deployment.chains[mode]
    if (!chain || failing.isHeld(mode)) continue
    try {
      await dateBatch(mode, chain.rpc.patient)
      failing.succeeded(mode)
    } catch (error) {
      failing.failed(mode)
      logger.warn({ err: error, mode }, "the times of blocks could not be read; retrying later")
    }
  }
}

async function dateBatch(mode: Mode, rpc: Rpc): Promise<void> {
  const due = await sql<Due[]>`
    select p.workspace_id, p.operation_id, t.mode, t.slot::float8 as slot, t.settled_at
    from (select distinct workspace_id, operation_id from postings where landed_at is null) p
    join operations o on o.workspace_id = p.workspace_id and o.id = p.operation_id
    join transactions t on t.signature = o.signature
    where o.status = 'confirmed' and t.mode = ${mode} and t.status = 'confirmed' and t.finalized_at is not null
    limit ${BATCH}`
  const lost = addDays(clock.now(), -LOST_AFTER_DAYS)
  const dated: (Due & { at: Date })[] = []
  for (const [slot, ofSlot] of [...Map.groupBy(due, ({ slot }) => slot)].slice(0, SLOTS)) {
    const time = await readBlockTime(rpc, slot)
    for (const one of ofSlot) {
      const at = time ?? (one.settled_at < lost ? one.settled_at : null)
      if (at !== null) dated.push({ ...one, at })
    }
  }
  if (dated.length > 0)
    await sql`
      update postings p set slot = t.slot, landed_at = t.at::timestamptz
      from unnest(${dated.map((one) => one.workspace_id)}::text[], ${dated.map((one) => one.operation_id)}::text[],
        ${dated.map((one) => one.slot)}::bigint[], ${dated.map(({ at }) => at.toISOString())}::text[])
        as t(workspace_id, operation_id, slot, at)
      where p.workspace_id = t.workspace_id and p.operation_id = t.operation_id and p.landed_at is null`
}

/** The time of a block. It is written once, so nodes must not contradict each other. Null if none has the block. */
export async function readBlockTime(rpc: Rpc, slot: number): Promise<Date | null> {
  const times = new Set(await askQuorum(rpc, (view) => view.blockTime(slot)))
  times.delete(null)
  if (times.size > 1) throw new Error(`Two nodes report different times of slot ${slot}.`)
  const [seconds = null] = times
  return seconds === null ? null : new Date(seconds * 1000)
}
