import type { Fragment } from "postgres"
import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { enqueue, voidPlans } from "#server/ledger/index.ts"
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
export const enqueueReconcile = (sql: Queryable, workspaceId: string, configId: string, wallet: Address) =>
  enqueue(sql, workspaceId, reconciliation, {
    payload: { mint_config: configId, wallet },
    writes: [accountName(configId, wallet)],
    reads: [addressOf(assetMintOf(workspaceId, configId))],
  })

/** Reconciles a wallet's accounts in holder mode. In agent mode they stay frozen anyway. */
async function reconcileHeld(sql: Queryable, workspaceId: string, wallet: Address, which: Fragment): Promise<void> {
  const rows = await sql<{ id: string }[]>`
    select c.id from mint_configs c join holdings h
      on h.workspace_id = c.workspace_id and h.mint_config = c.id and h.wallet = ${wallet}
    where c.workspace_id = ${workspaceId} and c.transfer_mode = 'holder' ${which}`
  for (const { id } of rows) await enqueueReconcile(sql, workspaceId, id, wallet)
}

/** Reconciles a wallet's accounts after a change of its verification for a schema, in the transaction of the change. */
export const reconcileVerified = (
  sql: Queryable,
  { workspaceId, schemaId, wallet }: { workspaceId: string; schemaId: string; wallet: Address },
): Promise<void> => reconcileHeld(sql, workspaceId, wallet, sql`and c.required_schema = ${schemaId}`)

/**
 * Freezes or opens a wallet's accounts, of every token or of one, in the transaction that changes whether they may be
 * open. It voids plans first: a mint that was saved before has its holding, so its account is found here, and later ones
 * respect the change.
 */
export async function followFreeze(
  sql: Queryable,
  { workspaceId, wallet, mintConfig }: { workspaceId: string; wallet: Address; mintConfig: string | null },
): Promise<void> {
  await voidPlans(sql, workspaceId)
  await reconcileHeld(sql, workspaceId, wallet, mintConfig === null ? sql`` : sql`and c.id = ${mintConfig}`)
}
