import bs58 from "bs58"
import { type Key, keyOfBase58 } from "../chain/keys.ts"
import type { Commitment, Slots } from "../chain/slots.ts"
import { invalidParams, RpcError } from "./rpc.ts"

/** Parsers of parameters. Each throws a cluster's -32602. */

export function address(param: unknown): Key {
  const key = typeof param === "string" ? keyOfBase58(param) : null
  if (key === null) throw invalidParams("Invalid param: Invalid address: 32 bytes in base58 are expected")
  return key
}

export function signature(param: unknown): string {
  // 64 bytes are at most 88 characters.
  const bytes = typeof param === "string" && param.length <= 88 ? bs58.decodeUnsafe(param) : undefined
  if (bytes?.length !== 64) throw invalidParams("Invalid param: Invalid signature: 64 bytes in base58 are expected")
  return param as string
}

export function wholeNumber(param: unknown, name: string): number {
  // Rounding does no harm: such a large number is beyond every slot and size.
  if (typeof param === "bigint" && param < 2n ** 64n) return Number(param)
  if (!Number.isSafeInteger(param) || (param as number) < 0)
    throw invalidParams(`Invalid params: ${name} must be a whole number, not negative`)
  return param as number
}

export const optionalNumber = (param: unknown, name: string): number | null =>
  param === undefined || param === null ? null : wholeNumber(param, name)

export function text(param: unknown, name: string): string {
  if (typeof param !== "string") throw invalidParams(`Invalid params: ${name} must be a string`)
  return param
}

export function list(param: unknown, name: string, max: number): unknown[] {
  if (!Array.isArray(param)) throw invalidParams(`Invalid params: ${name} must be an array`)
  if (param.length > max) throw invalidParams(`Too many inputs provided; max ${max}`)
  return param
}

export type Config = Readonly<Record<string, unknown>>

export function config(param: unknown): Config {
  if (param === undefined || param === null) return {}
  if (typeof param !== "object" || Array.isArray(param))
    throw invalidParams("Invalid params: the configuration must be an object")
  return param as Config
}

/** Like a cluster, takes an unknown name for finalized, such as those that old clients use. */
export function commitment(param: unknown): Commitment {
  if (param !== undefined && param !== null && typeof param !== "string")
    throw invalidParams("Invalid params: a commitment is a string")
  return param === "processed" || param === "confirmed" ? param : "finalized"
}

/** As on a cluster, methods about transactions refuse `processed`. */
export function settledCommitment(param: unknown): Commitment {
  const found = commitment(param)
  if (found === "processed") throw invalidParams("Method does not support commitment below `confirmed`")
  return found
}

/** Throws if the chain, at this commitment, has not reached the slot that the caller has seen. */
export function requireMinContextSlot(slots: Slots, { minContextSlot }: Config, at: Commitment) {
  const min = optionalNumber(minContextSlot, "minContextSlot")
  const contextSlot = slots.slot(at)
  if (min !== null && min > contextSlot)
    throw new RpcError(-32016, "Minimum context slot has not been reached", { contextSlot })
}

export type Encoding = "base58" | "base64"

export function wireEncoding(param: unknown): Encoding {
  if (param === undefined || param === null || param === "base58") return "base58"
  if (param === "base64") return "base64"
  throw invalidParams(`unsupported encoding: ${String(param)}. Supported encodings: base58, base64`)
}

/** Decodes base58 or base64. Null if the text is not valid. */
export function decodeBytes(encoded: string, encoding: Encoding): Buffer | null {
  if (encoding === "base58") {
    const bytes = bs58.decodeUnsafe(encoded)
    return bytes === undefined ? null : Buffer.from(bytes)
  }
  const bytes = Buffer.from(encoded, "base64")
  return bytes.toString("base64") === encoded ? bytes : null
}
