import { sql } from "#db/client.ts"
import { type Author, recordChange, theOperator } from "#server/trail/record.ts"

export type Erased =
  | { erased: number }
  /** Still in force: what it rests on cannot go before it does. */
  | { standing: { attestationId: string; status: "pending" | "verified" } }

/**
 * Erases what is known of the person behind a wallet: the claims, and the salts without which nobody can tie the
 * commitments on chain to a record any more. The rows stay, as they count against the quota and explain the ledger.
 * Does nothing while an attestation of the wallet is pending or verified.
 */
export const eraseWallet = ({
  workspaceId,
  wallet,
  author = theOperator,
}: {
  workspaceId: string
  wallet: string
  author?: Author
}): Promise<Erased> =>
  sql.begin(async (sql) => {
    const [standing] = await sql<{ id: string; status: "pending" | "verified" }[]>`
      select id, status from attestations
      where workspace_id = ${workspaceId} and wallet = ${wallet} and status in ('pending', 'verified')
      order by seq for update`
    if (standing) return { standing: { attestationId: standing.id, status: standing.status } }
    const erased = await sql`
      update attestations set claims = null, salt = null
      where workspace_id = ${workspaceId} and wallet = ${wallet} and (claims is not null or salt is not null)`
    await sql`
      update sandbox_submissions s set claims = null from attestations a
      where a.workspace_id = ${workspaceId} and a.wallet = ${wallet}
        and s.workspace_id = a.workspace_id and s.attestation_id = a.id and s.claims is not null`
    // A stored answer may hold a salt. Without it the key still joins what it began, and the answer is built anew.
    await sql`
      update idempotency_records r set status = null, body = null from attestations a
      where a.workspace_id = ${workspaceId} and a.wallet = ${wallet}
        and r.workspace_id = a.workspace_id and r.subject = a.id`
    if (erased.count > 0) {
      const detail = { attestations: erased.count }
      await recordChange(sql, workspaceId, { author, action: "wallet.erased", subject: wallet, detail })
    }
    return { erased: erased.count }
  })
