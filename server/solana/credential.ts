import {
  AccountState,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createFreezeAccountInstruction,
  createInitializeDefaultAccountStateInstruction,
  createInitializeMetadataPointerInstruction,
  createInitializeMintInstruction,
  createInitializeNonTransferableMintInstruction,
  createInitializePermanentDelegateInstruction,
  createMintToInstruction,
  createThawAccountInstruction,
  ExtensionType,
  getMintLen,
  LENGTH_SIZE,
  TOKEN_2022_PROGRAM_ID,
  TYPE_SIZE,
} from "@solana/spl-token"
import {
  createInitializeInstruction,
  createUpdateFieldInstruction,
  pack,
  type TokenMetadata,
} from "@solana/spl-token-metadata"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { tokenAccountOf } from "./addresses.ts"
import { memo } from "./memo.ts"
import { createMintAccount } from "./mint-account.ts"

/** The credential mint of one workspace and schema, and the keys that act on it. */
export type Credential = { mint: PublicKey; authority: PublicKey; feePayer: PublicKey }

const MINT_EXTENSIONS = [
  ExtensionType.NonTransferable,
  ExtensionType.PermanentDelegate,
  ExtensionType.DefaultAccountState,
  ExtensionType.MetadataPointer,
]

/** Creates the credential mint. `rentOf` gives the lamports that keep an account of so many bytes alive. */
export function createCredentialMint(
  { mint, authority, feePayer }: Credential,
  {
    schemaId,
    schemaName,
    memoText,
    rentOf,
  }: {
    schemaId: string
    schemaName: string
    memoText: string
    rentOf: (bytes: number) => number
  },
): TransactionInstruction[] {
  const programId = TOKEN_2022_PROGRAM_ID
  const metadata: TokenMetadata = {
    mint,
    updateAuthority: authority,
    name: schemaName,
    symbol: "VOUCH",
    uri: "",
    additionalMetadata: [["schema", schemaId]],
  }
  const space = getMintLen(MINT_EXTENSIONS)
  return [
    memo(memoText),
    ...createMintAccount({
      feePayer,
      mint,
      space,
      // The metadata makes the account grow after its creation, and it must be paid for beforehand.
      lamports: rentOf(space + TYPE_SIZE + LENGTH_SIZE + pack(metadata).length),
    }),
    createInitializeNonTransferableMintInstruction(mint, programId),
    createInitializePermanentDelegateInstruction(mint, authority, programId),
    createInitializeDefaultAccountStateInstruction(mint, AccountState.Frozen, programId),
    createInitializeMetadataPointerInstruction(mint, authority, mint, programId),
    createInitializeMintInstruction(mint, 0, authority, authority, programId),
    createInitializeInstruction({
      programId,
      metadata: mint,
      mint,
      mintAuthority: authority,
      updateAuthority: authority,
      name: metadata.name,
      symbol: metadata.symbol,
      uri: metadata.uri,
    }),
    createUpdateFieldInstruction({
      programId,
      metadata: mint,
      updateAuthority: authority,
      field: "schema",
      value: schemaId,
    }),
  ]
}

/** Gives the wallet its one unit. The account is created if need be, and frozen again at the end. */
export function attest(
  credential: Credential,
  wallet: PublicKey,
  memoText: string,
): TransactionInstruction[] {
  const { mint, authority, feePayer } = credential
  const account = tokenAccountOf(mint, wallet)
  return [
    createAssociatedTokenAccountIdempotentInstruction(feePayer, account, wallet, mint, TOKEN_2022_PROGRAM_ID),
    createThawAccountInstruction(account, mint, authority, [], TOKEN_2022_PROGRAM_ID),
    memo(memoText),
    createMintToInstruction(mint, account, authority, 1n, [], TOKEN_2022_PROGRAM_ID),
    createFreezeAccountInstruction(account, mint, authority, [], TOKEN_2022_PROGRAM_ID),
  ]
}

/** Replaces the wallet's unit by a new one, in one transaction: at no instant is the wallet unverified. */
export function renew(credential: Credential, wallet: PublicKey, memoText: string): TransactionInstruction[] {
  const { mint, authority } = credential
  const account = tokenAccountOf(mint, wallet)
  return [
    createThawAccountInstruction(account, mint, authority, [], TOKEN_2022_PROGRAM_ID),
    createBurnInstruction(account, mint, authority, 1n, [], TOKEN_2022_PROGRAM_ID),
    memo(memoText),
    createMintToInstruction(mint, account, authority, 1n, [], TOKEN_2022_PROGRAM_ID),
    createFreezeAccountInstruction(account, mint, authority, [], TOKEN_2022_PROGRAM_ID),
  ]
}

/**
 * Takes all units away that the wallet holds, as the mint's permanent delegate. There is one, unless something went wrong
 * that this puts right.
 */
export function revoke(
  credential: Credential,
  wallet: PublicKey,
  { units, memoText }: { units: bigint; memoText: string },
): TransactionInstruction[] {
  const { mint, authority } = credential
  const account = tokenAccountOf(mint, wallet)
  return [
    createThawAccountInstruction(account, mint, authority, [], TOKEN_2022_PROGRAM_ID),
    memo(memoText),
    createBurnInstruction(account, mint, authority, units, [], TOKEN_2022_PROGRAM_ID),
    createFreezeAccountInstruction(account, mint, authority, [], TOKEN_2022_PROGRAM_ID),
  ]
}
