import type { Queryable } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { revokeCredential } from "./revoke-credential.ts"

const REASON = "The wallet belongs to another person."

/**
 * Ends what other people have verified with each of these wallets. Otherwise one person would get tokens through
 * another person's verification. Call it in the transaction that changes the owner or verifies a wallet; the caller
 * publishes `ledger` and the activity after the commit. If two such transactions run at once for a wallet, the second
 * waits here for the first and sees its change. Otherwise each would miss the other's.
 */
export async function endOthers(
  sql: Queryable,
  { workspaceId, wallets, now }: { workspaceId: string; wallets: readonly Address[]; now: Date },
): Promise<void> {
  if (wallets.length === 0) return
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} `} || wallet, 0))
    from (select distinct unnest(${wallets as Address[]}::text[]) as wallet order by 1) w`
  const ended = await sql<{ workspace_id: string; id: string; schema_id: string; wallet: Address }[]>`
    update attestations a set status = 'expired', reason = ${REASON}, ended_at = ${now}
    where a.workspace_id = ${workspaceId} and a.wallet = any(${wallets as Address[]}) and a.status = 'verified'
      and a.investor_id <> (select investor_id from wallet_owner(a.workspace_id, a.wallet))
    returning a.workspace_id, a.id, a.schema_id, a.wallet`
  for (const attestation of ended) await revokeCredential(sql, attestation)
}
