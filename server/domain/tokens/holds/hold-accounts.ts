import type { PublicKey } from "@solana/web3.js"
import { type Queryable, background as sql } from "#db/client.ts"
import { assetMintOf } from "#domain/token-accounts"
import { issuedBy } from "#server/ledger/index.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import type { Held } from "#server/solana/asset.ts"
import { holdPlace } from "#server/solana/asset-hold.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import { readTokenAccount } from "#server/solana/token-account.ts"
import type { Address } from "#shared/address.ts"
import { loadConfigs } from "../config.ts"
import { type HoldingKey, keyName, listed } from "../holder-facts.ts"
import type { TakenHolds } from "../operations/forced.ts"

/** The account that a wallet's holds are in, or will be in. `amount` is null while it does not exist. */
export type HoldAccount = { account: Address; amount: bigint | null }

/**
 * Reads wallets' hold accounts. An account keeps its address when the mint gets another authority. So each key that was
 * the workspace's authority is a candidate, and the account that exists is the one. If none does, the mint's current
 * authority will create it.
 */
export async function readHoldAccounts(
  { workspaceId, rpc }: { workspaceId: string; rpc: Rpc },
  keys: readonly HoldingKey[],
  options: ReadOptions,
): Promise<(key: HoldingKey) => HoldAccount> {
  const [configs, authorities, recorded] = await Promise.all([
    loadConfigs(sql, workspaceId, [...new Set(keys.map(({ config }) => config))], { lock: false }),
    issuedBy(sql, workspaceId),
    sql<Recorded[]>`
      select distinct h.mint_config as config, h.wallet, h.account
      from holds h join ${listed(sql, keys)} on h.mint_config = t.config and h.wallet = t.wallet
      where h.workspace_id = ${workspaceId} and h.state = 'active' and h.account is not null`,
  ])
  // All holds of a wallet are in one account.
  const inUse = new Map(recorded.map((one) => [keyName(one), one.account]))
  const candidates = keys.flatMap((key): { key: HoldingKey; account: PublicKey }[] => {
    const known = inUse.get(keyName(key))
    if (known) return [{ key, account: publicKeyOf(known) }]
    const bases = new Set([configs.get(key.config)!.authority!, ...authorities])
    const mint = assetMintOf(workspaceId, key.config)
    const wallet = publicKeyOf(key.wallet)
    return [...bases].map((base) => ({ key, account: holdPlace(publicKeyOf(base), mint, wallet).account }))
  })
  const addresses = candidates.map(({ account }) => account)
  const { value } = await rpc.accounts(addresses, options)
  const found = new Map<string, HoldAccount>()
  for (const [i, { key, account }] of candidates.entries()) {
    const seen = readTokenAccount(account, value[i], assetMintOf(workspaceId, key.config))
    const before = found.get(keyName(key))
    if (before === undefined || (before.amount === null && seen !== null))
      found.set(keyName(key), { account: addressOf(account), amount: seen?.amount ?? null })
  }
  return (key) => found.get(keyName(key))!
}

type Recorded = HoldingKey & { account: Address }

/** The accounts that wallets' holds are in, or are about to be in. Most wallets have none. */
export async function holdAccountsOf(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
): Promise<Recorded[]> {
  const rows = await sql<Recorded[]>`
    select distinct h.mint_config as config, h.wallet, coalesce(h.account, h.next_account) as account
    from holds h join (select distinct * from ${listed(sql, keys)}) t on h.mint_config = t.config and h.wallet = t.wallet
    where h.workspace_id = ${workspaceId} and h.state in ('pending', 'active')
      and (h.account is not null or h.next_account is not null)`
  return [...rows]
}

/** What is in hold accounts according to the books. It includes what unfinished operations take. */
export async function readHeldOnChain(
  sql: Queryable,
  workspaceId: string,
  accounts: readonly Address[],
): Promise<(account: Address) => bigint> {
  const rows = await sql<{ account: Address; held: string }[]>`
    select h.account, sum(h.remaining + h.taking)::text as held from holds h
    where h.workspace_id = ${workspaceId} and h.state = 'active' and h.account is not null and h.account = any(${accounts as Address[]})
    group by h.account`
  const held = new Map(rows.map(({ account, held }) => [account, BigInt(held)]))
  return (account) => held.get(account) ?? 0n
}

/** What operations take out of hold accounts. In agent mode, holds are only in the books. */
export async function heldOnChain(
  sql: Queryable,
  workspaceId: string,
  operations: readonly { payload: TakenHolds }[],
): Promise<(operation: { payload: TakenHolds }) => Held[]> {
  const taken = operations.flatMap(({ payload: { holds = [] } }) => holds)
  if (taken.length === 0) return () => []
  const rows = await sql<{ id: string; account: Address }[]>`
    select id, account from holds
    where workspace_id = ${workspaceId} and id = any(${taken.map(({ id }) => id)}) and account is not null`
  const accounts = new Map(rows.map(({ id, account }) => [id, account]))
  return ({ payload: { holds = [] } }) => {
    const sums = new Map<Address, bigint>()
    for (const { id, amount } of holds) {
      const account = accounts.get(id)
      if (account) sums.set(account, (sums.get(account) ?? 0n) + amount)
    }
    return [...sums].map(([account, amount]) => ({ account: publicKeyOf(account), amount }))
  }
}
