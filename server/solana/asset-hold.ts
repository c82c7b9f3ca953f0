import { createHash } from "node:crypto"
import * as spl from "@solana/spl-token"
import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import { tokenAccountOf, withText } from "./addresses.ts"
import {
  type AccountState,
  type Asset,
  createAccount,
  type RestingState,
  transferAsDelegate,
  whileOpen,
} from "./asset.ts"
import { addressWithSeed } from "./keys.ts"
import { memo } from "./memo.ts"

// In holder mode, a wallet's holder moves what is in its main account. A held amount is therefore in a second account of
// the same wallet. It is created frozen and is thawed only within Vouch's own transactions, so the holder cannot move or
// burn what is in it. One account has all holds of a wallet.

const programId = spl.TOKEN_2022_PROGRAM_ID

/** The base and seed that create a hold account at its address. */
export type HoldPlace = { base: PublicKey; seed: string; account: PublicKey }

/** The place of a wallet's hold account, if the mint's authority was `base` when it was created. */
export function holdPlace(base: PublicKey, mint: PublicKey, wallet: PublicKey): HoldPlace {
  // A seed is at most 32 bytes.
  const seed = createHash("sha256").update(`${mint.toBase58()}/${wallet.toBase58()}`).digest("base64url").slice(0, 32)
  return { base, seed, account: withText(addressWithSeed(base, seed)) }
}

/** An amount that is put into a hold account, or comes back. */
type Held<Before> = {
  wallet: PublicKey
  hold: PublicKey
  amount: bigint
  /** The state of the wallet's main account. */
  before: Before
  after: RestingState
  memoText: string
}

/** What creating a hold account takes. Its size depends on whether the mint can be paused. */
export type NewHold = { place: HoldPlace; isPausable: boolean; rentOf: (bytes: number) => number }

/** An amount that moves between two wallets' hold accounts. `create` also names the wallet of the new account. */
type MovedHold = {
  from: PublicKey
  to: PublicKey
  amount: bigint
  memoText: string
  create: (NewHold & { wallet: PublicKey }) | null
}

/** Moves `amount` base units of a wallet into its hold account, which is created if `create` is given. */
export function holdAsset(
  asset: Asset,
  { wallet, hold, amount, before, after, memoText, create }: Held<RestingState> & { create: NewHold | null },
): TransactionInstruction[] {
  const main = tokenAccountOf(asset.mint, wallet)
  return [
    ...(create === null ? [] : createHoldAccount(asset, wallet, create)),
    ...whileOpen(
      asset,
      [frozen(hold), { account: main, before, after }],
      [memo(memoText), transferAsDelegate(asset, { from: main, to: hold, amount })],
    ),
  ]
}

/** Moves `amount` base units from a wallet's hold account back. */
export function releaseAsset(
  asset: Asset,
  { wallet, hold, amount, before, after, memoText }: Held<AccountState>,
): TransactionInstruction[] {
  const main = tokenAccountOf(asset.mint, wallet)
  return [
    ...createAccount(asset, wallet, before),
    ...whileOpen(
      asset,
      [frozen(hold), { account: main, before, after }],
      [memo(memoText), transferAsDelegate(asset, { from: hold, to: main, amount })],
    ),
  ]
}

/**
 * Moves `amount` base units from one wallet's hold account into another's, which is created if `create` is given. Both
 * are frozen before and after, so neither holder can move them at any moment.
 */
export function moveHeldAsset(
  asset: Asset,
  { from, to, amount, memoText, create }: MovedHold,
): TransactionInstruction[] {
  return [
    ...(create === null ? [] : createHoldAccount(asset, create.wallet, create)),
    ...whileOpen(asset, [frozen(from), frozen(to)], [memo(memoText), transferAsDelegate(asset, { from, to, amount })]),
  ]
}

const frozen = (account: PublicKey) => ({ account, before: "frozen", after: "frozen" }) as const

function createHoldAccount(
  { mint, feePayer }: Asset,
  wallet: PublicKey,
  { place, isPausable, rentOf }: NewHold,
): TransactionInstruction[] {
  const { base, seed, account } = place
  const extensions = [spl.ExtensionType.ImmutableOwner, ...(isPausable ? [spl.ExtensionType.PausableAccount] : [])]
  const space = spl.getAccountLen(extensions)
  return [
    // Not `createAccountWithSeed`, which refuses an address that has lamports: a stranger could send it one.
    SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: account, lamports: rentOf(space) }),
    // Also makes the token program the owner.
    SystemProgram.allocate({ accountPubkey: account, basePubkey: base, seed, space, programId }),
    spl.createInitializeImmutableOwnerInstruction(account, programId),
    spl.createInitializeAccount3Instruction(account, mint, wallet, programId),
  ]
}
