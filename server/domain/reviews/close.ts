import type { Fragment } from "postgres"
import type { Queryable } from "#db/client.ts"
import { type Change, recordChanges, vouch } from "#domain/audit-log"
import { clock } from "#server/lib/time.ts"
import type { ReviewEnding } from "#shared/reviews.ts"

type Ending = Exclude<ReviewEnding, "decided">

/** Closes open reviews in the transaction that leaves nothing to decide. Decisions that wait for confirmation end. */
export async function closeReviews(sql: Queryable, workspaceId: string, which: Fragment, ending: Ending) {
  const closed = await sql<{ id: string }[]>`
    update reviews set state = 'closed', ending = ${ending}, closed_at = ${clock.now()}, claims = null, approved_claims = null,
      decision = null, reason = null, public_reason = null, requested_by = null, requested_at = null
    where workspace_id = ${workspaceId} and state <> 'closed' and ${which}
    returning id`
  await recordClosed(sql, workspaceId, closed, ending)
}

async function recordClosed(sql: Queryable, workspaceId: string, closed: readonly { id: string }[], ending: Ending) {
  const detail = { ending }
  const changes = closed.map(({ id }): Change => ({ author: vouch, action: "review.closed", subject: id, detail }))
  if (changes.length > 0) await recordChanges(sql, workspaceId, changes)
}

/** Closes the reviews that vendors opened for attestations, or a reversal that a vendor withdrew. */
export const closeVendorReviews = (
  sql: Queryable,
  workspaceId: string,
  attestationIds: readonly string[],
  ending: Ending,
  kind: "vendor" | "reversal" = "vendor",
): Promise<void> =>
  closeReviews(sql, workspaceId, sql`attestation_id = any(${attestationIds as string[]}) and kind = ${kind}`, ending)

/**
 * Empties reviews of wallets, attestations or investors: findings, notes, reasons and claims. Open reviews close,
 * because nothing is left to decide. Who decided what, and when, stays.
 */
export async function eraseReviews(
  sql: Queryable,
  workspaceId: string,
  of: { wallets: readonly string[]; attestationIds: readonly string[]; investorIds: readonly string[] },
): Promise<void> {
  // In a separate statement, so that the next one sees notes that were being written at the same time.
  const concerned = await sql<{ id: string; state: string }[]>`
    select id, state from reviews
    where workspace_id = ${workspaceId} and ((wallet = any(${[...of.wallets]}) and attestation_id is null)
      or attestation_id = any(${[...of.attestationIds]})
      or investor_id in (select i.id from investors i where i.workspace_id = ${workspaceId}
        and (i.id = any(${[...of.investorIds]}) or i.merged_into = any(${[...of.investorIds]}))))
    for update`
  const ids = concerned.map(({ id }) => id)
  await sql`
    update review_entries set text = null
    where workspace_id = ${workspaceId} and review_id = any(${ids}) and text is not null`
  const now = clock.now()
  await sql`
    update reviews set reason = null, claims = null, approved_claims = null, public_reason = null,
      decision = case when state = 'closed' then decision end,
      requested_by = case when state = 'closed' then requested_by end, state = 'closed',
      closed_at = coalesce(closed_at, ${now}), ending = coalesce(ending, 'erased'), erased_at = coalesce(erased_at, ${now})
    where workspace_id = ${workspaceId} and id = any(${ids})`
  const closed = concerned.filter(({ state }) => state !== "closed")
  await recordClosed(sql, workspaceId, closed, "erased")
}
