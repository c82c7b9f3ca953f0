import type { IncomingMessage } from "node:http"
import { fail } from "#server/errors.ts"

/** Largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024
/** Largest body of a webhook, in bytes: vendors put whole reports into theirs. */
export const MAX_WEBHOOK_BYTES = 1024 * 1024

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
