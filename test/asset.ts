import {
  createAssociatedTokenAccountIdempotentInstruction,
  createEnableRequiredMemoTransfersInstruction,
  createReallocateInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAccount,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token"
import { type Connection, Keypair, type PublicKey, type TransactionInstruction } from "@solana/web3.js"
import { afterAll, beforeAll, expect } from "vitest"
import {
  confirmed,
  disconnect,
  fundedWallet,
  plainConnection,
  signed,
} from "#server/embedded/localnet/test-client.ts"
import { newId } from "#server/lib/ids.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import {
  type AccountState,
  type Asset,
  createAssetMint,
  mintAsset,
  moveAsset,
  type RestingState,
} from "#server/solana/asset.ts"
import { operationMemo } from "#server/solana/memo.ts"
import { readTransactionError, TokenError } from "#server/solana/program-error.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { startTestChain, type TestChain } from "./test-chain.ts"

export const token = TOKEN_2022_PROGRAM_ID
export const DECIMALS = 6

// Errors that only this file meets (token-2022 interface, `TokenError`).
export const { InsufficientFunds, InvalidState, AccountFrozen } = TokenError
export const [OwnerMismatch, HasBalance, Overflow, ImmutableOwner, NoMemo, MintPaused] = [
  4, 11, 14, 34, 36, 67,
]

let chain: TestChain
export let connection: Connection
export let feePayer: Keypair
export let authority: Keypair
export let rentOf: (bytes: number) => number

/** The network, the fee payer and the authority of this file. Called once at the top of each test file. */
export function withLocalnet(): void {
  beforeAll(async () => {
    chain = await startTestChain()
    connection = plainConnection(chain.url)
    feePayer = await fundedWallet(connection, 100)
    authority = Keypair.generate()
    const rent = (bytes: number) => connection.getMinimumBalanceForRentExemption(bytes)
    const [ofNothing, ofThousand] = await Promise.all([rent(0), rent(1000)])
    rentOf = (bytes) => ofNothing + ((ofThousand - ofNothing) / 1000) * bytes
  })

  afterAll(async () => {
    await disconnect(connection)
    await chain.close()
  })
}

/** What the chain says to a transaction that the fee payer and `signers` sign: null when it took effect. */
export async function send(instructions: TransactionInstruction[], ...signers: Keypair[]) {
  const wire = await signed(connection, instructions, [feePayer, ...signers])
  const { err } = await confirmed(
    connection,
    await connection.sendRawTransaction(wire, { skipPreflight: true }),
  )
  return err && readTransactionError(err)
}

export const ours = (instructions: TransactionInstruction[]) => send(instructions, authority)

export const custom = (index: number, number: number) => ({
  kind: "instruction",
  index,
  error: { custom: number, name: "Custom" },
})
export const named = (index: number, name: string) => ({
  kind: "instruction",
  index,
  error: { custom: null, name },
})

export const memoText = () => operationMemo(newId("op"))
export const wallet = () => Keypair.generate().publicKey

export const mintConfig = { id: "us_real_estate_fund_v1", name: "US Real Estate Fund", symbol: "USREF" }
export const creation = (asset: Asset, transferMode: TransferMode) =>
  createAssetMint(asset, { ...mintConfig, pausable: transferMode === "holder", memoText: memoText(), rentOf })

export const newAsset = (mint: PublicKey): Asset => ({
  mint,
  authority: authority.publicKey,
  feePayer: feePayer.publicKey,
  decimals: DECIMALS,
})

export async function createdAsset(transferMode: TransferMode): Promise<Asset> {
  const mint = Keypair.generate()
  const asset = newAsset(mint.publicKey)
  expect(await send(creation(asset, transferMode), authority, mint)).toBeNull()
  return asset
}

export const minting = (
  asset: Asset,
  to: PublicKey,
  amount: bigint,
  before: AccountState,
  after: RestingState = "frozen",
) => mintAsset(asset, { wallet: to, amount, before, after, memoText: memoText() })

export type Move = {
  from: PublicKey
  to: PublicKey
  amount: bigint
  before: { from: AccountState; to: AccountState }
  after?: { from: RestingState; to: RestingState }
}
export const moving = (asset: Asset, move: Move) =>
  moveAsset(asset, { after: { from: "frozen", to: "frozen" }, ...move, memoText: memoText() })

export const accountOf = (asset: Asset, owner: PublicKey) =>
  getAccount(connection, tokenAccountOf(asset.mint, owner), "confirmed", token)

export async function holding(asset: Asset, owner: PublicKey) {
  const { amount, isFrozen } = await accountOf(asset, owner)
  return { amount, isFrozen }
}

/** A new wallet that can sign, and its account with `amount`. */
export async function holderOf(asset: Asset, amount: bigint, after: RestingState) {
  const holder = Keypair.generate()
  expect(await ours(minting(asset, holder.publicKey, amount, "absent", after))).toBeNull()
  return holder
}

/** A transfer as any wallet makes it. */
export const transferOf = (
  asset: Asset,
  from: PublicKey,
  to: PublicKey,
  amount: bigint,
  signer: PublicKey,
  account = tokenAccountOf(asset.mint, to),
) =>
  createTransferCheckedInstruction(
    tokenAccountOf(asset.mint, from),
    asset.mint,
    account,
    signer,
    amount,
    DECIMALS,
    [],
    token,
  )

export const creationOfAccount = (asset: Asset, owner: PublicKey) =>
  createAssociatedTokenAccountIdempotentInstruction(
    feePayer.publicKey,
    tokenAccountOf(asset.mint, owner),
    owner,
    asset.mint,
    token,
  )

export const requireMemo = (asset: Asset, owner: PublicKey) => [
  createReallocateInstruction(
    tokenAccountOf(asset.mint, owner),
    feePayer.publicKey,
    [ExtensionType.MemoTransfer],
    owner,
    [],
    token,
  ),
  createEnableRequiredMemoTransfersInstruction(tokenAccountOf(asset.mint, owner), owner, [], token),
]
