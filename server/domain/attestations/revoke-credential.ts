import type { Queryable } from "#db/client.ts"
import { followVerification } from "#domain/token-accounts"
import { enqueue, voidPlans } from "#server/ledger/index.ts"
import type { Address } from "#shared/address.ts"
import { credentialAccounts } from "./credential-accounts.ts"
import { revoke } from "./operations/revoke.ts"

/**
 * Enqueues the burn of an attestation's credential. The ledger checks whether there is still something to burn when it
 * runs: a renewal may have replaced the unit before that.
 */
export async function revokeCredential(
  sql: Queryable,
  attestation: { workspace_id: string; id: string; schema_id: string; wallet: Address },
): Promise<void> {
  const { workspace_id, id, schema_id, wallet } = attestation
  const { mint, account } = credentialAccounts(workspace_id, schema_id, wallet)
  await enqueue(sql, workspace_id, revoke, {
    payload: { attestation_id: id, schema_id, wallet },
    writes: [account],
    reads: [mint],
  })
  await followVerification(sql, { workspaceId: workspace_id, schemaId: schema_id, wallet })
  await voidPlans(sql, workspace_id)
}
