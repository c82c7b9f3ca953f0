import { createHash } from "node:crypto"
import { bytesOfKey, type Key, keyAt, SYSTEM_PROGRAM } from "./keys.ts"
import type { Account, Vm } from "./vm.ts"
import { isWritable, type Message } from "./wire.ts"

/** `SystemInstruction::AdvanceNonceAccount`. */
const ADVANCE_NONCE = 4
/** u32 version, u32 state (1: initialized), authority, nonce, u64 fee. */
const NONCE_ACCOUNT_BYTES = 80
const NONCE_AT = 40

/**
 * The nonce account that a transaction uses instead of a recent blockhash: the first instruction advances it, it holds
 * that nonce, and its authority signs. Null if any of this does not hold.
 */
export function nonceAccountOf(vm: Vm, message: Message): { key: Key; account: Account } | null {
  const [first] = message.instructions
  const index = first?.accounts[0]
  if (first === undefined || index === undefined || index >= message.keys.length) return null
  const advances = first.data.length >= 4 && first.data.readUInt32LE(0) === ADVANCE_NONCE
  if (!advances || message.keys[first.programIdIndex] !== SYSTEM_PROGRAM || !isWritable(message, index)) return null
  const key = message.keys[index]!
  const account = vm.account(key)
  if (account === null || account.owner !== SYSTEM_PROGRAM || account.data.length !== NONCE_ACCOUNT_BYTES) return null
  const initialized = account.data.readUInt32LE(4) === 1
  const signers = message.keys.slice(0, message.requiredSignatures)
  const holdsNonce = keyAt(account.data, NONCE_AT) === message.blockhash
  return initialized && holdsNonce && signers.includes(keyAt(account.data, 8)) ? { key, account } : null
}

/** The account with its next nonce. A failed transaction uses up the old one, too. */
export function advanced(account: Account, blockhash: Key): Account {
  const data = Buffer.from(account.data)
  createHash("sha256").update("DURABLE_NONCE").update(bytesOfKey(blockhash)).digest().copy(data, NONCE_AT)
  return { ...account, data }
}
