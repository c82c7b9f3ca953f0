import type { Queryable } from "#db/client.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { authorityOf } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"
import { type Mode, modes } from "#shared/mode.ts"
import { deployment } from "./deployment.ts"

/** Addresses that derive or were configured: those that take no query. */
function isKey(workspaceId: string, address: Address): boolean {
  const { chains, keys, authorities } = deployment
  return (
    addressOf(authorityOf(keys, workspaceId).publicKey) === address ||
    modes.some((mode: Mode) => {
      const chain = chains[mode]
      if (authorities[mode]?.address === address) return true
      return (
        chain !== null &&
        (addressOf(chain.feePayer.publicKey) === address || addressOf(chain.payerMarker) === address)
      )
    })
  )
}

/**
 * Which of these are not wallets but addresses that Vouch itself uses: its fee payers, and the workspace's keys, mints and
 * the token accounts that it has paid for. Each part reads by a primary key or a few rows of the workspace.
 */
export const ownAmong = (sql: Queryable, workspaceId: string, addresses: readonly Address[]) => {
  const keys = addresses.filter((address) => isKey(workspaceId, address))
  return sql<{ address: Address }[]>`
    select address from (
      select key as address from unnest(${keys}::text[]) as key
      union all select credential_mint from schemas where workspace_id = ${workspaceId}
      union all select mint from mint_configs where workspace_id = ${workspaceId}
      union all select address from workspace_authorities where workspace_id = ${workspaceId}
      union all select address from workspace_fee_payers where workspace_id = ${workspaceId}
      union all select address from fee_payers
      union all select account from paid_accounts where workspace_id = ${workspaceId}
    ) own where address = any(${addresses as Address[]}::text[])`
}

export const isOwn = (field: string, address: Address): string =>
  `${field}: ${address} is not a wallet: it is a key, a mint or a token account that Vouch uses. Send the address of the investor's wallet.`
