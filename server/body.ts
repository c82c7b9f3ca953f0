import type { IncomingMessage, ServerResponse } from "node:http"
import { type ErrorCode, Failure, fail } from "./errors.ts"

/** Largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024
/** Largest body of a webhook, in bytes. Vendors' events are a few KiB; some repeat the whole case in theirs. */
export const MAX_WEBHOOK_BYTES = 256 * 1024

/** How long a body may take, from when it is wanted. */
export const SLOWEST_BODY_MS = 20_000
/** What all bodies that have begun and not ended may take together, in bytes: of the process, and of one network. */
const ALL_BYTES = 16 * 1024 * 1024
const NETWORK_BYTES = 4 * 1024 * 1024
/** First size of a buffer for a body that comes in pieces; it doubles. */
const FIRST_BYTES = 4 * 1024

/**
 * Pieces that a body may come in: so many, and one more for each so many bytes. Each is an event, so that a body in
 * pieces of one byte costs a hundred times what it is. Clients that write JSON word by word stay far below.
 */
const FREE_PIECES = 512
const PIECE_BYTES = 32

/** Requests whose body came in too many pieces, and the event that says so to whoever reads it. */
const inPieces = new WeakSet<IncomingMessage>()
const IN_PIECES = Symbol("in too many pieces")

/**
 * Counts the pieces of a body from the first one, whoever reads it and when: Node makes them of all that has come in one
 * packet before anybody can look, and each takes some hundred bytes for as long as it is kept. What is too many is not.
 */
export function boundPieces(request: IncomingMessage, response: ServerResponse): void {
  let pieces = 0
  let bytes = 0
  const push = request.push.bind(request)
  request.push = (piece: Buffer | null, encoding) => {
    if (inPieces.has(request)) return false
    if (piece !== null) {
      pieces++
      if (pieces > FREE_PIECES + bytes / PIECE_BYTES) {
        inPieces.add(request)
        // What has not been read is not the next request. Who reads this body refuses it; not all do.
        if (response.headersSent) request.socket.destroy()
        else response.shouldKeepAlive = false
        request.emit(IN_PIECES)
        return false
      }
      bytes += piece.length
    }
    return push(piece, encoding)
  }
}

/** The client went away before its request was complete: there is nobody to answer. */
export class RequestAborted extends Error {}

/**
 * The raw bytes of a body. `network` is the client's: what one may have begun is limited. Errors:
 * payload_too_large, as soon as it is known; malformed_request when it comes too slowly; rate_limited and server_busy
 * when too much has been begun and not ended. All of these end the connection, as its rest is not read.
 */
export function readBody(request: IncomingMessage, limit: number, network: string): Promise<Buffer> {
  if (request.destroyed) return Promise.reject(new RequestAborted())
  const declared = Number(request.headers["content-length"] ?? Number.NaN)
  if (declared > limit) return Promise.reject(tooLarge(limit))
  if (inPieces.has(request)) return Promise.reject(tooSmall())
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const body = new UnfinishedBody(network, (failure) => settle(failure))
  // One that is here already needs no clock.
  const timer = request.complete ? undefined : setTimeout(() => settle(tooSlow()), SLOWEST_BODY_MS)
  let settled = false
  /** All of it, where it came in one piece: most do, and need no copy. */
  let whole: Buffer | null = null

  function settle(outcome: Buffer | Error): void {
    if (settled) return
    settled = true
    clearTimeout(timer)
    body.release()
    if (outcome instanceof Error) {
      request.pause()
      reject(outcome)
    } else resolve(outcome)
  }
  request.on("data", (chunk: Buffer) => {
    if (settled) return
    if (body.size + chunk.length > limit) settle(tooLarge(limit))
    else if (chunk.length === declared) whole = chunk
    else body.add(chunk, Math.min(limit, declared || limit))
  })
  request.on(IN_PIECES, () => settle(tooSmall()))
  request.on("end", () => settle(whole ?? body.bytes()))
  // It closes after every request: only one that broke off is worth an error with its stack.
  for (const event of ["error", "close"]) {
    request.on(event, () => {
      if (!settled) settle(new RequestAborted())
    })
  }
  return promise
}

