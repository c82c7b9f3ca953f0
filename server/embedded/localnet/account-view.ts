import bs58 from "bs58"
import { base58OfKey } from "./keys.ts"
import { type Config, config, wholeNumber } from "./params.ts"
import { invalidParams } from "./rpc.ts"
import type { Account } from "./vm.ts"

const RENT_EXEMPT_RENT_EPOCH = Number(2n ** 64n - 1n)
/** More takes base58 too long (`MAX_BASE58_BYTES`). */
const MAX_BASE58_BYTES = 128

export type AccountView = (account: Account) => unknown

/**
 * Makes what RPC shows of an account. `jsonParsed` gives base64: that is what a cluster answers, too, for data that
 * it cannot parse.
 */
export function accountView({ encoding = "base64", dataSlice }: Config): AccountView {
  const slice = sliceOf(dataSlice)
  const encode = encoders.get(encoding)
  if (encode === undefined) throw invalidParams(`Invalid params: unknown variant \`${String(encoding)}\``)
  return ({ lamports, data, owner, executable }) => ({
    lamports: Number(lamports),
    data: encode(slice === null ? data : data.subarray(slice.offset, slice.offset + slice.length)),
    owner: base58OfKey(owner),
    executable,
    rentEpoch: RENT_EXEMPT_RENT_EPOCH,
    space: data.length,
  })
}

const inBase64 = (data: Buffer) => [data.toString("base64"), "base64"]

/** What is too long becomes this text, as in a cluster's lists and notifications (its `getAccountInfo` refuses). */
const inBase58 = (data: Buffer) =>
  data.length > MAX_BASE58_BYTES ? "error: data too large for bs58 encoding" : bs58.encode(data)

const encoders = new Map<unknown, (data: Buffer) => unknown>([
  [null, inBase64],
  ["base64", inBase64],
  ["jsonParsed", inBase64],
  ["base58", (data) => [inBase58(data), "base58"]],
  ["binary", inBase58],
])

function sliceOf(param: unknown): { offset: number; length: number } | null {
  if (param === undefined || param === null) return null
  const { offset, length } = config(param)
  return { offset: wholeNumber(offset, "dataSlice.offset"), length: wholeNumber(length, "dataSlice.length") }
}
