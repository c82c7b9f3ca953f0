import { TOKEN_2022, toBase58 } from "./address.ts"

/** An account from a node: its program and its bytes. */
export type Account = { program: string; data: Uint8Array }

/** Layout of Token-2022's accounts: spl-token's, then the kind of account, then extensions as type, length and value. */
const MINT_BYTES = 82
const TOKEN_ACCOUNT_BYTES = 165
const KIND_AT = 165
const KIND_MINT = 1
const KIND_TOKEN_ACCOUNT = 2
export const FROZEN = 2

/** Types of extensions. */
const DEFAULT_ACCOUNT_STATE = 6
const NON_TRANSFERABLE = 9
const PERMANENT_DELEGATE = 12
const METADATA_POINTER = 18
const TOKEN_METADATA = 19

/** The content of a mint. Null for an authority that is not set. */
export type Mint = {
  authority: string | null
  freezeAuthority: string | null
  decimals: number
  isNonTransferable: boolean
  isBornFrozen: boolean
  permanentDelegate: string | null
  metadataAt: string | null
  metadata: { updateAuthority: string; mint: string; fields: Map<string, string> } | null
}

export type TokenAccount = { mint: string; holder: string; amount: bigint; state: number }

/** Reads bytes from the start. Throws past their end. */
class Reader {
  #at: number
  readonly #bytes: Uint8Array
  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes
    this.#at = at
  }
  get left(): number {
    return this.#bytes.length - this.#at
  }
  take(length: number): Uint8Array {
    if (length > this.left) throw new RangeError("The account is cut off.")
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }
  number(bytes: number): bigint {
    return this.take(bytes).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  }
  key(): string {
    return toBase58(this.take(32))
  }
  /** An optional key, after four bytes that say whether it is present. */
  optionalKey(): string | null {
    const isThere = this.number(4) === 1n
    const key = this.key()
    return isThere ? key : null
  }
  /** A key whose bytes are all zero means none. */
  keyOrNull(): string | null {
    const bytes = this.take(32)
    return bytes.some((byte) => byte !== 0) ? toBase58(bytes) : null
  }
  text(): string {
    return new TextDecoder().decode(this.take(Number(this.number(4))))
  }
}

/** Parses an account as a mint. Null if it is not a mint of Token-2022. */
export function readMint({ program, data }: Account): Mint | null {
  if (program !== TOKEN_2022 || data.length < MINT_BYTES || !isKind(data, KIND_MINT, MINT_BYTES)) return null
  try {
    const reader = new Reader(data)
    const authority = reader.optionalKey()
    reader.take(8)
    const decimals = Number(reader.number(1))
    if (reader.number(1) !== 1n) return null
    const freezeAuthority = reader.optionalKey()
    const extensions = extensionsOf(data)
    const value = (type: number): Reader | null => {
      const bytes = extensions.get(type)
      return bytes ? new Reader(bytes) : null
    }
    const pointer = value(METADATA_POINTER)
    pointer?.take(32)
    const metadata = value(TOKEN_METADATA)
    return {
      authority,
      freezeAuthority,
      decimals,
      isNonTransferable: extensions.has(NON_TRANSFERABLE),
      isBornFrozen: value(DEFAULT_ACCOUNT_STATE)?.number(1) === BigInt(FROZEN),
      permanentDelegate: value(PERMANENT_DELEGATE)?.keyOrNull() ?? null,
      metadataAt: pointer?.keyOrNull() ?? null,
      metadata: metadata && readMetadata(metadata),
    }
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Parses an account as a token account. Null if it is not one of Token-2022. */
export function readTokenAccount({ program, data }: Account): TokenAccount | null {
  if (program !== TOKEN_2022 || !isKind(data, KIND_TOKEN_ACCOUNT, TOKEN_ACCOUNT_BYTES)) return null
  const reader = new Reader(data)
  const [mint, holder, amount] = [reader.key(), reader.key(), reader.number(8)]
  return { mint, holder, amount, state: data[108]! }
}

/** Unix seconds of the chain's clock. */
export function readClock({ data }: Account): number {
  const reader = new Reader(data)
  reader.take(32)
  return Number(reader.number(8))
}

/** Without extensions an account has a fixed length and no byte for its type. */
const isKind = (data: Uint8Array, kind: number, length: number): boolean =>
  data.length === length || data[KIND_AT] === kind

function extensionsOf(data: Uint8Array): Map<number, Uint8Array> {
  const extensions = new Map<number, Uint8Array>()
  if (data.length <= KIND_AT + 1) return extensions
  const reader = new Reader(data, KIND_AT + 1)
  while (reader.left >= 4) {
    const type = Number(reader.number(2))
    // The rest after the last extension is zeros.
    if (type === 0) break
    extensions.set(type, reader.take(Number(reader.number(2))))
  }
  return extensions
}

function readMetadata(reader: Reader): Mint["metadata"] {
  const [updateAuthority, mint] = [reader.key(), reader.key()]
  for (const _ of ["name", "symbol", "uri"]) reader.text()
  const fields = new Map<string, string>()
  for (let left = reader.number(4); left > 0n; left--) fields.set(reader.text(), reader.text())
  return { updateAuthority, mint, fields }
}
