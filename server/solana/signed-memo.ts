import type { PublicKey, VersionedTransactionResponse } from "@solana/web3.js"
import bs58 from "bs58"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/**
 * Whether a transaction that succeeded has a memo with this text that the wallet signed, in an instruction of its own or in
 * one that another program made, as a multisig does for its vault. The memo program fails unless each account that it is
 * given has signed, and what fails inside fails the whole transaction: so the wallet among its accounts is the wallet's
 * signature (https://github.com/solana-program/memo).
 */
export function hasSignedMemo(
  { transaction, meta }: VersionedTransactionResponse,
  wallet: PublicKey,
  text: string,
): boolean {
  if (meta === null || meta.err !== null) return false
  const { message } = transaction
  const loaded = meta.loadedAddresses
  const keys = message.getAccountKeys(loaded ? { accountKeysFromLookups: loaded } : undefined)
  const isWallet = (index: number) => keys.get(index)?.equals(wallet) ?? false
  const expected = Buffer.from(text)
  const all = [
    ...message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIdIndex,
      accounts: accountKeyIndexes,
      data: Buffer.from(data),
    })),
    ...(meta.innerInstructions ?? []).flatMap(({ instructions }) =>
      instructions.map(({ programIdIndex, accounts, data }) => ({
        programIdIndex,
        accounts,
        data: Buffer.from(bs58.decode(data)),
      })),
    ),
  ]
  return all.some(
    ({ programIdIndex, accounts, data }) =>
      keys.get(programIdIndex)?.equals(MEMO_PROGRAM_ID) && accounts.some(isWallet) && data.equals(expected),
  )
}
