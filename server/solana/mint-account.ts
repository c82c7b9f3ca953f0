import * as spl from "@solana/spl-token"
import { createInitializeInstruction, createUpdateFieldInstruction, pack } from "@solana/spl-token-metadata"
import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js"
import type { MintPlace } from "./keys.ts"
import { memo } from "./memo.ts"
import type { ReadOptions, Rpc } from "./rpc/rpc.ts"

const programId = spl.TOKEN_2022_PROGRAM_ID

/** A new mint's place and memo, and the rent-exempt minimum in lamports for a size in bytes. */
export type NewMint = { place: MintPlace; memoText: string; rentOf: (bytes: number) => number }

/** The start of a text, at most `maxBytes` long in UTF-8, with no character split. */
export const startOf = (text: string, maxBytes: number): string =>
  text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read)

/** How asset mints and credential mints differ. */
type MintKind = {
  decimals: number
  name: string
  symbol: string
  /** A metadata field and its value that say what the mint stands for. */
  field: readonly [string, string]
  /** Additional extensions, each with the instruction that must run before the mint is initialized. */
  extensions: readonly { type: spl.ExtensionType; initialize: TransactionInstruction }[]
}

/**
 * Creates a mint that stores its own metadata and whose accounts are created frozen. The authority is its mint, freeze and
 * update authority, and its permanent delegate. The base of the place must sign.
 */
export function createMint(
  { place, authority, feePayer }: { place: MintPlace; authority: PublicKey; feePayer: PublicKey },
  { decimals, name, symbol, field, extensions }: MintKind,
  { memoText, rentOf }: Pick<NewMint, "memoText" | "rentOf">,
): TransactionInstruction[] {
  const { mint } = place
  const own = { programId, metadata: mint, updateAuthority: authority }
  const metadata = { mint, updateAuthority: authority, name, symbol, uri: "", additionalMetadata: [field] }
  const space = spl.getMintLen([
    ...extensions.map(({ type }) => type),
    spl.ExtensionType.PermanentDelegate,
    spl.ExtensionType.DefaultAccountState,
    spl.ExtensionType.MetadataPointer,
  ])
  return [
    memo(memoText),
    // Not `createAccountWithSeed`, which refuses an address that has lamports: a stranger could send it one. Pays in
    // advance for the metadata, which makes the account grow later in this transaction.
    SystemProgram.transfer({
      fromPubkey: feePayer,
      toPubkey: mint,
      lamports: rentOf(space + spl.TYPE_SIZE + spl.LENGTH_SIZE + pack(metadata).length),
    }),
    // Also makes the token program the owner.
    SystemProgram.allocate({ accountPubkey: mint, basePubkey: place.base, seed: place.seed, space, programId }),
    ...extensions.map(({ initialize }) => initialize),
    spl.createInitializePermanentDelegateInstruction(mint, authority, programId),
    spl.createInitializeDefaultAccountStateInstruction(mint, spl.AccountState.Frozen, programId),
    spl.createInitializeMetadataPointerInstruction(mint, authority, mint, programId),
    // Unlike its first version, it does not name the rent account, which takes 33 bytes.
    spl.createInitializeMint2Instruction(mint, decimals, authority, authority, programId),
    createInitializeInstruction({ ...own, mint, mintAuthority: authority, name, symbol, uri: "" }),
    createUpdateFieldInstruction({ ...own, field: field[0], value: field[1] }),
  ]
}

/** Whether mints are paused. Throws if one does not exist. */
export async function readIsPaused(
  rpc: Rpc,
  mints: readonly PublicKey[],
  options: ReadOptions,
): Promise<{ slot: number; value: boolean[] }> {
  const { slot, value } = await rpc.accounts(mints, options)
  const isPaused = (mint: PublicKey, i: number) =>
    spl.getPausableConfig(spl.unpackMint(mint, value[i]!, programId))?.paused ?? false
  return { slot, value: mints.map(isPaused) }
}

/** The supply of a mint in base units. Throws if there is no such mint. */
export async function readSupply(rpc: Rpc, mint: PublicKey, options: ReadOptions): Promise<bigint> {
  const { value } = await rpc.account(mint, options)
  return spl.unpackMint(mint, value, programId).supply
}
