import { sql } from "#db/client.ts"
import { columns, type RowOf, timestamped } from "#db/rows.ts"
import { shownStatusAt } from "#domain/attestations"
import { providerLabel, unseal } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import {
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
import { type Finding, type ReviewDecision, reviewKinds } from "#shared/reviews.ts"
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

type DetailRow = SummaryRow & {
  version: number
  reason: Buffer | null
  public_reason: PublicReason | null
  claims: Buffer | null
  four_eyes: boolean
}

/** Everything that a member needs to decide. Errors: review_not_found. */
export async function readReview(principal: Principal, id: string) {
  if (!isId("rev", id)) return reviewNotFound(id)
  const { workspaceId, via } = principal
  const [row] = await sql<DetailRow[]>`
    select ${summaryFields()}, r.version, r.reason, r.public_reason, r.claims, c.four_eyes
    from ${reviewTables()} join workspaces w on w.id = r.workspace_id join accounts c on c.id = w.account_id
    where r.workspace_id = ${workspaceId} and r.id = ${id}`
  if (!row) return reviewNotFound(id)
  const { version, reason, public_reason, claims, four_eyes, ...summary } = row
  const [attestations, moments, lists] = await Promise.all([
    attestationsOf(principal, row),
    momentsOf(workspaceId, id),
    row.kind === "screening" && row.wallet !== null ? listsHolding(workspaceId, row.wallet, id) : [],
  ])
  const isOver = row.kind === "vendor" && attestations[0]?.status !== "pending"
  const me = via.kind === "user" ? via.userId : null
  return {
    ...toReviewSummary(summary),
    version,
    reason: reason && unseal(reasonOwner(id), reason),
    public_reason,
    /** Whether the vendor sent claims. Reading them is a separate request. */
    has_claims: claims !== null,
    /** Whether the vendor's country code is not of a country that rules can name. */
    country_unknown: openReviewClaims(id, claims).unknown_country !== undefined,
    /** Whether a decision must be confirmed by another member. */
    four_eyes,
    /** The decisions that the reader can make now. Empty if they can only confirm, or do nothing. */
    decisions: row.state === "open" && !isOver ? [...reviewKinds[row.kind].decisions] : ([] as ReviewDecision[]),
    /** Whether another member's decision waits for the reader's confirmation. */
    can_confirm: row.state === "requested" && row.requested_by?.id !== me,
    /** The attestations that it is about, newest first. */
    attestations,
    /** For a wallet list match, the lists that hold the wallet now, because no member has cleared it. */
    lists,
    moments,
  }
}

const attestationColumns = columns(
  "attestations",
  "id, schema_id, status, open_until, expires_at, revoked_at, provider, wallet, created_at, external_id",
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
