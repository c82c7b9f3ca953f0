import { zstdCompressSync } from "node:zlib"
import bs58 from "bs58"
import { base58OfKey, type Key, SYSVAR_PROGRAM } from "../chain/keys.ts"
import type { Account } from "../chain/vm.ts"
import { type Config, config, wholeNumber } from "../rpc/params.ts"
import { invalidParams, RpcError, u64 } from "../rpc/rpc.ts"
import { parsedAccount } from "./parsed-account.ts"

const RENT_EXEMPT_RENT_EPOCH = u64(2n ** 64n - 1n)
/** Longer data takes too long to encode in base58 (`MAX_BASE58_BYTES`). */
const MAX_BASE58_BYTES = 128

export type AccountView = (account: Account) => unknown
type Options = {
  /** The encoding if the caller names none. */
  encoding?: "binary" | "base64"
  /** Data too long for base58 is refused. In lists of named accounts and in notifications, a text replaces it. */
  tooLong?: "refuse" | "report"
  /** Reads the mint of a token account. */
  find: (key: Key) => Account | null
}

/** Shows accounts as RPC does. Data that `jsonParsed` cannot parse is in base64, as on a cluster. */
export function accountView(
  { encoding, dataSlice }: Config,
  { encoding: byDefault = "binary", tooLong = "refuse", find }: Options,
): AccountView {
  const slice = sliceOf(dataSlice)
  const named = encoding ?? byDefault
  const encode = encoders.get(named)
  if (encode === undefined) throw invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``)
  return (account) => {
    const { lamports, owner, executable } = account
    const data = slice === null ? account.data : account.data.subarray(slice.offset, slice.offset + slice.length)
    if (tooLong === "refuse" && (named === "base58" || named === "binary") && data.length > MAX_BASE58_BYTES)
      throw new RpcError(
        -32600,
        `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
      )
    return {
      lamports: Number(lamports),
      data: (named === "jsonParsed" ? parsedAccount(account, find) : null) ?? encode(data),
      owner: base58OfKey(owner),
      executable,
      rentEpoch: owner === SYSVAR_PROGRAM ? 0 : RENT_EXEMPT_RENT_EPOCH,
      space: account.data.length,
    }
  }
}

const inBase64 = (data: Buffer) => [data.toString("base64"), "base64"]

const inBase58 = (data: Buffer) =>
  data.length > MAX_BASE58_BYTES ? "error: data too large for bs58 encoding" : bs58.encode(data)

const encoders = new Map<unknown, (data: Buffer) => unknown>([
  ["base64", inBase64],
  ["jsonParsed", inBase64],
  ["base64+zstd", (data) => [zstdCompressSync(data).toString("base64"), "base64+zstd"]],
  ["base58", (data) => [inBase58(data), "base58"]],
  ["binary", inBase58],
])

function sliceOf(param: unknown): { offset: number; length: number } | null {
  if (param === undefined || param === null) return null
  const { offset, length } = config(param)
  return { offset: wholeNumber(offset, "dataSlice.offset"), length: wholeNumber(length, "dataSlice.length") }
}
