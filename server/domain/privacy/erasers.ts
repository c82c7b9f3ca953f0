import type { Queryable } from "#db/client.ts"
import { personalColumns } from "#domain/attestations"
import { eraseReviews } from "#domain/reviews"
import { reopenErased } from "#domain/screening"
import { holdArchive } from "#server/ledger/index.ts"
import { eraseSearches } from "./erase-searches.ts"
import type { Subject } from "./subject.ts"

/** Reasons are handled separately, because some are Vouch's: replaced by a renewal, or ended by this erasure. */
const emptied = Object.fromEntries(
  personalColumns.filter((column) => column !== "reason" && column !== "public_reason").map((column) => [column, null]),
)

const ids = ({ attestations }: Subject) => attestations.map((one) => one.id)

/** All places with personal data, and how to erase each. `kept.ts` documents the same. */
export const erasers: readonly ((sql: Queryable, of: Subject) => Promise<unknown>)[] = [
  eraseSearches,

  // The hosted page must not suggest that a check of the person failed.
  (sql, of) => sql`
    update attestations set ${sql(emptied)}, reason = case reason when 'superseded' then reason end,
      public_reason = case when revoked_at = ${of.now} then 'withdrawn' end, erased_at = ${of.now}
    where workspace_id = ${of.workspaceId} and id = any(${ids(of)}) and erased_at is null`,

  (sql, of) => sql`
    update investors set external_id = null, wallet = null, erased_at = ${of.now}
    where workspace_id = ${of.workspaceId} and erased_at is null
      and (id = any(${[...of.investorIds]}) or merged_into = any(${[...of.investorIds]}))`,

  (sql, of) => sql`
    update sandbox_submissions set claims = null
    where workspace_id = ${of.workspaceId} and attestation_id = any(${ids(of)}) and claims is not null`,

  (sql, of) => sql`
    delete from renewal_notices where workspace_id = ${of.workspaceId} and attestation_id = any(${ids(of)})`,

  // Event ids are data from the provider. Ended attestations ignore repeats anyway.
  (sql, of) => sql`
    delete from webhook_events where workspace_id = ${of.workspaceId} and attestation_id = any(${ids(of)})`,

  (sql, { workspaceId, investorIds }) => sql`
    delete from investor_notes where workspace_id = ${workspaceId} and investor_id = any(${[...investorIds]})`,

  (sql, of) => eraseReviews(sql, of.workspaceId, { ...of, attestationIds: ids(of) }),
  (sql, of) => reopenErased(sql, of.workspaceId, of.wallets),

  // Requests that wait for approval become void, because they are no longer what was requested.
  (sql, of) => sql`
    update approvals set request = request - array['reason', 'public_reason']
    where workspace_id = ${of.workspaceId} and request ?| array['reason', 'public_reason'] and (subject = any(${ids(of)})
      or (action = 'attestation_revoke_bulk' and (request -> 'attestation_ids' ?| ${ids(of)}::text[]
        or exists (select from bulk_revocation_items i where i.workspace_id = approvals.workspace_id
          and i.revocation_id = approvals.subject and i.attestation_id = any(${ids(of)})))))`,

  eraseRefusals,
  eraseAnswers,
  eraseRequests,
]

/** The reason for a refused mint or transfer may reveal what its wallet lacks: a country, an accreditation. */
async function eraseRefusals(sql: Queryable, { workspaceId, wallets }: Subject): Promise<void> {
  await holdArchive(sql, workspaceId)
  await sql`
    update operations set error_detail = 'Erased.'
    where workspace_id = ${workspaceId} and (wallet = any(${[...wallets]}) or from_wallet = any(${[...wallets]}))
      and status = 'failed' and error_detail is not null`
}

/**
 * Without its stored answer, an idempotency key still finds what it began, and the answer is computed again. An answer
 * that is being stored at this moment finds the mark.
 */
async function eraseAnswers(sql: Queryable, of: Subject): Promise<void> {
  const { workspaceId, wallets } = of
  const begun = of.attestations.flatMap(({ id, session_id }) => [id, session_id])
  await sql`
    update idempotency_records set status = null, body = null, erased = true
    where workspace_id = ${workspaceId} and not erased and (subject = any(${begun}) or subject in (
      select id from approvals where workspace_id = ${workspaceId} and subject = any(${ids(of)})
      union all select id from operations
      where workspace_id = ${workspaceId} and (wallet = any(${[...wallets]}) or from_wallet = any(${[...wallets]}))))`
  // A refusal began nothing.
  await sql`
    delete from idempotency_records
    where workspace_id = ${workspaceId} and subject is null and body is not null and exists (
      select from unnest(${[...wallets]}::text[]) as named where strpos(convert_from(body, 'UTF8'), named) > 0)`
}

/**
 * Deletes log rows that name a wallet or an attestation. No index has these, so it reads the whole log. `clearRequests`
 * deletes those that are being written at this moment.
 */
async function eraseRequests(sql: Queryable, of: Subject): Promise<void> {
  await sql`set local statement_timeout = 0`
  await sql`
    delete from api_requests r
    where workspace_id = ${of.workspaceId} and exists (
      select from unnest(${[...of.wallets, ...ids(of), ...of.investorIds]}::text[]) as named
      where strpos(concat_ws(' ', r.path, r.request_body, r.response_body), named) > 0)`
}
