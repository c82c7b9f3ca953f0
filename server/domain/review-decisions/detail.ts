import { sql } from "#db/client.ts"
import { columns, type RowOf, timestamped } from "#db/rows.ts"
import { bindingPolicy, loadBinding } from "#domain/approvals"
import { readContradictions, shownStatusAt } from "#domain/attestations"
import { providerLabel, unseal, vendorPage } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import {
  awaitsApproval,
  entryOwner,
  openReviewClaims,
  reasonOwner,
  reviewNotFound,
  reviewTables,
  type SummaryRow,
  summaryFields,
  toReviewSummary,
} from "#domain/reviews"
import { listsHolding } from "#domain/screening"
import { isId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { ReviewDecision } from "#shared/review-decisions.ts"
import { type Finding, reviewKinds } from "#shared/reviews.ts"
import type { AuditActor } from "#shared/statuses.ts"

/** A finding, note or action in a review's history. */
type ReviewMoment = {
  at: string
  by: { kind: AuditActor; name: string }
  /** An action of the audit log, or `found` and `noted`. */
  event: string
  finding: Finding | null
  text: string | null
  detail: Record<string, unknown>
}

const MOST_ATTESTATIONS = 20

/** A decision, as policies tell it from other requests. */
const DECISION = { action: "review_decision", mint_config: null, amount: null, isForced: false } as const

type DetailRow = SummaryRow & {
  version: number
  reason: Buffer | null
  public_reason: PublicReason | null
  claims: Buffer | null
  /** The approval that a decision waits for. */
  approval_id: string | null
}

/** Everything that a member needs to decide. Errors: review_not_found. */
export async function readReview(principal: Principal, id: string) {
  if (!isId("rev", id)) return reviewNotFound(id)
  const { workspaceId } = principal
  const [row] = await sql<DetailRow[]>`
    select ${summaryFields()}, r.version, r.reason, r.public_reason, r.claims, (select p.id from approvals p
      where ${awaitsApproval(sql)} and p.workspace_id = r.workspace_id and p.subject = r.id and p.state = 'pending'
      order by p.seq desc limit 1) as approval_id
    from ${reviewTables()} where r.workspace_id = ${workspaceId} and r.id = ${id}`
  if (!row) return reviewNotFound(id)
  const { version, reason, public_reason, claims, approval_id, ...summary } = row
  const isShown = row.state !== "open"
  const sent = openReviewClaims(id, claims)
  const [attestations, moments, binding, lists, contradicting] = await Promise.all([
    attestationsOf(principal, row),
    momentsOf(workspaceId, id),
    loadBinding(sql, workspaceId),
    row.kind === "screening" && row.wallet !== null ? listsHolding(workspaceId, row.wallet, id) : [],
    readContradictions(principal, row.investor_id, row.state === "open" ? sent : {}),
  ])
  const isOver = row.kind === "vendor" && attestations[0]?.status !== "pending"
  return {
    ...toReviewSummary(summary),
    version,
    reason: isShown && reason !== null ? unseal(reasonOwner(id), reason) : null,
    public_reason: isShown ? public_reason : null,
    /** Whether the vendor sent claims. Reading them is a separate request. */
    has_claims: claims !== null,
    /** Whether the vendor's country code is not of a country that rules can name. */
    country_unknown: sent.unknown_country !== undefined,
    /** The claims on which the person's verifications, and those sent for an open review, contradict each other. */
    contradicting,
    /** How many further members must approve a decision. */
    approvals_needed: bindingPolicy(binding, DECISION)?.approvals ?? 0,
    approval_id,
    /** The decisions that the reader can make now. */
    decisions: row.state === "open" && !isOver ? [...reviewKinds[row.kind].decisions] : ([] as ReviewDecision[]),
    /** The attestations that it is about, newest first. */
    attestations,
    /** For a wallet list match, the lists that hold the wallet now, because no member has cleared it. */
    lists,
    moments,
  }
}

const attestationColumns = columns(
  "attestations",
  "id, schema_id, status, open_until, expires_at, revoked_at, provider, provider_reference, wallet, created_at",
  "external_id",
)

async function attestationsOf({ workspaceId, mode }: Principal, row: DetailRow) {
  const { attestation_id, wallet, investor_id } = row
  const which =
    attestation_id !== null
      ? sql`id = ${attestation_id}`
      : wallet !== null
        ? sql`wallet = ${wallet}`
        : sql`investor_id = ${investor_id}`
  const rows = await sql<RowOf<typeof attestationColumns>[]>`
    select ${sql(attestationColumns)} from attestations where workspace_id = ${workspaceId} and ${which}
    order by seq desc nulls last limit ${MOST_ATTESTATIONS}`
  const now = clock.now()
  return rows.map((one) => ({
    attestation_id: one.id,
    schema: one.schema_id,
    status: shownStatusAt(one, now),
    provider: providerLabel(mode, one.provider),
    /** The vendor's own page about the check, if it has a documented address. */
    provider_page: vendorPage(mode, one.provider, one.provider_reference),
    wallet: one.wallet,
    started_at: toTimestamp(one.created_at),
    external_id: one.external_id,
  }))
}

/** Findings, notes and entries of the audit log about the review, in order. */
async function momentsOf(workspaceId: string, reviewId: string): Promise<ReviewMoment[]> {
  const [entries, audited] = await Promise.all([
    sql<{ at: Date; finding: Finding | null; author_name: string | null; text: Buffer | null }[]>`
      select at, finding, author_name, text from review_entries
      where workspace_id = ${workspaceId} and review_id = ${reviewId} order by seq`,
    sql<{ at: Date; actor: AuditActor; actor_name: string; action: string; detail: Record<string, unknown> }[]>`
      select at, actor, actor_name, action, detail from audit_entries
      where account_id = (select account_id from workspaces where id = ${workspaceId})
        and workspace_id = ${workspaceId} and subject = ${reviewId}
        and action not in ('review.opened', 'review.found', 'claims.viewed', 'review.noted')
      order by seq`,
  ])
  const said = entries.map(({ at, finding, author_name, text }) => ({
    at,
    by:
      author_name === null ? { kind: "system" as const, name: "Vouch" } : { kind: "user" as const, name: author_name },
    event: finding === null ? "noted" : "found",
    finding,
    text: text && unseal(entryOwner(reviewId), text),
    detail: {},
  }))
  const done = audited.map(({ at, actor, actor_name, action, detail }) => ({
    at,
    by: { kind: actor, name: actor_name },
    event: action,
    finding: null,
    text: null,
    detail,
  }))
  return [...said, ...done].sort((a, b) => a.at.getTime() - b.at.getTime()).map(timestamped)
}
