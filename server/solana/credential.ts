import * as spl from "@solana/spl-token"
import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { tokenAccountOf } from "./addresses.ts"
import { memo } from "./memo.ts"
import { createMint, type NewMint, startOf } from "./mint-account.ts"

/** The credential mint of a workspace's schema and the keys that act on it. */
export type Credential = { mint: PublicKey; authority: PublicKey; feePayer: PublicKey }

/** How many bytes of the schema's name fit into the transaction that creates the mint. */
const MAX_NAME_BYTES = 160

/** Creates the credential mint. */
export function createCredentialMint(
  { authority, feePayer }: Omit<Credential, "mint">,
  { place, schemaId, schemaName, ...more }: NewMint & { schemaId: string; schemaName: string },
): TransactionInstruction[] {
  const bound = {
    type: spl.ExtensionType.NonTransferable,
    initialize: spl.createInitializeNonTransferableMintInstruction(place.mint, spl.TOKEN_2022_PROGRAM_ID),
  }
  return createMint(
    { place, authority, feePayer },
    {
      decimals: 0,
      name: startOf(schemaName, MAX_NAME_BYTES),
      symbol: "VOUCH",
      field: ["schema", schemaId],
      extensions: [bound],
    },
    more,
  )
}

/** Gives the wallet its one unit. Creates the account if needed and leaves it frozen. */
export function attest(credential: Credential, wallet: PublicKey, memoText: string): TransactionInstruction[] {
  const { mint, authority, feePayer } = credential
  const account = tokenAccountOf(mint, wallet)
  return [
    spl.createAssociatedTokenAccountIdempotentInstruction(feePayer, account, wallet, mint, spl.TOKEN_2022_PROGRAM_ID),
    spl.createThawAccountInstruction(account, mint, authority, [], spl.TOKEN_2022_PROGRAM_ID),
    memo(memoText),
    spl.createMintToInstruction(mint, account, authority, 1n, [], spl.TOKEN_2022_PROGRAM_ID),
    spl.createFreezeAccountInstruction(account, mint, authority, [], spl.TOKEN_2022_PROGRAM_ID),
  ]
}

/** Replaces the wallet's unit in one transaction, so that the wallet is never unverified. */
export function renew(credential: Credential, wallet: PublicKey, memoText: string): TransactionInstruction[] {
  const { mint, authority } = credential
  const account = tokenAccountOf(mint, wallet)
  return [
    spl.createThawAccountInstruction(account, mint, authority, [], spl.TOKEN_2022_PROGRAM_ID),
    spl.createBurnInstruction(account, mint, authority, 1n, [], spl.TOKEN_2022_PROGRAM_ID),
    memo(memoText),
    spl.createMintToInstruction(mint, account, authority, 1n, [], spl.TOKEN_2022_PROGRAM_ID),
    spl.createFreezeAccountInstruction(account, mint, authority, [], spl.TOKEN_2022_PROGRAM_ID),
  ]
}

/** Burns all units that the wallet holds, as the permanent delegate: one, unless an earlier fault left more. */
export function revoke(
  credential: Credential,
  wallet: PublicKey,
  { units, memoText }: { units: bigint; memoText: string },
): TransactionInstruction[] {
  const { mint, authority } = credential
  const account = tokenAccountOf(mint, wallet)
  return [
    spl.createThawAccountInstruction(account, mint, authority, [], spl.TOKEN_2022_PROGRAM_ID),
    memo(memoText),
    spl.createBurnInstruction(account, mint, authority, units, [], spl.TOKEN_2022_PROGRAM_ID),
    spl.createFreezeAccountInstruction(account, mint, authority, [], spl.TOKEN_2022_PROGRAM_ID),
  ]
}
