import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { enqueue } from "#server/ledger/index.ts"
import { storedAddress } from "#server/lib/fields.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { accountName, assetMintOf } from "./asset-accounts.ts"

/** The operation that freezes or thaws an account. `tokens/operations/reconcile-account.ts` does it. */
export const reconciliation = {
  // Stored in rows, so it keeps its first name.
  kind: "align_account",
  isUrgent: true,
  payload: z.object({ mint_config: z.string(), wallet: storedAddress }),
} as const

/** Enqueues reconciling a wallet's account. Its target state is decided when the operation runs. */
export async function enqueueReconcile(
  sql: Queryable,
  workspaceId: string,
  configId: string,
  wallet: Address,
): Promise<void> {
  await enqueue(sql, workspaceId, reconciliation, {
    payload: { mint_config: configId, wallet },
    writes: [accountName(configId, wallet)],
    reads: [addressOf(assetMintOf(workspaceId, configId))],
  })
}

/**
 * Reconciles a wallet's accounts after it was verified for a schema or lost its verification, unless they stay frozen
 * in either case. Call it in the transaction of the change, so that both happen or neither.
 */
export async function followVerification(
  sql: Queryable,
  { workspaceId, schemaId, wallet }: { workspaceId: string; schemaId: string; wallet: Address },
): Promise<void> {
  const rows = await sql<{ id: string }[]>`
    select c.id from mint_configs c join holdings h
      on h.workspace_id = c.workspace_id and h.mint_config = c.id and h.wallet = ${wallet}
    where c.workspace_id = ${workspaceId} and c.required_schema = ${schemaId} and c.transfer_mode = 'holder'`
  for (const { id } of rows) await enqueueReconcile(sql, workspaceId, id, wallet)
}
