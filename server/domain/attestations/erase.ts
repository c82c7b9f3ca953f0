import { type Queryable, sql } from "#db/client.ts"
import { type Author, recordChange, theOperator } from "#server/domain/audit-log/record.ts"

export type Erased =
  | { erased: number }
  /** Still in force: what it rests on cannot go before it does. */
  | { standing: { attestationId: string; status: "pending" | "verified" } }

type Wallet = { workspaceId: string; wallet: string }

/**
 * Erases what is known of the person behind a wallet, wherever it was put (docs/security.md has the list): claims,
 * salts,
 * the customer's own id, reasons, the way back, stored answers, logged requests. Rows that count against the quota or
 * explain the ledger stay, with the wallet's address. Does nothing while an attestation of the wallet is pending or
 * verified.
 */
export const eraseWallet = ({ author = theOperator, ...of }: Wallet & { author?: Author }): Promise<Erased> =>
  sql.begin(async (sql) => {
    const { workspaceId, wallet } = of
    // Only these: a session that begins now is a new decision.
    const attestations = await sql<{ id: string; session_id: string; status: string }[]>`
      select id, session_id, status from attestations
      where workspace_id = ${workspaceId} and wallet = ${wallet} order by seq for update`
    for (const { id, status } of attestations) {
      if (status === "pending" || status === "verified") return { standing: { attestationId: id, status } }
    }
    const ids = attestations.map((one) => one.id)
    const erased = await sql`
      update attestations set claims = null, salt = null, external_id = null, redirect_url = null, public_reason = null,
        provider_reference = null, provider_link = null,
        reason = case reason when 'superseded' then reason end
      where workspace_id = ${workspaceId} and id = any(${ids}) and (
        num_nonnulls(claims, salt, external_id, redirect_url, public_reason, provider_reference, provider_link) > 0 or reason <> 'superseded')`
    await sql`
      update sandbox_submissions set claims = null
      where workspace_id = ${workspaceId} and attestation_id = any(${ids}) and claims is not null`
    // Their ids are the provider's words. What has ended ignores a repeat.
    await sql`delete from webhook_events where workspace_id = ${workspaceId} and attestation_id = any(${ids})`
    await eraseRefusals(sql, of)
    await eraseAnswers(sql, of, [...ids, ...attestations.map((one) => one.session_id)])
    await eraseRequests(sql, of, ids)
    if (erased.count > 0) {
      const detail = { attestations: erased.count }
      await recordChange(sql, workspaceId, { author, action: "wallet.erased", subject: wallet, detail })
    }
    return { erased: erased.count }
  })

/** The reason for a refused mint or transfer may reveal what its wallet lacks: a country, an accreditation. */
const eraseRefusals = (sql: Queryable, { workspaceId, wallet }: Wallet) => sql`
  update operations set error_detail = 'Erased.'
  where workspace_id = ${workspaceId} and (wallet = ${wallet} or from_wallet = ${wallet})
    and status = 'failed' and error_detail is not null`

/** Without its answer a key still joins what it began, and the answer is built anew. */
async function eraseAnswers(
  sql: Queryable,
  { workspaceId, wallet }: Wallet,
  begun: readonly string[],
): Promise<void> {
  await sql`
    update idempotency_records set status = null, body = null
    where workspace_id = ${workspaceId} and body is not null and (subject = any(${begun as string[]}) or subject in (
      select id from operations
      where workspace_id = ${workspaceId} and (wallet = ${wallet} or from_wallet = ${wallet})))`
  // A refusal began nothing.
  await sql`
    delete from idempotency_records
    where workspace_id = ${workspaceId} and subject is null and body is not null
      and strpos(convert_from(body, 'UTF8'), ${wallet}) > 0`
}

/** Of the log, all that names the wallet or one of its attestations. No index knows these: it is read as a whole. */
async function eraseRequests(sql: Queryable, { workspaceId, wallet }: Wallet, ids: readonly string[]) {
  await sql`set local statement_timeout = 0`
  await sql`
    delete from api_requests r
    where workspace_id = ${workspaceId} and exists (
      select from unnest(${[wallet, ...ids]}::text[]) as named
      where strpos(concat_ws(' ', r.path, r.request_body, r.response_body), named) > 0)`
}
