import type { Queryable } from "#db/client.ts"
import type { Address } from "#shared/address.ts"

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
