import type { Transaction } from "#db/client.ts"
import { background as sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { newId } from "#server/lib/ids.ts"
import { currentGeneration } from "./position.ts"
import { stageQuotaEvents } from "./quota.ts"
import { eventId, readStaged, type Staged } from "./staged.ts"

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
  await stageQuotaEvents(sql)
  const rows = await readStaged(sql, BATCH)
  const events = rows.flatMap(expand)
  const known = new Set<string>()
  const ids = events.map((event) => {
    const id = eventId(event)
    if (known.has(id)) return newId("evt")
    known.add(id)
    return id
  })
  // The events' data stays in the database. Reading and writing it here took as long as a start, which has two events.
  // Counters are locked in a fixed order, as everywhere that locks several of them. Amounts are staged in base units.
  // An event whose id is already taken, because it happened to its subject a second time, gets its spare id.
  await sql`
    with taken as (
      delete from staged_events where seq = any(${rows.map(({ seq }) => seq)}::bigint[])
      returning seq, workspace_id, data, occurred_at
    ), placed as (
      select t.workspace_id, e.type, e.id, e.spare_id, t.data, t.occurred_at, count(*) over workspace as total,
        row_number() over (workspace order by e.position) as nth
      from unnest(${events.map(({ seq }) => seq)}::bigint[], ${events.map(({ type }) => type)}::text[], ${ids}::text[],
        ${events.map(() => newId("evt"))}::text[]) with ordinality as e(seq, type, id, spare_id, position)
      join taken t using (seq)
      window workspace as (partition by t.workspace_id)
    ), counted as (
      insert into event_counters as c (workspace_id, last)
      select workspace_id, count(*) from placed group by workspace_id order by workspace_id
      on conflict (workspace_id) do update set last = c.last + excluded.last
      returning workspace_id, last
    )
    insert into events (workspace_id, sequence, id, type, data, occurred_at, generation)
    select workspace_id, c.last - p.total + p.nth,
      case when exists (select from events k where k.workspace_id = p.workspace_id and k.id = p.id)
        then p.spare_id else p.id end,
      p.type,
      coalesce(p.data || (
        select jsonb_build_object('amount',
          trim_scale((p.data ->> 'amount')::numeric * ('1e-' || m.decimals)::numeric)::text)
        from mint_configs m
        where m.workspace_id = p.workspace_id and m.id = p.data ->> 'mint_config' and p.data ? 'amount'), p.data),
      p.occurred_at, ${await currentGeneration(sql)}
    from placed p join counted c using (workspace_id)`
  return rows.length
}

/** A session and its attestation start together and are staged as one. */
const expand = (staged: Staged): Staged[] =>
  staged.type === "session.opened" ? [staged, { ...staged, type: "attestation.pending" }] : [staged]
