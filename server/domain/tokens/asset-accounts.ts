import type { PublicKey } from "@solana/web3.js"
import { deployment } from "#server/domain/deployment.ts"
import { mintKeyOf, type Signer } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"

/** The key of a configuration's asset mint: derived, so that it is the same before and after any crash. */
export const assetMintKey = (workspaceId: string, configId: string): Signer =>
  mintKeyOf(deployment.keys, workspaceId, "asset", configId)

export const assetMintOf = (workspaceId: string, configId: string): PublicKey =>
  assetMintKey(workspaceId, configId).publicKey

/** What the ledger calls a wallet's account of a configuration, to keep operations on it in their order. */
export const accountName = (configId: string, wallet: Address): string => `${configId}/${wallet}`
