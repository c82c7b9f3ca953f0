import type { Queryable } from "#db/client.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { newId } from "#server/lib/ids.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { credentialMintOf } from "./credential-accounts.ts"
import { endPending, revokeCredential } from "./end.ts"

/** `att_…:commitment:unix seconds`, after the memo's prefix (`solana/memo.ts`). */
const MEMO = /^vouch:1:(att_[^:]+):([^:]+):(\d+)$/

const REASON = "Its verification was lost in a restore, so its credential was destroyed. Verify again."

/**
 * Ends a session whose approval was lost in a restore but whose credential is on chain. Otherwise it would be approved
 * again, and its id would be on chain twice. Returns what was issued; null if there is no such session.
 */
export async function endLostApproval(
  sql: Queryable,
  workspaceId: string,
  memo: string,
): Promise<{ schema_id: string; wallet: Address } | null> {
  const [, id, commitment, expiresAt] = MEMO.exec(memo) ?? []
  if (id === undefined) return null
  const now = clock.now()
  const [lost] = await sql<{ schema_id: string; wallet: Address }[]>`
    update attestations set commitment = ${commitment!}, issued_at = ${now},
      expires_at = ${new Date(Number(expiresAt) * 1000)}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'pending' and operation_id is null
    returning schema_id, wallet`
  if (!lost) return null
  const end = { status: "rejected", reason: REASON, revokedAt: now, now } as const
  await endPending(sql, { workspaceId, attestationId: id, ...end })
  return lost
}

/**
 * Has a credential burned that no attestation describes. No one could revoke it, and it would count for the wallet on
 * chain until the expiry in its memo. The facts in the memo are kept as the record of a revoked attestation.
 */
export async function destroyUnexplained(
  sql: Queryable,
  workspaceId: string,
  { memo, signature, mint, wallet }: Unexplained,
): Promise<void> {
  const [, id, commitment, expiresAt] = MEMO.exec(memo) ?? []
  if (id === undefined || wallet === null) return
  const schemas = await sql<{ id: string }[]>`select id from schemas where workspace_id = ${workspaceId}`
  const schema = schemas.find((one) => credentialMintOf(workspaceId, one.id).toBase58() === mint)
  if (!schema) return
  const now = clock.now()
  const period = periodOf(now)
  const expires = new Date(Number(expiresAt) * 1000)
  const recorded = await sql`
    insert into attestations
      (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider, issued_at, expires_at,
        commitment, onchain_tx, verified_at, ended_at, revoked_at, reason)
    values (${workspaceId}, ${id}, ${schema.id}, ${wallet}, 'rejected', ${period}, ${now}, ${newId("sess")}, 'restored',
      ${now}, ${expires}, ${commitment!}, ${signature}, ${now}, ${now}, ${now}, ${REASON})
    on conflict do nothing returning id`
  if (recorded.length > 0)
    await sql`
      insert into usage_periods (workspace_id, period, used) values (${workspaceId}, ${period}, 1)
      on conflict (workspace_id, period) do update set used = usage_periods.used + 1`
  const held = await sql`
    insert into credentials (workspace_id, schema_id, wallet, attestation_id)
    values (${workspaceId}, ${schema.id}, ${wallet}, ${id})
    on conflict (workspace_id, schema_id, wallet) do update set attestation_id = excluded.attestation_id
      where credentials.attestation_id is null
    returning wallet`
  // On chain, this unit has replaced the one in the books, and both are burned together.
  if (held.length > 0)
    await revokeCredential(sql, {
      workspace_id: workspaceId,
      id,
      schema_id: schema.id,
      wallet: wallet as Address,
    })
}
