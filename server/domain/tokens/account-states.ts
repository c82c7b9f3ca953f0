import type { PublicKey } from "@solana/web3.js"
import { type Queryable, background as sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { assetMintOf } from "#domain/token-accounts"
import { confirmNothingToDo, hasOneNode, type Lookup, type Operation } from "#server/ledger/index.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { AccountState } from "#server/solana/asset.ts"
import { decodeInstructions } from "#server/solana/decode.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import { readTokenAccount } from "#server/solana/token-account.ts"
import { messageIn } from "#server/solana/transaction.ts"
import type { Address } from "#shared/address.ts"
import { type ConfigRow, isBeingReconciled } from "./config.ts"
import { type HoldingKey, keyName, listed } from "./holder-facts.ts"
import { holdAccountsOf } from "./holds/hold-accounts.ts"

/** A wallet's main account, and what is in its hold account if that was read, too. */
export type AssetAccount = { state: AccountState; amount: bigint; held: bigint; isHoldOpen: boolean }

/** Accounts as they were on chain at a slot. `accounts` are in the order of the keys. */
export type SeenAccounts = {
  slot: number
  accounts: readonly AssetAccount[]
  accountOf: (key: HoldingKey) => AssetAccount | null
}

export const lookUpAccounts = (
  operations: readonly Operation<OfHolders>[],
  { workspaceId, chain }: Lookup,
): Promise<SeenAccounts> => readAccountsNow(sql, { workspaceId, rpc: chain.rpc }, operations.flatMap(holdingKeysOf))

/** `isSure`: two reads agree on what decides the operation: no account is thawed, or the sender's is absent. */
export type ConfirmedAccounts = SeenAccounts & { isSure: (operation: { id: string }) => boolean }

type IsClosed = (accountOf: SeenAccounts["accountOf"], operation: Operation<OfHolders>) => boolean

const lookUpAndConfirm = async (
  operations: readonly Operation<OfHolders>[],
  at: Lookup,
  isClosed: IsClosed,
): Promise<ConfirmedAccounts> => {
  const { workspaceId, chain } = at
  const seen = await lookUpAccounts(operations, at)
  const closed = operations.filter((operation) => isClosed(seen.accountOf, operation))
  const about = { ids: closed.map(({ id }) => id), slot: seen.slot }
  const sure = await confirmNothingToDo(chain, about, async (ids, rpc, options) => {
    const again = closed.filter(({ id }) => ids.includes(id))
    const { accountOf } = await readAccounts({ workspaceId, rpc }, again.flatMap(holdingKeysOf), options)
    const still = again.filter((one) => isClosed(accountOf, one))
    return (id) => still.some((one) => one.id === id)
  })
  return { ...seen, isSure: ({ id }) => sure.has(id) }
}

/** `isContested`: the only node reports an account as closed that Vouch's own last transaction left open. */
export type ConfirmedFrozen = ConfirmedAccounts & { isContested: (operation: { id: string }) => boolean }

/** Reads accounts that are to be frozen. `isSure` means that none of the operation's accounts is thawed. */
export const lookUpToFreeze = async (
  operations: readonly Operation<{ mint_config: string; wallet: Address }>[],
  at: Lookup,
): Promise<ConfirmedFrozen> => {
  const seen = await lookUpAndConfirm(operations, at, (accountOf, operation) =>
    holdingKeysOf(operation).every((key) => accountOf(key)?.state !== "thawed"),
  )
  const contested = hasOneNode(at.chain) ? await thawedByLastTransaction(operations.filter(seen.isSure)) : null
  return { ...seen, isContested: ({ id }) => contested?.has(id) ?? false }
}

export const lookUpToTake = (operations: readonly Operation<OfHolders>[], at: Lookup) =>
  lookUpAndConfirm(operations, at, (accountOf, { payload: { mint_config, from_wallet } }) => {
    const key = from_wallet && { config: mint_config, wallet: from_wallet }
    return key !== undefined && accountOf(key)?.state === "absent"
  })

/** The accounts that an operation affects: the receiver's and the sender's. */
export type OfHolders = { mint_config: string; wallet?: Address; from_wallet?: Address }

export const holdingKeysOf = ({ payload }: { payload: OfHolders }): HoldingKey[] => {
  const { mint_config, wallet, from_wallet } = payload
  return [from_wallet, wallet].flatMap((wallet) => (wallet === undefined ? [] : { config: mint_config, wallet }))
}

/**
 * The state of operations' accounts before they run; null if the chain must be read. In agent mode every account is
 * frozen between operations, and only an empty one can have been closed. In holder mode, holders open and close their
 * accounts freely, so the chain is read. It is also read for an operation that failed before or is redone.
 */
export async function accountStates<Payload extends OfHolders>(
  sql: Queryable,
  workspaceId: string,
  operations: readonly Operation<Payload>[],
  about: { configOf: (operation: Operation<Payload>) => ConfigRow; seen: SeenAccounts | null },
): Promise<(key: HoldingKey) => AccountState | null> {
  const states = new Map<string, AccountState>()
  const known: HoldingKey[] = []
  const unknown: HoldingKey[] = []
  for (const operation of operations) {
    const config = about.configOf(operation)
    const isKnown =
      config.transfer_mode === "agent" && !isBeingReconciled(config) && operation.attempts === 0 && !operation.redo
    ;(isKnown ? known : unknown).push(...holdingKeysOf(operation))
  }
  if (known.length > 0) {
    const rows = await sql<{ mint_config: string; wallet: Address; holds: boolean; returns: boolean }[]>`
      select distinct h.mint_config, h.wallet, h.balance > 0 as holds, h.balance <= 0 and exists (select from operations o
        where o.workspace_id = h.workspace_id and o.wallet = h.wallet and o.mint_config = h.mint_config
          and o.status = 'confirmed') as returns
      from holdings h join ${listed(sql, known)} on h.mint_config = t.config and h.wallet = t.wallet
      where h.workspace_id = ${workspaceId}`
    const byName = new Map(rows.map((row) => [keyName({ config: row.mint_config, wallet: row.wallet }), row]))
    for (const key of known) {
      const row = byName.get(keyName(key))
      if (row?.returns) unknown.push(key)
      else states.set(keyName(key), row?.holds ? "frozen" : "absent")
    }
  }
  const current = await stillHolds(sql, workspaceId, unknown, about.seen)
  for (const key of unknown) {
    const state = current?.accountOf(key)?.state
    if (state === undefined) states.delete(keyName(key))
    else states.set(keyName(key), state)
  }
  return (key) => states.get(keyName(key)) ?? null
}

/** The accounts as read, unless an operation has since landed on one of them: some nodes lag. */
export async function stillHolds<Seen extends { slot: number }>(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
  seen: Seen | null,
): Promise<Seen | null> {
  if (seen === null || keys.length === 0) return seen
  const slot = await lastLandingOnAccounts(sql, workspaceId, keys)
  return slot > seen.slot ? null : seen
}

/** Later operations land later, except for urgent ones. The last to land is among this many. */
const RECENT = 32

/** The slot in which an operation last landed on one of the accounts; 0 if none has. */
export async function lastLandingOnAccounts(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
): Promise<number> {
  const rows = await sql<{ slot: bigint | null }[]>`
    select max(t.slot) as slot
    from (select distinct * from ${listed(sql, keys)}) p,
      lateral (
        (select o.signature from operations o
          where o.workspace_id = ${workspaceId} and o.wallet = p.wallet and o.mint_config = p.config and o.status = 'confirmed'
          order by o.seq desc limit ${RECENT})
        union all
        (select o.signature from operations o
          where o.workspace_id = ${workspaceId} and o.from_wallet = p.wallet and o.mint_config = p.config
            and o.status = 'confirmed'
          order by o.seq desc limit ${RECENT})
      ) o join transactions t on t.signature = o.signature`
  return Number(only(rows).slot ?? 0)
}

/**
 * Wallets' accounts of configurations on chain, and the oldest slot at which they were read. `holdAccounts` are read in
 * the same call, so that an amount that moves between a wallet's accounts is in one of them.
 */
export async function readAccounts(
  { workspaceId, rpc }: { workspaceId: string; rpc: Rpc },
  keys: readonly HoldingKey[],
  options: ReadOptions,
  holdAccounts: readonly (HoldingKey & { account: Address })[] = [],
): Promise<SeenAccounts> {
  const main = keys.map((key): [HoldingKey, PublicKey] => [
    key,
    tokenAccountOf(assetMintOf(workspaceId, key.config), publicKeyOf(key.wallet)),
  ])
  const holds = holdAccounts.map((one): [HoldingKey, PublicKey] => [one, publicKeyOf(one.account)])
  const addresses = [...main, ...holds].map(([, address]) => address)
  const { slot, value } = await rpc.accounts(addresses, options)
  const found = [...main, ...holds].map(([key, address], i) =>
    readTokenAccount(address, value[i], assetMintOf(workspaceId, key.config)),
  )
  const accounts = main.map((_one, i): AssetAccount => {
    const account = found[i]
    const none = { held: 0n, isHoldOpen: false }
    if (!account) return { ...none, state: "absent", amount: 0n }
    return { ...none, state: account.isFrozen ? "frozen" : "thawed", amount: account.amount }
  })
  const byKey = new Map(keys.map((key, i) => [keyName(key), accounts[i]!]))
  for (const [i, [key]] of holds.entries()) {
    const hold = found[main.length + i]
    if (!hold) continue
    const account = byKey.get(keyName(key))!
    account.held += hold.amount
    account.isHoldOpen ||= !hold.isFrozen
  }
  return { slot, accounts, accountOf: (key) => byKey.get(keyName(key)) ?? null }
}

/** The accounts after everything that has landed on them. */
const readAccountsNow = async (
  sql: Queryable,
  at: { workspaceId: string; rpc: Rpc },
  keys: readonly HoldingKey[],
): Promise<SeenAccounts> => readAccounts(at, keys, { since: await lastLandingOnAccounts(sql, at.workspaceId, keys) })

/** The same with what is in hold accounts. */
export async function readAllAccountsNow(
  sql: Queryable,
  at: { workspaceId: string; rpc: Rpc },
  keys: readonly HoldingKey[],
): Promise<SeenAccounts> {
  // In this order, so that a hold that has landed already has its account.
  const since = await lastLandingOnAccounts(sql, at.workspaceId, keys)
  return readAccounts(at, keys, { since }, await holdAccountsOf(sql, at.workspaceId, keys))
}

/**
 * Operations whose wallet's account Vouch's last transaction on it left thawed, according to its stored bytes. Only Vouch
 * can freeze the account, and only an empty account can be closed. Moving a hold leaves main accounts alone.
 */
async function thawedByLastTransaction(
  operations: readonly Operation<{ mint_config: string; wallet: Address }>[],
): Promise<ReadonlySet<string>> {
  const open = new Set<string>()
  for (const { id, workspaceId, payload } of operations) {
    const { mint_config, wallet } = payload
    const [last] = await sql<{ wire: Buffer | null }[]>`
      select t.wire from operations o join transactions t on t.signature = o.signature
      where o.workspace_id = ${workspaceId} and o.mint_config = ${mint_config} and o.status = 'confirmed'
        and o.kind <> 'move_hold' and (o.wallet = ${wallet} or o.from_wallet = ${wallet})
      order by t.slot desc limit 1`
    if (!last?.wire) continue
    const account = tokenAccountOf(assetMintOf(workspaceId, mint_config), publicKeyOf(wallet)).toBase58()
    const changes = decodeInstructions(messageIn(last.wire)).filter(
      ({ name, accounts }) => (name === "ThawAccount" || name === "FreezeAccount") && accounts[0]?.address === account,
    )
    if (changes.at(-1)?.name === "ThawAccount") open.add(id)
  }
  return open
}