const ends = (code: ErrorCode, detail: string, retryAfterSeconds?: number) =>
  new Failure(code, detail, {
    endsConnection: true,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
const tooLarge = (limit: number) => ends("payload_too_large", `The body may have at most ${limit} bytes.`)
const tooSlow = () =>
  ends("malformed_request", `The body came too slowly: send it within ${SLOWEST_BODY_MS / 1000} s.`)
const tooSmall = () =>
  ends("malformed_request", "The body comes in too many small pieces: send it in one, or in some of 1 KiB.")
const tooMany = () =>
  ends("rate_limited", "This address has begun more requests than it may without ending them.", 1)
const tooBusy = () => ends("server_busy", "Too many requests have been begun and not ended. Retry in 1 s.", 1)

/** What one network has begun and not ended, the oldest first. */
type Holder = { bytes: number; bodies: Set<UnfinishedBody> }

const holders = new Map<string, Holder>()
let allBytes = 0

/**
 * A body that comes in pieces: one buffer that grows, as a list of pieces would take a hundred bytes for each that
 * has one. When memory for such bodies is used up, the oldest of the network that holds most gives way: whoever
 * sends a request at once is through before it is their turn, however many others only pretend to send.
 */
class UnfinishedBody {
  readonly #network: string
  readonly #giveWay: (failure: Failure) => void
  #buffer: Buffer = Buffer.alloc(0)
  size = 0

  constructor(network: string, giveWay: (failure: Failure) => void) {
    this.#network = network
    this.#giveWay = giveWay
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.size)
  }

  /** Adds a piece; the buffer never grows beyond `most`, which is no less than what it holds. */
  add(piece: Buffer, most: number): void {
    const size = this.size + piece.length
    if (size > this.#buffer.length) {
      const capacity = Math.max(size, Math.min(most, Math.max(FIRST_BYTES, this.#buffer.length * 2)))
      const grown = Buffer.allocUnsafeSlow(capacity)
      this.#buffer.copy(grown, 0, 0, this.size)
      const more = capacity - this.#buffer.length
      this.#buffer = grown
      piece.copy(grown, this.size)
      this.size = size
      this.#take(more)
    } else {
      piece.copy(this.#buffer, this.size)
      this.size = size
    }
  }

  #take(bytes: number): void {
    const holder = holders.get(this.#network) ?? { bytes: 0, bodies: new Set() }
    holders.set(this.#network, holder)
    holder.bodies.add(this)
    holder.bytes += bytes
    allBytes += bytes
    while (holder.bytes > NETWORK_BYTES) oldestOf(holder).#giveWay(tooMany())
    while (allBytes > ALL_BYTES) oldestOf(largestHolder()).#giveWay(tooBusy())
  }

  /** It has ended, one way or another. */
  release(): void {
    const holder = holders.get(this.#network)
    if (!holder?.bodies.delete(this)) return
    holder.bytes -= this.#buffer.length
    allBytes -= this.#buffer.length
    if (holder.bodies.size === 0) holders.delete(this.#network)
  }
}

function oldestOf({ bodies }: Holder): UnfinishedBody {
  const [oldest] = bodies
  return oldest!
}

const largestHolder = (): Holder => [...holders.values()].reduce((a, b) => (b.bytes > a.bytes ? b : a))

/** What unfinished bodies take now; for tests. */
export const unfinishedBytes = (): number => allBytes

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** A body as text, without the byte order mark that some writers put before it. Errors: malformed_request. */
export function readText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    return fail("malformed_request", "The body is not UTF-8.", { cause })
  }
}

// A parameter of a media type (RFC 9110, 5.6.6), one after the other from where the last one ended: no position is tried
// twice, so that a long header costs no more than its length.
const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?/y

/** Whether a Content-Type says JSON in UTF-8. Other parameters than `charset` mean nothing here. */
export function isJsonType(type: string): boolean {
  const end = type.indexOf(";")
  if ((end < 0 ? type : type.slice(0, end)).trim().toLowerCase() !== "application/json") return false
  const rest = end < 0 ? "" : type.slice(end).trimEnd()
  let at = 0
  for (; at < rest.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at
    const found = PARAMETER.exec(rest)
    if (!found) return false
    const [, name, value] = found
    if (name?.toLowerCase() === "charset" && !/^"?utf-?8"?$/i.test(value!)) return false
  }
  return true
}

/** Errors: unsupported_media_type. A request without a body needs no media type. */
export function requireJson(request: IncomingMessage, bytes: Buffer): void {
  const { "content-type": type, "content-encoding": encoding } = request.headers
  if (type === undefined && bytes.length === 0) return
  if (type === undefined || !isJsonType(type)) {
    fail("unsupported_media_type", "Content-Type: must be application/json, in UTF-8.")
  }
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    fail("unsupported_media_type", "Content-Encoding: compressed bodies are not taken.")
  }
}
