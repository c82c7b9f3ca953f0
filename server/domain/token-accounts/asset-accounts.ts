import type { PublicKey } from "@solana/web3.js"
import type { Queryable } from "#db/client.ts"
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

/**
 * Which of these addresses are not investors' wallets but used by Vouch itself: its fee payers, and the workspace's
 * keys, mints and token accounts that Vouch has paid for. Each part reads by a primary key or reads a few rows of the
 * workspace.
 */
export const ownAmong = (sql: Queryable, workspaceId: string, addresses: readonly Address[]) =>
  sql<{ address: Address }[]>`
    select address from (
      select address from derived_keys
      union all select credential_mint from schemas where workspace_id = ${workspaceId}
      union all select mint from mint_configs where workspace_id = ${workspaceId}
      union all select address from workspace_authorities
      union all select address from workspace_fee_payers
      union all select address from fee_payers
      union all select account from paid_accounts where workspace_id = ${workspaceId}
    ) own where address = any(${addresses as Address[]}::text[])`

export const isOwn = (field: string, address: Address): string =>
  `${field}: ${address} is not a wallet: it is a key, a mint or a token account that Vouch uses. Send the address of the investor's wallet.`
