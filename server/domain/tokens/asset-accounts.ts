import type { PublicKey } from "@solana/web3.js"
import { deployment } from "#server/domain/deployment.ts"
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
