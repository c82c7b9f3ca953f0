import { TOKEN_2022_PROGRAM_ID, TokenInstruction } from "@solana/spl-token"
import { PublicKey, type TokenBalance, type VersionedTransactionResponse } from "@solana/web3.js"
import bs58 from "bs58"
import { addressOf } from "#server/solana/addresses.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import type { Address } from "#shared/address.ts"

/** What a transaction changed of what a wallet holds, in base units. */
export type WalletChange = { wallet: Address; delta: bigint }

type Found = Pick<VersionedTransactionResponse, "meta" | "transaction">

/** Instructions that change a mint's supply. The last one carries others, which only its data shows. */
const SUPPLY = new Set<number>([
  TokenInstruction.MintTo,
  TokenInstruction.MintToChecked,
  TokenInstruction.Burn,
  TokenInstruction.BurnChecked,
  TokenInstruction.PermissionedBurnExtension,
  255,
])

/**
 * How a transaction changed the balances of a mint's wallets, from what the node reports of all its accounts before and
 * after. So it does not matter which program moved the tokens, in how many steps, or whether an account was created, was
 * closed or got another owner. Rejects an answer that cannot be whole with HistoryMissing.
 */
export function changesIn({ meta, transaction }: Found, mint: Address): WalletChange[] {
  const [signature] = transaction.signatures
  const incomplete = (what: string): never => {
    throw new HistoryMissing(`${signature} is returned ${what}`)
  }
  if (meta === null || meta.err !== null) return incomplete("without its effects")
  const { preTokenBalances, postTokenBalances } = meta
  if (!preTokenBalances || !postTokenBalances) return incomplete("without token balances")
  const deltas = new Map<Address, bigint>()
  const add = (balances: readonly TokenBalance[], sign: bigint) => {
    const seen = new Set<number>()
    for (const { accountIndex, mint: of, owner, uiTokenAmount } of balances) {
      if (of !== mint) continue
      if (owner === undefined || seen.has(accountIndex)) incomplete("with incomplete token balances")
      seen.add(accountIndex)
      const wallet = addressOf(new PublicKey(owner!))
      deltas.set(wallet, (deltas.get(wallet) ?? 0n) + sign * BigInt(uiTokenAmount.amount))
    }
  }
  add(preTokenBalances, -1n)
  add(postTokenBalances, 1n)
  if (deltas.size === 0 && transfers({ meta, transaction }, mint)) incomplete("without token balances")
  const sum = [...deltas.values()].reduce((total, delta) => total + delta, 0n)
  if (sum !== 0n && !changesSupply({ meta, transaction })) incomplete("with token balances that do not add up")
  return [...deltas].flatMap(([wallet, delta]) => (delta === 0n ? [] : { wallet, delta }))
}

/** What Token-2022 was called with, also by other programs. */
function tokenInstructionsIn({ meta, transaction: { message } }: Found): { data: Uint8Array; accounts: PublicKey[] }[] {
  const { writable = [], readonly = [] } = meta?.loadedAddresses ?? {}
  const keys = [...message.staticAccountKeys, ...writable, ...readonly]
  const called = (meta?.innerInstructions ?? []).flatMap(({ instructions }) =>
    instructions.map(({ programIdIndex, data, accounts }) => ({
      programIdIndex,
      data: bs58.decode(data),
      accountKeyIndexes: accounts,
    })),
  )
  return [...message.compiledInstructions, ...called]
    .filter(({ programIdIndex }) => keys[programIdIndex]?.equals(TOKEN_2022_PROGRAM_ID))
    .map(({ data, accountKeyIndexes }) => ({ data, accounts: accountKeyIndexes.map((index) => keys[index]!) }))
}

/** Whether any instruction can have changed a mint's supply. */
const changesSupply = (found: Found): boolean =>
  tokenInstructionsIn(found).some(({ data }) => SUPPLY.has(data[0] ?? -1))

/** Its accounts are the source, the mint and the target. What is behind them is no mint, but strangers can name one there. */
const transfers = (found: Found, mint: Address): boolean =>
  tokenInstructionsIn(found).some(
    ({ data, accounts }) =>
      data[0] === TokenInstruction.TransferChecked && accounts[1] !== undefined && addressOf(accounts[1]) === mint,
  )
