import bs58 from "bs58"

/**
 * 32 bytes (an address, a blockhash) as a string of 32 latin-1 characters. With one byte per character it is the
 * smallest and fastest key for a Map, and converting bytes costs a tenth of base58.
 */
export type Key = string & { readonly __key: unique symbol }

export const keyOfBytes = (bytes: Uint8Array): Key =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1") as Key

export const keyAt = (bytes: Buffer, offset: number): Key => bytes.toString("latin1", offset, offset + 32) as Key

export const bytesOfKey = (key: Key): Buffer => Buffer.from(key, "latin1")

export const base58OfKey = (key: Key): string => bs58.encode(bytesOfKey(key))

/** Parses a key in base58. Null if the text is not 32 bytes of base58. */
export function keyOfBase58(text: string): Key | null {
  // 32 bytes are 32 to 44 characters. Decoding longer text would waste time.
  if (text.length < 32 || text.length > 44) return null
  const bytes = bs58.decodeUnsafe(text)
  return bytes?.length === 32 ? keyOfBytes(bytes) : null
}

/** For addresses in the source code. */
export function knownKey(text: string): Key {
  const key = keyOfBase58(text)
  if (key === null) throw new Error(`${text} is not an address`)
  return key
}

export const SYSTEM_PROGRAM = knownKey("11111111111111111111111111111111")
export const SYSVAR_PROGRAM = knownKey("Sysvar1111111111111111111111111111111111111")
export const COMPUTE_BUDGET_PROGRAM = knownKey("ComputeBudget111111111111111111111111111111")
export const ADDRESS_LOOKUP_TABLE_PROGRAM = knownKey("AddressLookupTab1e1111111111111111111111111")
export const TOKEN_PROGRAM = knownKey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
export const TOKEN_2022_PROGRAM = knownKey("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
const MEMO_PROGRAM = knownKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
const MEMO_PROGRAM_V1 = knownKey("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo")

export const isTokenProgram = (key: Key): boolean => key === TOKEN_2022_PROGRAM || key === TOKEN_PROGRAM
export const isMemoProgram = (key: Key): boolean => key === MEMO_PROGRAM || key === MEMO_PROGRAM_V1
