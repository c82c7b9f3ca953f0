import type { PublicKey } from "@solana/web3.js"
import { deployment } from "#server/domain/deployment.ts"
import { type MintPlace, mintPlace } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"

/** Where a configuration's asset mint is: derived, so that it is the same before and after any crash. */
export const assetMintPlace = (workspaceId: string, configId: string): MintPlace =>
  mintPlace(deployment.mintBase.publicKey, { workspaceId, kind: "asset", name: configId })

export const assetMintOf = (workspaceId: string, configId: string): PublicKey =>
  assetMintPlace(workspaceId, configId).mint

/** What the ledger calls a wallet's account of a configuration, to keep operations on it in their order. */
export const accountName = (configId: string, wallet: Address): string => `${configId}/${wallet}`
