import type { Queryable } from "#db/client.ts"
import { enqueue } from "#server/ledger/enqueue.ts"
import { credentialAccounts } from "./credential.ts"
import { standingChanged } from "./standing.ts"

/**
 * Enqueues the burn of an attestation's credential. Whether there is still something to burn is seen when its
 * turn comes: a renewal that went before it has replaced the unit by its own.
 */
export async function withdrawCredential(
  sql: Queryable,
  attestation: { workspace_id: string; id: string; schema_id: string; wallet: string },
): Promise<void> {
  const { workspace_id, id, schema_id, wallet } = attestation
  const { mint, account } = credentialAccounts(workspace_id, schema_id, wallet)
  await enqueue(sql, {
    workspaceId: workspace_id,
    kind: "revoke",
    payload: { attestation_id: id, schema_id, wallet },
    writes: [account],
    reads: [mint],
    wallet,
  })
  await standingChanged(sql, { workspaceId: workspace_id, schemaId: schema_id, wallet })
}
