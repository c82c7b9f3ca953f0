import type { IncomingMessage, ServerResponse } from "node:http"
import { type ErrorCode, Failure, fail } from "#shared/errors.ts"
import { hasStalledSince } from "./stall.ts"

/** Largest body of a request, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024
/** Largest body of a webhook, in bytes. Vendors' events are a few KiB, but some contain the whole case. */
export const MAX_WEBHOOK_BYTES = 256 * 1024

/** How long a body may take. */
export const SLOWEST_BODY_MS = 20_000
/** The most bytes that all bodies may take together, in the process and for one network. */
const ALL_BYTES = 16 * 1024 * 1024
const NETWORK_BYTES = 4 * 1024 * 1024
/** First size of the buffer for a body that comes in pieces. It doubles. */
const FIRST_BYTES = 4 * 1024

/**
 * The most pieces of a body: a fixed number, and one more for each `PIECE_BYTES` bytes. Each piece is an event, so a
 * body in pieces of one byte costs a hundred times its size. Clients that write JSON word by word stay far below.
 */
const FREE_PIECES = 512
const PIECE_BYTES = 32

/** Whether a request has a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined

/** Requests whose body came in too many pieces, and the event that informs the reader. */
const inPieces = new WeakSet<IncomingMessage>()
const IN_PIECES = Symbol("in too many pieces")

