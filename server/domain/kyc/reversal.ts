import type { Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { budgetRefusal, plans, quotaExceeded, takingUnit } from "#domain/accounts"
import { type Author, recordChange } from "#domain/audit-log"
import type { ProviderDecision } from "#domain/providers"
import { closeVendorReviews, openReview } from "#domain/reviews"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, clock, periodOf } from "#server/lib/time.ts"
import type { Claims } from "#shared/claims.ts"
import { fail } from "#shared/errors.ts"
import { approvalOn, IN_REVIEW_SECONDS } from "./approve.ts"
import { rankOf } from "./decide.ts"
import { type DecidedSession, isApproved, lockDecided } from "./decided-session.ts"
import { takeEffect } from "./take-effect.ts"

// A reversal: a vendor approves a person whom it had rejected. Nothing leaves `rejected`. A member either keeps the
// rejection or accepts the reversal, which creates a new attestation and uses another unit of quota.

/**
 * Whether a member can accept the reversal: the approval is still valid, and the person has not started again since. If
 * they have, and the vendor keeps one record per person, the later session receives the same approval by itself.
 */
export async function isReversible(sql: Queryable, row: DecidedSession, occurredAt: Date, now: Date): Promise<boolean> {
  if (approvalOn(row, occurredAt, now) === "expire") return false
  const [later] = await sql`
    select from attestations
    where workspace_id = ${row.workspace_id} and investor_id = ${row.investor_id} and schema_id = ${row.schema_id}
      and status in ('pending', 'verified') and created_at > ${row.ended_at} limit 1`
  return later === undefined
}

export async function openReversal(sql: Queryable, row: DecidedSession, event: ProviderDecision): Promise<void> {
  await noteTime(sql, row, event)
  const { workspace_id: workspaceId, id: attestationId, wallet } = row
  const found = { finding: "reversed", detail: event.reason, claims: event.claims } as const
  await openReview(sql, { workspaceId, kind: "reversal", about: { attestationId, wallet }, ...found })
}

export async function isReversing(sql: Queryable, { workspace_id, id }: DecidedSession): Promise<boolean> {
  const rows = await sql`
    select from reviews
    where workspace_id = ${workspace_id} and attestation_id = ${id} and kind = 'reversal' and state <> 'closed'`
  return rows.length > 0
}

/** The vendor has rejected the person again: there is nothing left to accept. */
export async function withdrawReversal(sql: Queryable, row: DecidedSession, event: ProviderDecision): Promise<void> {
  await noteTime(sql, row, event)
  await closeVendorReviews(sql, row.workspace_id, [row.id], "vendor", "reversal")
}

/** Records the event's time, which orders later events. The decision stays a rejection. */
const noteTime = (sql: Queryable, row: DecidedSession, { occurredAt, decision }: ProviderDecision) => sql`
  update attestations set event_at = ${occurredAt}, event_rank = ${rankOf(decision)}
  where workspace_id = ${row.workspace_id} and id = ${row.id}`

/** Locks the attestation of an accepted reversal, to which the vendor's later events apply. Null if there is none. */
export async function lockSuccessor(sql: Queryable, row: DecidedSession): Promise<DecidedSession | null> {
  if (row.status !== "rejected") return null
  const { workspace_id: workspaceId, wallet, id } = row
  const [found] = await sql<{ id: string }[]>`
    select a.id from attestations a join reviews r on r.workspace_id = a.workspace_id and r.id = a.review_id
    where a.workspace_id = ${workspaceId} and a.wallet = ${wallet} and r.kind = 'reversal' and r.attestation_id = ${id}
    order by a.seq desc limit 1`
  return found ? lockDecided(sql, sql`a.workspace_id = ${workspaceId} and a.id = ${found.id}`) : null
}

type Acceptance = {
  workspaceId: string
  attestationId: string
  reviewId: string
  claims: Claims
  author: Author
}

/**
 * Accepts a reversal, in the transaction that closes its review. Approves the person's open session of the wallet, or a
 * new session if there is none. Validity counts from the vendor's approval. Returns the id of the approved attestation.
 * Errors: review_changed, quota_exceeded, sol_budget_exceeded, chain_unavailable.
 */
