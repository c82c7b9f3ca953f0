import type { Transaction } from "#db/client.ts"
import { background as sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import type { RowOf } from "#db/rows.ts"
import { newId } from "#server/lib/ids.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { eventId } from "./event-id.ts"
import { currentGeneration } from "./generation.ts"
import { quotaEvents } from "./quota.ts"
import { type Staged, stagedColumns } from "./staged.ts"

/** Events that get their number in one transaction, which takes about 50 ms. */
const BATCH = 1000
/** Key of `pg_try_advisory_xact_lock`: only one process at a time assigns numbers. */
const LOCK = 7_302_611

/**
 * Gives staged events their number in their workspace's sequence, in the order of staging. The number, the count and
 * the end of staging are one commit, so a crash leaves no gap and no duplicate. Events that another transaction has
 * staged but not committed come later. They have another subject, because a subject's row is locked from before its
 * event is staged until the commit.
 */
export async function sequenceEvents(): Promise<void> {
  for (;;) {
    const [{ waits } = { waits: false }] = await sql<{ waits: boolean }[]>`
      select exists (select from staged_events) as waits`
    const placed = waits ? await sql.begin(sequenceBatch) : 0
    if (placed > 0) publish("webhooks")
    if (placed < BATCH) return
  }
}

async function sequenceBatch(sql: Transaction): Promise<number> {
  const [{ ours } = { ours: false }] = await sql<{ ours: boolean }[]>`
    select pg_try_advisory_xact_lock(${LOCK}) as ours`
  if (!ours) return 0
  const rows = await sql<RowOf<typeof stagedColumns>[]>`
    select ${sql(stagedColumns)} from staged_events order by seq limit ${BATCH}`
  if (rows.length === 0) return 0
  const told = await withAmounts(sql, rows.flatMap(expand))
  told.push(...(await quotaEvents(sql, told)))

  const counts = new Map<string, number>()
  for (const { workspace_id } of told) counts.set(workspace_id, (counts.get(workspace_id) ?? 0) + 1)
  // Locked in a fixed order, like everywhere that locks several of them.
  const workspaces = [...counts.keys()].sort()
  const counters = await sql<{ workspace_id: string; last: bigint }[]>`
    insert into event_counters as c (workspace_id, last)
    select * from unnest(${workspaces}::text[], ${workspaces.map((id) => counts.get(id)!)}::integer[])
    on conflict (workspace_id) do update set last = c.last + excluded.last
    returning workspace_id, last`
  const next = new Map(
    counters.map(({ workspace_id, last }) => [workspace_id, last - BigInt(counts.get(workspace_id)!)]),
  )
  const ids = new Set<string>()
  const placed = told.map((event) => {
    const { workspace_id, type, data, occurred_at } = event
    const sequence = next.get(workspace_id)! + 1n
    next.set(workspace_id, sequence)
    const spare_id = newId("evt")
    const derived = eventId(event)
    const id = ids.has(derived) ? spare_id : derived
    ids.add(id)
    return { workspace_id, sequence: String(sequence), id, spare_id, type, data, occurred_at }
  })
  // If something does happen a second time to its subject, the second event gets its own id.
  await sql`
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    select workspace_id, sequence,
      case when exists (select from events k where k.workspace_id = e.workspace_id and k.id = e.id)
        then spare_id else id end,
      type, data, occurred_at, ${await currentGeneration(sql)}
    from jsonb_to_recordset(${sql.json(placed as never)}) as e(workspace_id text, sequence bigint, id text, spare_id text,
      type text, data jsonb, occurred_at timestamptz)`
  await sql`delete from staged_events where seq = any(${rows.map(({ seq }) => String(seq))}::bigint[])`
  return rows.length
}

/** A session and its attestation start together and are staged as one. */
const expand = (staged: Staged): Staged[] =>
  staged.type === "session.opened" ? [staged, { ...staged, type: "attestation.pending" }] : [staged]

/** Amounts in the API's form, which needs their token's decimals. */
async function withAmounts(sql: Transaction, told: Staged[]): Promise<Staged[]> {
  const of = told.filter(({ data }) => "amount" in data)
  if (of.length === 0) return told
  const rows = await sql<{ workspace_id: string; id: string; decimals: number }[]>`
    select c.workspace_id, c.id, c.decimals from mint_configs c
    join (select distinct * from unnest(${of.map((e) => e.workspace_id)}::text[],
      ${of.map(({ data }) => String(data.mint_config))}::text[]) as t(workspace_id, id)) t using (workspace_id, id)`
  const decimals = new Map(rows.map((row) => [`${row.workspace_id}/${row.id}`, row.decimals]))
  return told.map((event) => {
    const places = decimals.get(`${event.workspace_id}/${event.data.mint_config}`)
    if (!("amount" in event.data) || places === undefined) return event
    return {
      ...event,
      data: { ...event.data, amount: fromBaseUnits(BigInt(String(event.data.amount)), places) },
    }
  })
}
