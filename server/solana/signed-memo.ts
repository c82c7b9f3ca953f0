import type { CompiledInstruction, PublicKey, VersionedTransactionResponse } from "@solana/web3.js"
import bs58 from "bs58"
import { MEMO_PROGRAM_ID } from "./addresses.ts"

/** Stack height of an instruction called by a program that the transaction itself calls. */
const DIRECTLY_CALLED = 2

/** Nodes add the stack height, which web3.js does not type. */
type InnerInstruction = CompiledInstruction & { stackHeight?: number | null }

/**
 * Whether a successful transaction has a memo with this text that a smart wallet's program signed for the wallet, as a
 * multisig does for its vault. The memo program fails unless every account passed to it has signed, and an inner failure
 * fails the whole transaction (https://github.com/solana-program/memo). Only a memo that the wallet's own program calls
 * directly counts: a program called by it could pass the signature on to a memo that no member has seen.
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
