import * as spl from "@solana/spl-token"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import type { MintExtension } from "#shared/mint-extensions.ts"
import { tokenAccountOf } from "./addresses.ts"
import { memo } from "./memo.ts"
import { createMint, type NewMint, startOf } from "./mint-account.ts"
import { extensionDefinitions } from "./mint-extensions.ts"

/** The token of a mint configuration and the keys that act on it. */
export type Asset = { mint: PublicKey; authority: PublicKey; feePayer: PublicKey; decimals: number }

/** What is known about a wallet's token account. `absent`: not known to exist. Every account is created frozen. */
export type AccountState = "absent" | "frozen" | "thawed"

/** How an operation leaves a token account. */
export type RestingState = Exclude<AccountState, "absent">

/** Whose accounts change, by how many base units, and what they are before and after. */
type Move<Wallets, Before, After> = Wallets & { amount: bigint; before: Before; after: After; memoText: string }
type Both<T> = { from: T; to: T }
type Burn = Move<{ wallet: PublicKey }, RestingState, RestingState> & Taking & { isPermissioned: boolean }

/** What else applies when tokens are taken out of a wallet. `isPaused`: the mint is paused, and stays so. */
type Taking = { held: readonly Held[]; isPaused: boolean }

/** The part of an amount that comes out of the sender's hold account (`asset-hold.ts`). The rest is in its main one. */
export type Held = { account: PublicKey; amount: bigint }

const programId = spl.TOKEN_2022_PROGRAM_ID

/**
 * How many bytes of the name and the id fit into the transaction that creates a mint with all extensions. A name has at
 * most 96 bytes, so only with an id of more than 46 characters its end may be missing on chain.
 */
const MAX_NAME_AND_ID_BYTES = 142

/** Creates the mint. The authority is its mint, freeze and update authority, its permanent delegate, and each extension's. */
export function createAssetMint(
  { authority, feePayer, decimals }: Omit<Asset, "mint">,
  {
    place,
    extensions,
    id,
    name,
    symbol,
    ...more
  }: NewMint & Record<"id" | "name" | "symbol", string> & { extensions: readonly MintExtension[] },
): TransactionInstruction[] {
  const added = extensions.map((one) => {
    const { type, initialize } = extensionDefinitions[one]
    return { type, initialize: initialize(place.mint, authority) }
  })
  return createMint(
    { place, authority, feePayer },
    {
      decimals,
      name: startOf(name, MAX_NAME_AND_ID_BYTES - id.length),
      symbol,
      field: ["mint_config", id],
      extensions: added,
    },
    more,
  )
}

/** Mints `amount` base units to the wallet; its account is thawed first and frozen again afterwards if needed. */
export function mintAsset(
  asset: Asset,
  { wallet, amount, before, after, memoText }: Move<{ wallet: PublicKey }, AccountState, RestingState>,
): TransactionInstruction[] {
  const { mint, authority, decimals } = asset
  const account = tokenAccountOf(mint, wallet)
  return [
    ...createAccount(asset, wallet, before),
    ...whileOpen(
      asset,
      [{ account, before, after }],
      [memo(memoText), spl.createMintToCheckedInstruction(mint, account, authority, amount, decimals, [], programId)],
    ),
  ]
}

/** Moves `amount` base units between two wallets, as the permanent delegate. Never creates the account of `from`. */
export function moveAsset(
  asset: Asset,
  {
    from,
    to,
    amount,
    before,
    after,
    memoText,
    held,
    isPaused,
  }: Move<Both<PublicKey>, Both<AccountState>, Both<RestingState>> & Taking,
): TransactionInstruction[] {
  const target = tokenAccountOf(asset.mint, to)
  const main = { account: tokenAccountOf(asset.mint, from), amount, before: before.from, after: after.from }
  const sources = sourcesOf(main, held)
  const moves = sources.flatMap(({ account, amount }) => [
    // The memo must come directly before the transfer: an account can require that.
    memo(memoText),
    transferAsDelegate(asset, { from: account, to: target, amount }),
  ])
  return [
    ...createAccount(asset, to, before.to),
    ...whileResumed(
      asset,
      isPaused,
      whileOpen(asset, [...sources, { account: target, before: before.to, after: after.to }], moves),
    ),
  ]
}

/**
 * Burns `amount` base units of the wallet, as the permanent delegate. A mint with PermissionedBurn allows no other way
 * than its own instruction.
 */