export async function acceptReversal(sql: Queryable, acceptance: Acceptance): Promise<string> {
  const { workspaceId, attestationId, reviewId, claims } = acceptance
  const now = clock.now()
  const rejected = await lockDecided(sql, sql`a.workspace_id = ${workspaceId} and a.id = ${attestationId}`)
  if (rejected?.status !== "rejected" || rejected.event_at === null || rejected.erased_at !== null)
    return fail("review_changed", "This verification is no longer rejected, so there is nothing to accept.")
  await requireUnverified(sql, rejected, now)
  const occurredAt = rejected.event_at
  const effect = approvalOn(rejected, occurredAt, now)
  const tooOld =
    "The vendor's approval is older than the schema's validity. Keep the rejection and start a new session."
  if (effect === "expire") fail("review_changed", tooOld)
  const id = (await pendingOf(sql, rejected, now)) ?? (await startAgain(sql, rejected, acceptance, now))
  const session = await lockDecided(sql, sql`a.workspace_id = ${workspaceId} and a.id = ${id}`)
  if (session?.status !== "pending" || isApproved(session))
    return fail("review_changed", "A session of this wallet is approved already. Keep the rejection.")
  const approval = { decision: "approved", occurredAt, claims, reason: null, publicReason: null } as const
  await takeEffect(sql, session, { event: approval, effect, reviewId, now })
  return id
}

/** Errors: review_changed, if the wallet now belongs to another person or is verified again. */
async function requireUnverified(sql: Queryable, row: DecidedSession, now: Date): Promise<void> {
  const { workspace_id: workspaceId, wallet, schema_id, investor_id } = row
  const rows = await sql<{ is_of_another: boolean; is_verified: boolean }[]>`
    select exists (select from attestations where workspace_id = ${workspaceId} and wallet = ${wallet}
        and (wallet_proved_at is not null or issued_at is not null))
        and (select investor_id from wallet_owner(${workspaceId}, ${wallet})) <> ${investor_id} as is_of_another,
      exists (select from attestations where workspace_id = ${workspaceId} and wallet = ${wallet}
        and schema_id = ${schema_id} and status = 'verified' and expires_at > ${now}) as is_verified`
  const { is_of_another, is_verified } = only(rows)
  if (is_of_another)
    fail("review_changed", "The wallet belongs to another person now. Keep the rejection and start a new session.")
  if (is_verified) fail("review_changed", "The wallet has been verified since. Keep the rejection.")
}

async function pendingOf(sql: Queryable, row: DecidedSession, now: Date): Promise<string | null> {
  const [pending] = await sql<{ id: string }[]>`
    select id from attestations
    where workspace_id = ${row.workspace_id} and wallet = ${row.wallet} and schema_id = ${row.schema_id}
      and investor_id = ${row.investor_id} and status = 'pending' and (open_until is null or open_until > ${now})
    for update`
  return pending?.id ?? null
}

/**
 * Starts another session for the person with the same check at the vendor, and takes a unit of quota. It keeps the time
 * of the last event, so that events from before the reversal stay outdated.
 */
async function startAgain(sql: Queryable, row: DecidedSession, { workspaceId, author }: Acceptance, now: Date) {
  const refusal = await budgetRefusal(sql, workspaceId)
  if (refusal) fail(refusal.code, refusal.detail)
  const id = newId("att")
  const rows = await sql<{ included: number | null; started: boolean }[]>`
    with limits as (
      select case w.mode when 'test' then ${plans.free}::int else a.included end as included
      from workspaces w join accounts a on a.id = w.account_id where w.id = ${workspaceId}
    ), reserved as (
      insert into usage_periods as u (workspace_id, period, used, started)
      select ${workspaceId}, ${periodOf(now)}, 1, 1 from limits where included is null or included >= 1
      ${takingUnit(sql)}
      returning period
    ), attestation as (
      insert into attestations
        (workspace_id, id, schema_id, wallet, investor_id, external_id, status, period, created_at, session_id, provider,
          provider_reference, redirect_url, open_until, consented_at, wallet_proof_required, wallet_proved_at, language,
          event_at, event_rank)
      select workspace_id, ${id}, schema_id, wallet, investor_id, external_id, 'pending', reserved.period, ${now},
        ${newId("sess")}, provider, provider_reference, redirect_url, ${addSeconds(now, IN_REVIEW_SECONDS)}, consented_at,
        wallet_proof_required, wallet_proved_at, language, event_at, event_rank
      from attestations, reserved where workspace_id = ${workspaceId} and id = ${row.id}
      returning id
    )
    select (select included from limits) as included, exists (select from attestation) as started`
  const { included, started } = only(rows)
  if (!started) await quotaExceeded(sql, workspaceId, included)
  const detail = { schema: row.schema_id, reversal_of: row.id }
  await recordChange(sql, workspaceId, { author, action: "session.started", subject: id, detail })
  return id
}
