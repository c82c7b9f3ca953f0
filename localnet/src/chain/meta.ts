import { base64OfKey, type Change, type Meta, type TokenBalance } from "../storage/record.ts"
import { isTokenProgram, type Key, keyAt, keyOfBytes } from "./keys.ts"
import { readMint, readTokenAccount } from "./token-layout.ts"
import { type Account, type Execution, NO_ACCOUNT, type Vm } from "./vm.ts"
import type { Message } from "./wire.ts"

/** A transaction's writable accounts, before or after it. */
export type States = Map<Key, Account | null>

/** In a lookup table's account, the addresses follow 56 bytes of metadata (`LOOKUP_TABLE_META_SIZE`). */
const TABLE_META_BYTES = 56

/** All accounts of a transaction in order: static ones, then those of lookup tables, writable ones first. */
export function resolveKeys(vm: Vm, message: Message): { keys: Key[]; loaded: { writable: Key[]; readonly: Key[] } } {
  const loaded = { writable: [] as Key[], readonly: [] as Key[] }
  if (message.lookups.length === 0) return { keys: message.keys, loaded }
  for (const { table, writable, readonly } of message.lookups) {
    const data = vm.account(table)?.data
    const addresses = (indexes: Uint8Array) =>
      [...indexes].flatMap((index) => {
        const at = TABLE_META_BYTES + 32 * index
        // With an index beyond the table, the transaction fails when it is executed.
        return data !== undefined && data.length >= at + 32 ? [keyAt(data, at)] : []
      })
    loaded.writable.push(...addresses(writable))
    loaded.readonly.push(...addresses(readonly))
  }
  return { keys: [...message.keys, ...loaded.writable, ...loaded.readonly], loaded }
}

export function changesBetween(before: States, after: States): Change[] {
  const changes: Change[] = []
  for (const [key, account] of after) {
    const old = before.get(key) ?? null
    if (!sameAccount(old, account)) changes.push({ key, account: account ?? NO_ACCOUNT })
  }
  return changes
}

const sameAccount = (a: Account | null, b: Account | null) =>
  a === null || b === null
    ? a === b
    : a.lamports === b.lamports && a.owner === b.owner && a.executable === b.executable && a.data.equals(b.data)

type Balances = { pre: bigint[]; post: bigint[]; preTokens: TokenBalance[]; postTokens: TokenBalance[] }

/** Lamports and tokens before and after. Only writable accounts can differ, so the others are read once. */
export function balancesOf(vm: Vm, keys: Key[], before: States, after: States): Balances {
  const unchanged = keys.map((key) => (after.has(key) ? 0n : vm.balance(key)))
  const lamports = (states: States) =>
    keys.map((key, index) => (states.has(key) ? (states.get(key)?.lamports ?? 0n) : unchanged[index]!))
  return {
    pre: lamports(before),
    post: lamports(after),
    preTokens: tokenBalances(vm, keys, before),
    postTokens: tokenBalances(vm, keys, after),
  }
}

function tokenBalances(vm: Vm, keys: Key[], states: States): TokenBalance[] {
  const balances: TokenBalance[] = []
  const decimals = new Map<Key, number | null>()
  keys.forEach((key, index) => {
    const account = states.get(key)
    if (account === undefined || account === null || !isTokenProgram(account.owner)) return
    const token = readTokenAccount(account)
    if (token === null) return
    if (!decimals.has(token.mint)) decimals.set(token.mint, decimalsOf(vm, token.mint, states))
    const places = decimals.get(token.mint) ?? null
    if (places === null) return
    balances.push({
      index,
      mint: base64OfKey(token.mint),
      owner: base64OfKey(token.owner),
      program: base64OfKey(account.owner),
      amount: token.amount.toString(),
      decimals: places,
    })
  })
  return balances
}

function decimalsOf(vm: Vm, mint: Key, states: States): number | null {
  const account = states.get(mint) ?? vm.account(mint)
  return account === null ? null : (readMint(account)?.decimals ?? null)
}

export function metaOf(facts: { execution: Execution; loaded: { writable: Key[]; readonly: Key[] } } & Balances): Meta {
  const { execution, loaded, pre, post, preTokens, postTokens } = facts
  const { err, logs, computeUnits, inner, returnData } = execution
  return {
    err,
    // LiteSVM burns the fee. Nothing else reduces the sum of lamports.
    fee: Number(sum(pre) - sum(post)),
    computeUnits,
    logs,
    inner: inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ program, accounts, data, stackHeight }) => ({
        program,
        accounts,
        data: data.toString("base64"),
        height: stackHeight,
      })),
    })),
    returnData:
      returnData === null
        ? null
        : { program: base64OfKey(returnData.program), data: returnData.data.toString("base64") },
    pre: pre.map(String),
    post: post.map(String),
    preTokens,
    postTokens,
    loaded: { writable: loaded.writable.map(base64OfKey), readonly: loaded.readonly.map(base64OfKey) },
  }
}

const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n)

export const keyOfBase64 = (text: string): Key => keyOfBytes(Buffer.from(text, "base64"))
