import { isTokenProgram, type Key, keyAt } from "./keys.ts"
import type { Account } from "./vm.ts"

/**
 * The layout of SPL Token and Token-2022 accounts (spl-token-interface `state.rs`). Accounts and mints with extensions
 * have their type in byte 165: 1 is a mint, 2 an account.
 */
export const TOKEN_ACCOUNT_BYTES = 165
const MINT_BYTES = 82
const MULTISIG_BYTES = 355
const TYPE_MINT = 1
const TYPE_ACCOUNT = 2

export type TokenAccount = { mint: Key; owner: Key; amount: bigint }

export function readTokenAccount({ owner, data }: Account): TokenAccount | null {
  if (!isTokenProgram(owner) || data.length < TOKEN_ACCOUNT_BYTES || data.length === MULTISIG_BYTES) return null
  if (data.length > TOKEN_ACCOUNT_BYTES && data[TOKEN_ACCOUNT_BYTES] !== TYPE_ACCOUNT) return null
  const initialized = data[108] !== 0
  return initialized ? { mint: keyAt(data, 0), owner: keyAt(data, 32), amount: data.readBigUInt64LE(64) } : null
}

export function readMint({ owner, data }: Account): { supply: bigint; decimals: number } | null {
  if (!isTokenProgram(owner) || data.length < MINT_BYTES) return null
  const plain = data.length === MINT_BYTES
  if (!plain && (data.length === MULTISIG_BYTES || data[TOKEN_ACCOUNT_BYTES] !== TYPE_MINT)) return null
  const initialized = data[45] !== 0
  return initialized ? { supply: data.readBigUInt64LE(36), decimals: data[44]! } : null
}

/** A cluster's `UiTokenAmount`. */
export function uiAmount(amount: bigint, decimals: number) {
  const digits = amount.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString }
}
