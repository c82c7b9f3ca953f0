import bs58 from "bs58"

// The shape of a response in one line: its keys, the types of its values and the ranges of its numbers. Texts that are
// the same in every run stay.

/** The shape of each call's response, by the call's name. */
export type Shapes = Record<string, string>

/** For refused parameters only the code counts, because a parser writes the message. */
export function answerShape(answer: unknown): string {
  const { result, error } = answer as {
    result?: unknown
    error?: { code: number; message: string; data?: unknown }
  }
  if (error === undefined) return shapeOf(result)
  const message = error.code === -32602 ? "" : ` ${shapeOf(error.message)}`
  return `error ${error.code}${message}${"data" in error ? ` ${shapeOf(error.data)}` : ""}`
}

/** Parses JSON. Numbers beyond a JavaScript number become bigint. */
export const parseExact = (text: string): unknown =>
  JSON.parse(text, (_key, value, context?: { source?: string }) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? BigInt(context?.source ?? value)
      : value,
  )

const ENCODINGS = new Set<unknown>(["base58", "base64", "base64+zstd"])

export function shapeOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === "boolean") return String(value)
  if (typeof value === "bigint") return value < 2n ** 64n - 1n ? "n" : value < 2n ** 64n ? "u64::MAX" : "beyond u64"
  if (typeof value === "number") return !Number.isInteger(value) ? "float" : value < 0 ? "negative" : "n"
  if (typeof value === "string") return textShape(value)
  if (Array.isArray(value)) return arrayShape(value)
  const keys = Object.keys(value).sort()
  const entries = keys.map((key) => {
    const one = (value as Record<string, unknown>)[key]
    const shape = isOwnerKey(key) ? '"<address>"' : isLog(key) && one ? logShape(one as unknown[]) : shapeOf(one)
    return `${isAddress(key) ? "<address>" : key}: ${shape}`
  })
  return `{${[...new Set(entries)].join(", ")}}`
}

const isOwnerKey = (key: string) => key === "address" || key === "pubkey"
/** Programs of another release do the same, but write other lines. */
const isLog = (key: string) => key === "logs" || key === "logMessages"
const logShape = (lines: unknown[]) => (lines.length === 0 ? "[]" : "[line…]")

/** The shape of a list: the shapes of its elements, each once, in any order. */
function arrayShape(values: unknown[]): string {
  const [data, encoding] = values
  if (values.length === 2 && ENCODINGS.has(encoding)) return `[${data === "" ? '""' : "<bytes>"}, "${encoding}"]`
  const kinds = [...new Set(values.map(shapeOf))].sort()
  return kinds.length === 0 ? "[]" : `[${kinds.join(" | ")}…]`
}

const isAddress = (text: string) => bytesOf(text) === 32
const bytesOf = (text: string) => (text.length > 90 ? null : (bs58.decodeUnsafe(text)?.length ?? null))

const BASE58 = /[1-9A-HJ-NP-Za-km-z]{32,88}/g

/** The addresses of programs and sysvars stay, because they are the same in every run. */
const wellKnown = /^(?:Sysvar|Token|ATokenG|Memo|ComputeBudget|AddressLookupTab|BPFLoader|NativeLoader|Vote1)/

function textShape(text: string): string {
  if (/^1{32}$/.test(text)) return '"<system program>"'
  if (/^[0-9]{1,20}$/.test(text)) return '"<digits>"'
  if (/^[0-9]+\.[0-9]+$/.test(text)) return '"<decimal>"'
  if (/^[0-9]+\.[0-9]+\.[0-9]+/.test(text)) return '"<version>"'
  const named = text
    .replace(BASE58, (found) => {
      if (wellKnown.test(found)) return found
      const bytes = bytesOf(found)
      return bytes === 32 ? "<address>" : bytes === 64 ? "<signature>" : found
    })
    .replace(/\b\d+\b/g, "#")
  const isEncoded = /^[A-Za-z0-9+/]+=*$/.test(text) && /[0-9+/=]/.test(text) && !wellKnown.test(text)
  if (isEncoded && (text.length > 90 || (named === text && text.length > 20))) return '"<bytes>"'
  return JSON.stringify(named)
}
