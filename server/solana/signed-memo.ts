import type { CompiledInstruction, PublicKey, VersionedTransactionResponse } from "@solana/web3.js"
import bs58 from "bs58"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** How deep an instruction is that the program of a transaction's own instruction calls. */
const DIRECTLY_CALLED = 2

/** Nodes add the depth, which the library does not name. */
type InnerInstruction = CompiledInstruction & { stackHeight?: number | null }

/**
 * Whether a transaction that succeeded has a memo with this text that the program of a smart wallet signed for it, as a
 * multisig does for its vault. The memo program fails unless each account that it is given has signed, and what fails inside
 * fails the whole transaction (https://github.com/solana-program/memo). Only the wallet's own program can sign for it, so
 * only a memo that this program calls itself counts: any program that it calls could pass the signature on, to a memo that
 * no member has seen.
 */
export function hasMemoOfProgram(
  { transaction, meta }: VersionedTransactionResponse,
  wallet: PublicKey,
  text: string,
): boolean {
  if (meta === null || meta.err !== null) return false
  const loaded = meta.loadedAddresses
  const keys = transaction.message.getAccountKeys(loaded ? { accountKeysFromLookups: loaded } : undefined)
  const expected = Buffer.from(text)
  const inner: InnerInstruction[] = (meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions)
  return inner.some(
    ({ programIdIndex, accounts, data, stackHeight }) =>
      stackHeight === DIRECTLY_CALLED &&
      keys.get(programIdIndex)?.equals(MEMO_PROGRAM_ID) &&
      accounts.some((index) => keys.get(index)?.equals(wallet)) &&
      Buffer.from(bs58.decode(data)).equals(expected),
  )
}
