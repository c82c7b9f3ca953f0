import { background as sql } from "#db/client.ts"
import { chainClockDifference } from "#db/clock.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { LedgerReport } from "#shared/ledger-report.ts"
import type { Mode } from "#shared/mode.ts"
import type { Finality } from "./finality.ts"
import { busyWorkspaces } from "./queue.ts"
import type { Comparison } from "./restore/comparison.ts"
import type { Tracker } from "./track.ts"

type Parts = {
  tracker: Pick<Tracker, "failing" | "inDoubt" | "overdue" | "isUnanswered">
  comparison: Pick<Comparison, "quarantined">
  finality: Pick<Finality, "late">
}

/** The problems with transactions that were sent, in a few words; null if there are none. */
export function troubleOfSent({ tracker, comparison, finality }: Parts): string | null {
  if (tracker.failing > 0) return "transactions have landed that cannot be settled; the log says which"
  const { inDoubt, overdue } = tracker
  if (inDoubt > 0) return `${transactions(inDoubt)} may have landed or not; the log says why`
  if (overdue > 0) return `${transactions(overdue)} can no longer land, and no node has proven it yet`
  if (tracker.isUnanswered) return "no node reports the outcome of transactions; the log says why"
  const { quarantined } = comparison
  if (quarantined > 0)
    return `${quarantined} ${quarantined === 1 ? "workspace is" : "workspaces are"} in quarantine: \`vouch ledger reconcile\` says why`
  const { late } = finality
  return late > 0 ? `${transactions(late)} ${late === 1 ? "is" : "are"} not final long after confirmation` : null
}

const transactions = (count: number): string => `${count} ${count === 1 ? "transaction" : "transactions"}`

/** The reconciliations of a mode: the age of the oldest, and the differences that they found. */
type Audits = Pick<LedgerReport, "audit_age_seconds" | "audit_differences">

export async function readAudits(): Promise<(mode: Mode) => Audits> {
  const rows = await sql<{ mode: Mode; age: number | null; differences: number }[]>`
    select w.mode, greatest(0, extract(epoch from now() - min(a.at))::int) as age, sum(a.differences)::int as differences
    from audits a join workspaces w on w.id = a.workspace_id where a.at is not null group by w.mode`
  const byMode = new Map(rows.map((row) => [row.mode, row]))
  return (mode) => ({
    audit_age_seconds: byMode.get(mode)?.age ?? null,
    audit_differences: byMode.get(mode)?.differences ?? 0,
  })
}

/** Since when a history must be missing to count: a node may lag. */
const MISSING_MINUTES = 10

type Histories = Required<Pick<LedgerReport, "missing_histories" | "lost_histories">>

/** Tokens in holder mode of which nodes lack a part of the history, by mode. */
async function readHistories(): Promise<(mode: Mode) => Histories> {
  const rows = await sql<({ mode: Mode } & Histories)[]>`
    select w.mode, count(*) filter (where p.lost_at is not null)::int as lost_histories,
      count(*) filter (where p.lost_at is null and p.missing_since < now() - ${MISSING_MINUTES}::int * interval '1 minute')::int
        as missing_histories
    from holder_periods p join workspaces w on w.id = p.workspace_id where p.until is null group by w.mode`
  const byMode = new Map(rows.map(({ mode, ...row }) => [mode, row]))
  return (mode) => byMode.get(mode) ?? { missing_histories: 0, lost_histories: 0 }
}

type Ages = Pick<LedgerReport, "oldest_operation_seconds" | "oldest_transaction_seconds">

export async function reportOn(ledgers: readonly { chain: Chain; inDoubt: number }[]): Promise<LedgerReport[]> {
  const [ages, audits, histories] = await Promise.all([readAges(), readAudits(), readHistories()])
  return ledgers.map(({ chain: { mode, rpc }, inDoubt }) => {
    const errors = [...rpc.nodes.metrics.byMethod].filter(([, { errors }]) => errors > 0)
    return {
      mode,
      slot: rpc.nodes.slot > 0 ? rpc.nodes.slot : null,
      slot_age_seconds: rpc.nodes.slot > 0 ? Math.round(rpc.nodes.slotAge_ms / 1000) : null,
      clock_difference_seconds: chainClockDifference(mode),
      ...ages(mode),
      ...audits(mode),
      ...histories(mode),
      in_doubt: inDoubt,
      nodes: rpc.nodes.capabilities,
      rpc_errors: Object.fromEntries(errors.map(([method, { errors }]) => [method, errors])),
    }
  })
}

