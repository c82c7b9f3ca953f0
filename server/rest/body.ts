import type { IncomingMessage } from "node:http"
import { fail } from "#server/errors.ts"

/** Largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024
/** Largest body of a webhook, in bytes: vendors put whole reports into theirs. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024
/** Deepest nesting of a JSON body. What Vouch reads is flat; more would only cost time. */
const MAX_DEPTH = 32

/** The raw bytes of the body. Errors: payload_too_large, as soon as it is known. */
export function readBytes(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => {
      try {
        fail("payload_too_large", `The body may have at most ${limit} bytes.`)
      } catch (error) {
        reject(error)
      }
    }
    if (Number(request.headers["content-length"] ?? 0) > limit) return tooLarge()
    const chunks: Buffer[] = []
    let size = 0
    request.on("data", (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        request.pause()
        tooLarge()
      } else chunks.push(chunk)
    })
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on("error", () => reject(new RequestAborted()))
    // It closes after every request: only one that broke off is worth an error with its stack.
    request.on("close", () => {
      if (!request.complete) reject(new RequestAborted())
    })
  })
}

/** The client went away before its request was complete: there is nobody to answer. */
export class RequestAborted extends Error {}

/** Errors: unsupported_media_type. A request without a body needs no media type. */
export function requireJson(request: IncomingMessage, bytes: Buffer): void {
  const { "content-type": type, "content-encoding": encoding } = request.headers
  if (type === undefined && bytes.length === 0) return
  const parts = /^application\/json *(?:; *charset="?([^";]+)"? *)?$/i.exec(type ?? "")
  const charset = parts?.[1]?.trim().toLowerCase() ?? "utf-8"
  if (!parts || (charset !== "utf-8" && charset !== "utf8")) {
    fail("unsupported_media_type", "Content-Type: must be application/json, in UTF-8.")
  }
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    fail("unsupported_media_type", "Content-Encoding: compressed bodies are not taken.")
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * The JSON object in a body; an empty body is an empty object. A number in the field `amount` comes as its source text,
 * because a double cannot hold it. Errors: malformed_json, malformed_request.
 */
export function parseObject(bytes: Buffer, typed: boolean): { [field: string]: unknown } {
  if (bytes.length === 0 && !typed) return {}
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    return fail("malformed_request", "The body is not UTF-8.", { cause })
  }
  if (depthOf(text) > MAX_DEPTH)
    return fail("malformed_request", `The body is nested deeper than ${MAX_DEPTH} levels.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return fail("malformed_json", "The body is not valid JSON.", { cause })
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fail("malformed_request", "The body must be a JSON object.")
  }
  const object = value as { [field: string]: unknown }
  if (typeof object.amount === "number") object.amount = sourceOf(text, "amount")
  return object
}

/** The digits of a number in a field of the outermost object, as they stand in the text. */
function sourceOf(text: string, field: string): string | undefined {
  // The reviver's third argument (ECMAScript 2025, "JSON.parse source text access") is not in TypeScript's types yet.
  const revive = (key: string, value: unknown, context?: { source: string }) =>
    key === field && typeof value === "number" ? new Source(context!.source) : value
  const revived = JSON.parse(text, revive as Parameters<typeof JSON.parse>[1])[field]
  return revived instanceof Source ? revived.text : undefined
}

class Source {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Deepest nesting of brackets outside of strings. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (quoted) {
      if (c === 0x5c) i++
      else if (c === 0x22) quoted = false
    } else if (c === 0x22) quoted = true
    else if (c === 0x7b || c === 0x5b) deepest = Math.max(deepest, ++depth)
    else if (c === 0x7d || c === 0x5d) depth--
  }
  return deepest
}
