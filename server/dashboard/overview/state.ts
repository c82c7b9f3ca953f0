import { sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { countApprovalsFor } from "#domain/approvals"
import { deployment } from "#domain/deployment"
import { WORKER_SILENT_SECONDS } from "#domain/health"
import { readReminderSettings } from "#domain/kyc"
import type { Member, Principal } from "#domain/requests"
import { countReviews, reviewTables, type SummaryRow, summaryFields, toReviewSummary } from "#domain/reviews"
import { urlFor } from "#domain/webhooks"
import { readQuarantine } from "#server/ledger/index.ts"
import { addDays, clock, toTimestamp } from "#server/lib/time.ts"
import type { LowPayer } from "#shared/ledger-report.ts"
import type { Issuer } from "./issuer.ts"

type Endpoint = { endpoint_id: string; url: string }

/** What needs a member's attention. Expiring verifications are counted in `readExpiring`. */
export async function readAttention(principal: Principal, issuer: Issuer | null) {
  const { workspaceId, scopes } = principal
  const decides = scopes.has("review:write")
  const [reviews, approvals, endpoints, payers] = await Promise.all([
    decides ? waitingReviews(principal) : null,
    decides && isMember(principal) ? countApprovalsFor(principal) : null,
    sql<
      {
        failing: number
        disabled: number
        failing_since: Date | null
        oldest_failing: Endpoint | null
        oldest_disabled: Endpoint | null
      }[]
    >`
      select count(*) filter (where disabled_at is null and failing_since is not null)::int as failing,
        count(*) filter (where disabled_reason in ('gone', 'failing'))::int as disabled,
        min(failing_since) filter (where disabled_at is null) as failing_since,
        (array_agg(jsonb_build_object('endpoint_id', id, 'url', url) order by failing_since)
          filter (where disabled_at is null and failing_since is not null))[1] as oldest_failing,
        (array_agg(jsonb_build_object('endpoint_id', id, 'url', url) order by disabled_at)
          filter (where disabled_reason in ('gone', 'failing')))[1] as oldest_disabled
      from webhook_endpoints where workspace_id = ${workspaceId} and deleted_at is null`,
    issuer === null ? [] : lowPayersOf(principal, issuer.fee_payer),
  ])
  const [payer] = payers
  const low = payer ?? (issuer?.low && issuer.sol !== null ? { sol: issuer.sol, hours_left: null } : null)
  const { failing_since, oldest_failing, oldest_disabled, ...counts } = only(endpoints)
  const named = (endpoint: Endpoint | null) => endpoint && { ...endpoint, url: urlFor(principal, endpoint.url) }
  return {
    // Up to a hundred, and the one that waits longest. Null if the reader does not decide reviews.
    reviews,
    approvals,
    // With the one that has failed, or was disabled, the longest.
    endpoints: {
      ...counts,
      failing_since: failing_since && toTimestamp(failing_since),
      oldest_failing: named(oldest_failing),
      oldest_disabled: named(oldest_disabled),
    },
    // The fee payer while it needs SOL, and how long its balance lasts if known.
    low_sol: issuer && low && { address: issuer.fee_payer, sol: low.sol, hours_left: low.hours_left },
  }
}

const isMember = (principal: Principal): principal is Member => principal.via.kind === "user"

async function waitingReviews(principal: Principal) {
  const [{ waiting }, [oldest]] = await Promise.all([
    countReviews(principal),
    sql<SummaryRow[]>`
      select ${summaryFields()} from ${reviewTables()}
      where r.workspace_id = ${principal.workspaceId} and r.state <> 'closed' order by r.seq nulls first limit 1`,
  ])
  return { count: waiting, oldest: oldest ? toReviewSummary(oldest) : null }
}

/** The workers' report about a fee payer. */
const lowPayersOf = ({ mode }: Principal, address: string) => sql<Pick<LowPayer, "sol" | "hours_left">[]>`
  select p.sol, p.hours_left
  from workers w cross join lateral jsonb_to_recordset(w.low_payers)
    as p(mode text, address text, sol double precision, hours_left double precision)
  where w.seen_at > now() - make_interval(secs => ${WORKER_SILENT_SECONDS}) and p.mode = ${mode} and p.address = ${address}
  order by w.seen_at desc limit 1`

/** Counting stops here. Beyond it, the answer is only "more". */
const COUNTED = 1000

/** What expires soon, and whether investors get reminders. */
export async function readExpiring(workspaceId: string) {
  const now = clock.now()
  const within = (days: number) => sql`
    (select count(*)::int from (
      select from attestations
      where workspace_id = ${workspaceId} and status = 'verified' and expires_at > ${now}
        and expires_at < ${addDays(now, days)} limit ${COUNTED + 1}) soon)`
  const [rows, reminders] = await Promise.all([
    sql<{ week: number; month: number }[]>`select ${within(7)} as week, ${within(30)} as month`,
    readReminderSettings(workspaceId),
  ])
  const { week, month } = only(rows)
  const counted = (count: number) => ({ count: Math.min(count, COUNTED), more: count > COUNTED })
  return { days_7: counted(week), days_30: counted(month), reminders }
}

/** Why nothing is signed for the workspace, and its last reconciliation. Both may be null. */
export async function readLedgerState(workspaceId: string) {
  const [quarantine, [audit]] = await Promise.all([
    readQuarantine(sql, workspaceId),
    sql<{ at: Date; differences: number }[]>`
      select at, differences from audits where workspace_id = ${workspaceId} and at is not null`,
  ])
  return { quarantine, audit: audit ? { at: toTimestamp(audit.at), differences: audit.differences } : null }
}

/** How far a workspace is set up. */
export async function readSetup({ workspaceId, mode }: Principal, issuer: Issuer | null) {
  const { default: common, bySchema } = deployment.providers[mode]
  const has = await sql<Record<"key" | "verification" | "mint" | "webhook", boolean>[]>`
    select
      exists (select from api_keys where workspace_id = ${workspaceId} and revoked_at is null) as key,
      exists (select from attestations where workspace_id = ${workspaceId}) as verification,
      exists (select from operations where workspace_id = ${workspaceId} and kind = 'mint') as mint,
      exists (select from webhook_endpoints where workspace_id = ${workspaceId} and deleted_at is null) as webhook`
  return {
    provider: common !== null || bySchema.size > 0,
    // Whether the fee payer has some. Null while unknown.
    sol: issuer === null || issuer.sol === null ? null : !issuer.low,
    ...only(has),
  }
}
