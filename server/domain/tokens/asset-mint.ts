import type { PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
import { deployment } from "#server/domain/deployment.ts"
import { enqueue } from "#server/ledger/enqueue.ts"
import { mintKeyOf, type Signer } from "#server/solana/keys.ts"

const CACHE_MAX = 10_000
const mintKeys = new Map<string, Signer>()

/** The key of a configuration's asset mint: derived, so that it is the same before and after any crash. */
export function assetMintKey(workspaceId: string, configId: string): Signer {
  const name = `${workspaceId}/${configId}`
  let key = mintKeys.get(name)
  if (!key) {
    key = mintKeyOf(deployment.signerSecret, workspaceId, "asset", configId)
    if (mintKeys.size >= CACHE_MAX) mintKeys.clear()
    mintKeys.set(name, key)
  }
  return key
}

export const assetMintOf = (workspaceId: string, configId: string): PublicKey =>
  assetMintKey(workspaceId, configId).publicKey

/** What the ledger calls a wallet's account of a configuration, to keep operations on it in their order. */
export const accountName = (configId: string, wallet: string): string => `${configId}/${wallet}`

/**
 * Enqueues the creation of configurations' mints, each once. Operations that read the mint wait for it by
 * themselves. Call it with the configurations locked, or just made.
 */
export async function ensureAssetMints(
  sql: Queryable,
  workspaceId: string,
  configIds: readonly string[],
): Promise<Map<string, string>> {
  const operations = new Map<string, string>()
  for (const configId of configIds) {
    const mint = assetMintOf(workspaceId, configId).toBase58()
    const claimed = await sql`
      update mint_configs set mint = ${mint}, pausable = transfer_mode = 'holder'
      where workspace_id = ${workspaceId} and id = ${configId} and mint is null returning id`
    if (claimed.length === 0) continue
    const operation = {
      workspaceId,
      kind: "create_asset_mint",
      payload: {},
      writes: [mint],
      reads: [],
      mintConfig: configId,
    }
    operations.set(configId, await enqueue(sql, operation))
  }
  return operations
}
