import type { Queryable } from "#db/client.ts"
import { assetMintOf } from "#domain/token-accounts"
import { authorityForNew, enqueue } from "#server/ledger/index.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { createAssetMint } from "./operations/create-asset-mint.ts"

/**
 * Enqueues the creation of configurations' mints, once each. Operations that read the mint wait for it. Call it with
 * the configurations locked or newly inserted.
 */
export async function ensureAssetMints(
  sql: Queryable,
  workspaceId: string,
  configIds: readonly string[],
): Promise<Map<string, string>> {
  const operations = new Map<string, string>()
  for (const configId of configIds) {
    const mint = addressOf(assetMintOf(workspaceId, configId))
    const claimed = await sql`
      update mint_configs set mint = ${mint}, pausable = true, authority = ${authorityForNew(sql, workspaceId)}
      where workspace_id = ${workspaceId} and id = ${configId} and mint is null returning id`
    if (claimed.length === 0) continue
    const operation = { payload: { mint_config: configId }, writes: [mint], reads: [] }
    operations.set(configId, await enqueue(sql, workspaceId, createAssetMint, operation))
  }
  return operations
}

/** The configuration of an asset mint, whose creation may be lost together with its row; null if there is none. */
export async function configOfMint(sql: Queryable, workspaceId: string, mint: Address): Promise<string | null> {
  const rows = await sql<{ id: string }[]>`select id from mint_configs where workspace_id = ${workspaceId}`
  const config = rows.find(({ id }) => addressOf(assetMintOf(workspaceId, id)) === mint)
  if (!config) return null
  await ensureAssetMints(sql, workspaceId, [config.id])
  return config.id
}