/** The first operation in each workspace's queue is its oldest. */
export async function readAges(): Promise<(mode: Mode) => Ages> {
  const rows = await sql<{ mode: Mode; operation: number | null; transaction: number | null }[]>`
    with recursive busy as (${busyWorkspaces()}), waiting as (
      select w.mode, min(f.created_at) as since
      from busy join workspaces w on w.id = busy.id, lateral (
        select created_at from operations o
        where o.workspace_id = busy.id and o.status in ('queued', 'submitted') order by o.seq limit 1) f
      group by 1
    ), sent as (
      select mode, min(created_at) as since from transactions where status = 'saved' group by 1
    )
    select mode, extract(epoch from now() - waiting.since)::int as operation,
      extract(epoch from now() - sent.since)::int as transaction
    from waiting full join sent using (mode)`
  const byMode = new Map(rows.map((row) => [row.mode, row]))
  // The clock that wrote a row may be ahead of the database's. Its age is then 0, not negative.
  const age = (seconds: number | null = null) => seconds && Math.max(0, seconds)
  return (mode) => ({
    oldest_operation_seconds: age(byMode.get(mode)?.operation),
    oldest_transaction_seconds: age(byMode.get(mode)?.transaction),
  })
}

/** The most operations that are counted. More than that is a problem in any case. */
const MOST_COUNTED = 50_000

/** Unfinished operations, transactions that may still land, and workspaces in quarantine, by mode. */
export type Depths = { mode: Mode; queued: number; submitted: number; saved: number; quarantined: number }

export async function readDepths(): Promise<Depths[]> {
  return sql<Depths[]>`
    with unfinished as (
      select w.mode, count(*) filter (where o.status = 'queued')::int as queued,
        count(*) filter (where o.status = 'submitted')::int as submitted
      from (select workspace_id, status from operations where status in ('queued', 'submitted') limit ${MOST_COUNTED}) o
        join workspaces w on w.id = o.workspace_id
      group by w.mode
    ), saved as (
      select mode, count(*)::int as saved
      from (select mode from transactions where status = 'saved' limit ${MOST_COUNTED}) t group by mode
    ), quarantined as (
      select w.mode, count(*)::int as quarantined
      from quarantines q join workspaces w on w.id = q.workspace_id group by w.mode
    )
    select mode, coalesce(queued, 0) as queued, coalesce(submitted, 0) as submitted, coalesce(saved, 0) as saved,
      coalesce(quarantined, 0) as quarantined
    from unnest(array['live', 'test']) as mode left join unfinished using (mode) left join saved using (mode)
      left join quarantined using (mode)`
}

/** After this long, a transaction has landed or expired unless something is wrong: 150 blocks take a minute. */
const OLD_SECONDS = 180
/** Each workspace is compared every hour. */
const AUDIT_LATE_SECONDS = 6 * 3600
/** How long a chain may have no new slot. Workers read it at least every 3 s. */
const STILL_SECONDS = 30

/** The problems in a report, in a few words; null if there are none. */
export function troubleIn(report: LedgerReport): string | null {
  const audited_s = report.audit_age_seconds ?? 0
  const still_s = report.slot_age_seconds ?? 0
  const sent_s = report.oldest_transaction_seconds ?? 0
  const waited_s = report.oldest_operation_seconds ?? 0
  if (report.audit_differences > 0)
    return `the chain and the database differ (${report.audit_differences}): run \`vouch ledger audit\` to see where`
  if (audited_s > AUDIT_LATE_SECONDS)
    return `a workspace was last compared with the chain ${Math.round(audited_s / 3600)} h ago`
  const missing = report.missing_histories ?? 0
  if (missing > 0)
    return `nodes lack the history of ${missing} ${missing === 1 ? "token" : "tokens"} in holder mode or do not agree on it; the log says which`
  if (still_s > STILL_SECONDS) return `the chain has stood still at slot ${report.slot} for ${still_s} s`
  if (sent_s > OLD_SECONDS) return `a transaction that was signed ${sent_s} s ago has neither landed nor expired`
  return waited_s > OLD_SECONDS ? `an operation has waited for ${waited_s} s to be done` : null
}
