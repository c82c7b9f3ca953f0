import type { PublicKey } from "@solana/web3.js"
import { deployment } from "#domain/deployment"
import { type MintPlace, mintPlace } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"

/** The address of a configuration's asset mint. It is derived, so a crash cannot change it. */
export const assetMintPlace = (workspaceId: string, configId: string): MintPlace =>
  mintPlace(deployment.mintBase.publicKey, { workspaceId, kind: "asset", name: configId })

export const assetMintOf = (workspaceId: string, configId: string): PublicKey =>
  assetMintPlace(workspaceId, configId).mint

/** The ledger's name for a wallet's account of a configuration. It keeps operations on the account in order. */
export const accountName = (configId: string, wallet: Address): string => `${configId}/${wallet}`