export function burnAsset(
  asset: Asset,
  { wallet, amount, before, after, memoText, isPermissioned, held, isPaused }: Burn,
): TransactionInstruction[] {
  const { mint, authority, decimals } = asset
  const sources = sourcesOf({ account: tokenAccountOf(mint, wallet), amount, before, after }, held)
  const burns = sources.flatMap(({ account, amount }) => [
    memo(memoText),
    isPermissioned
      ? spl.createPermissionedBurnCheckedInstruction(
          account,
          mint,
          authority,
          authority,
          amount,
          decimals,
          [],
          programId,
        )
      : spl.createBurnCheckedInstruction(account, mint, authority, amount, decimals, [], programId),
  ])
  return whileResumed(asset, isPaused, whileOpen(asset, sources, burns))
}

/** A token account, before and after tokens enter or leave it. */
type End = { account: PublicKey; before: AccountState; after: RestingState }

/** A wallet's accounts, by what each must give. A hold account is always frozen. */
function sourcesOf(main: End & { amount: bigint }, held: readonly Held[]): (End & { amount: bigint })[] {
  const free = { ...main, amount: held.reduce((left, { amount }) => left - amount, main.amount) }
  return [
    ...(free.amount > 0n ? [free] : []),
    ...held.map((one) => ({ ...one, before: "frozen", after: "frozen" }) as const),
  ]
}

/** Opens accounts for instructions, and leaves them as they should rest. */
export const whileOpen = (
  asset: Asset,
  ends: readonly End[],
  instructions: readonly TransactionInstruction[],
): TransactionInstruction[] => [
  ...ends.flatMap(({ account, before }) => (before === "thawed" ? [] : [thaw(asset, account)])),
  ...instructions,
  ...ends.flatMap(({ account, after }) => (after === "frozen" ? [freeze(asset, account)] : [])),
]

/** Ends the pause of a mint for instructions, and begins it again. They are in one transaction, so no one else gets in. */
const whileResumed = (
  asset: Asset,
  isPaused: boolean,
  instructions: readonly TransactionInstruction[],
): TransactionInstruction[] => (isPaused ? [resume(asset), ...instructions, pause(asset)] : [...instructions])

export const transferAsDelegate = (
  { mint, authority, decimals }: Asset,
  { from, to, amount }: Both<PublicKey> & { amount: bigint },
): TransactionInstruction =>
  spl.createTransferCheckedInstruction(from, mint, to, authority, amount, decimals, [], programId)

/** Freezes the wallet's account: nothing enters or leaves it until it is thawed. */
export const freezeAsset = (asset: Asset, wallet: PublicKey, memoText: string): TransactionInstruction[] => [
  memo(memoText),
  freeze(asset, tokenAccountOf(asset.mint, wallet)),
]

/** Thaws the wallet's account, so that its holder can transfer from it. */
export const thawAsset = (asset: Asset, wallet: PublicKey, memoText: string): TransactionInstruction[] => [
  memo(memoText),
  thaw(asset, tokenAccountOf(asset.mint, wallet)),
]

/** Pauses a mint in `holder` mode: nothing is minted, transferred or burned, not even by the authority. */
export const pauseAsset = (asset: Asset, memoText: string): TransactionInstruction[] => [memo(memoText), pause(asset)]

/** Ends a pause. */
export const resumeAsset = (asset: Asset, memoText: string): TransactionInstruction[] => [memo(memoText), resume(asset)]

const pause = ({ mint, authority }: Asset) => spl.createPauseInstruction(mint, authority, [], programId)

const resume = ({ mint, authority }: Asset) => spl.createResumeInstruction(mint, authority, [], programId)

const thaw = ({ mint, authority }: Asset, account: PublicKey) =>
  spl.createThawAccountInstruction(account, mint, authority, [], programId)

const freeze = ({ mint, authority }: Asset, account: PublicKey) =>
  spl.createFreezeAccountInstruction(account, mint, authority, [], programId)

/** Idempotent: anyone may have created the account in the meantime. */
export const createAccount = ({ mint, feePayer }: Asset, wallet: PublicKey, before: AccountState) =>
  before === "absent"
    ? [
        spl.createAssociatedTokenAccountIdempotentInstruction(
          feePayer,
          tokenAccountOf(mint, wallet),
          wallet,
          mint,
          programId,
        ),
      ]
    : []