/** Counts a body's pieces, read or not: Node makes all of a packet at once. Those beyond the limit are not kept. */
export function boundPieces(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  let pieces = 0
  let bytes = 0
  const push = request.push.bind(request)
  request.push = (piece: Buffer | null, encoding) => {
    if (inPieces.has(request)) return false
    if (piece !== null) {
      pieces++
      if (pieces > FREE_PIECES + bytes / PIECE_BYTES) {
        inPieces.add(request)
        // The unread rest must not be taken for the next request. If nothing reads this body, nothing else ends the
        // connection.
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

/** The client disconnected before its request was complete, so there is no one to answer. */
export class RequestAborted extends Error {}

/** Bodies in memory: being read, or read and not dropped yet. */
const bodies = new WeakMap<IncomingMessage, Body>()

type Bound = {
  /** The most bytes of the body. */
  limit: number
  /** The client's network. All bodies of one network share a limit. */
  network: string
}

/** Starts reading a body at once: bytes unread in a stream are not counted. Takes memory until it is dropped. */
export function beginBody(request: IncomingMessage, bound: Bound): void {
  bodies.set(request, new Body(request, bound))
}

/** Frees the memory of a body, and ignores the rest of it. */
export function dropBody(request: IncomingMessage): void {
  const body = bodies.get(request)
  if (!body) return
  body.drop()
  bodies.delete(request)
  // `bufferBody` put it there. A waiting answer keeps its request alive.
  Object.assign(request, { body: undefined })
}

/** Refuses a request whose body is being sent, because its connection must close. False if no body is being sent. */
export function refuseBody(request: IncomingMessage): boolean {
  const body = bodies.get(request)
  return body?.refuse(tooBusy()) ?? false
}

/**
 * The raw bytes of a body. Errors: payload_too_large, as soon as it is known; malformed_request if it comes too slowly or
 * in too many pieces; rate_limited and server_busy if all bodies take too much memory; server_busy if this process stood
 * still. All of these end the connection, because the rest is not read.
 */
export async function readBody(request: IncomingMessage, bound: Bound): Promise<Buffer> {
  const begun = bodies.get(request)
  if (begun) return begun.bytes
  const body = new Body(request, bound)
  try {
    return await body.bytes
  } finally {
    body.drop()
  }
}

const ends = (code: ErrorCode, detail: string, retryAfterSeconds?: number) =>
  new Failure(code, detail, {
    endsConnection: true,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
const tooLarge = (limit: number) =>
  ends("payload_too_large", `The body is larger than ${limit} bytes. Send a smaller one.`)
const tooSlow = (begun: number) =>
  hasStalledSince(begun)
    ? ends("server_busy", "The server stood still and did not read the body. Retry in 1 s.", 1)
    : ends("malformed_request", `The body was sent too slowly. Send it within ${SLOWEST_BODY_MS / 1000} s.`)
const tooSmall = () =>
  ends(
    "malformed_request",
    "The body was sent in too many small pieces. Send it at once, or in pieces of at least 1 KiB.",
  )
const tooMany = () => ends("rate_limited", "Too many unfinished requests from this address. Retry in 1 s.", 1)
const tooBusy = () => ends("server_busy", "Too many unfinished requests. Retry in 1 s.", 1)

/** The bytes of one network's bodies, and its unfinished bodies, oldest first. */
type Holder = { bytes: number; unfinished: Set<Body> }

const holders = new Map<string, Holder>()
let allBytes = 0

const EMPTY = Buffer.alloc(0)

/**
 * A body in one growing buffer, because a list would take a hundred bytes for each piece of one. When the memory for bodies
 * is used up, the oldest unfinished body of the network that holds most is dropped. So a request that is sent at once
 * succeeds, no matter how many unfinished ones are open.
 */
class Body {
  /** Rejects with the errors of `readBody`. */
  readonly bytes: Promise<Buffer>
  readonly #request: IncomingMessage
  readonly #network: string
  readonly #limit: number
  readonly #declared: number
  readonly #settled = Promise.withResolvers<Buffer>()
  readonly #timer: NodeJS.Timeout | undefined
  #isUnfinished = true
  #buffer: Buffer = EMPTY
  #size = 0
  /** The counted size: that of its buffer. */
  #counted = 0

  constructor(request: IncomingMessage, { limit, network }: Bound) {
    this.#request = request
    this.#limit = limit
    this.#network = network
    this.#declared = Number(request.headers["content-length"] ?? Number.NaN)
    this.bytes = this.#settled.promise
    // A rejection without a reader must not end the process.
    this.bytes.catch(() => {})
    const refusal = this.#whyNot()
    // A complete body needs no timer.
    if (refusal === null && !request.complete) {
      const begun = performance.now()
      this.#timer = setTimeout(() => this.#end(tooSlow(begun)), SLOWEST_BODY_MS)
    }
    request.on("data", (piece: Buffer) => this.#add(piece))
    request.on(IN_PIECES, () => this.#end(tooSmall()))
    request.on("end", () => this.#end(this.#whole()))
    // "close" follows every request. Only an aborted one needs an error with a stack.
    for (const event of ["error", "close"]) {
      request.on(event, () => {
        if (this.#isUnfinished) this.#end(new RequestAborted())
      })
    }
    if (refusal) this.#end(refusal)
  }

  /** A problem known before any of it is read. */
  #whyNot(): Error | null {
    if (this.#request.destroyed) return new RequestAborted()
    if (this.#declared > this.#limit) return tooLarge(this.#limit)
    return inPieces.has(this.#request) ? tooSmall() : null
  }

  drop(): void {
    if (this.#isUnfinished) {
      this.#end(new RequestAborted())
      this.#request.resume()
    }
    this.#buffer = EMPTY
    this.#count(0)
  }

  #end(outcome: Buffer | Error): void {
    if (!this.#isUnfinished) return
    this.#isUnfinished = false
    clearTimeout(this.#timer)
    holders.get(this.#network)?.unfinished.delete(this)
    if (outcome instanceof Error) {
      this.#request.pause()
      this.#buffer = EMPTY
      this.#count(0)
      this.#settled.reject(outcome)
    } else this.#settled.resolve(outcome)
  }

  #add(piece: Buffer): void {
    if (!this.#isUnfinished) return
    const size = this.#size + piece.length
    if (size > this.#limit) {
      this.#end(tooLarge(this.#limit))
      return
    }
    // Most bodies come in one piece and need no copy.
    if (piece.length === this.#declared) this.#buffer = piece
    else {
      if (size > this.#buffer.length) this.#grow(size)
      piece.copy(this.#buffer, this.#size)
    }
    this.#size = size
    this.#count(this.#buffer.length)
  }

  /** Doubles the buffer, but not beyond the limit or the announced length. */
  #grow(size: number): void {
    const held = this.#buffer
    const most = Math.min(this.#limit, this.#declared || this.#limit)
    const twice = Math.max(FIRST_BYTES, held.length * 2)
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(size, Math.min(most, twice)))
    held.copy(this.#buffer, 0, 0, this.#size)
  }

  /** The whole body, in a buffer of its size. */
  #whole(): Buffer {
    if (this.#size < this.#buffer.length) {
      this.#buffer = Buffer.from(this.#buffer.subarray(0, this.#size))
      this.#count(this.#size)
    }
    return this.#buffer
  }

  /** Counts this many bytes from now on. The body that is dropped to make room may be this one. */
  #count(bytes: number): void {
    const more = bytes - this.#counted
    if (more === 0) return
    this.#counted = bytes
    allBytes += more
    const holder = holders.get(this.#network) ?? { bytes: 0, unfinished: new Set() }
    holder.bytes += more
    if (holder.bytes === 0) return void holders.delete(this.#network)
    holders.set(this.#network, holder)
    if (this.#isUnfinished) holder.unfinished.add(this)
    if (more < 0) return
    while (holder.bytes > NETWORK_BYTES && dropOldest([holder], tooMany));
    while (allBytes > ALL_BYTES && dropOldest(holders.values(), tooBusy));
  }

  /** Ends it with this error. Returns whether it was unfinished. */
  refuse(failure: Failure): boolean {
    const wasUnfinished = this.#isUnfinished
    this.#end(failure)
    return wasUnfinished
  }
}

/** Drops the oldest unfinished body of the network that holds most. False if there is none. */
function dropOldest(some: Iterable<Holder>, failure: () => Failure): boolean {
  let largest: Holder | undefined
  for (const holder of some) {
    if (holder.unfinished.size > 0 && holder.bytes > (largest?.bytes ?? 0)) largest = holder
  }
  const oldest = largest?.unfinished.values().next().value
  oldest?.refuse(failure())
  return oldest !== undefined
}

/** The bytes that bodies take now, for tests. */
export const bodyBytes = (): number => allBytes

// A parameter of a media type (RFC 9110, 5.6.6). Each match starts where the last one ended, so that no position is tried
// twice and a long header takes linear time.
const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=([\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))?/y

/** Whether a Content-Type says JSON in UTF-8. Parameters other than `charset` are ignored. */
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
    fail("unsupported_media_type", "Content-Encoding: compressed bodies are not supported. Send the body uncompressed.")
  }
}
