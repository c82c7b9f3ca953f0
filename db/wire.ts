import { once } from "node:events"
import type { Socket } from "node:net"
import postgres from "postgres"

// The messages of PostgreSQL's protocol that start a session
// (https://www.postgresql.org/docs/18/protocol-message-formats.html).

export type Message = { type: string; body: Buffer; raw: Buffer }

/** No message of a session's start is longer. */
const MOST_BYTES = 1 << 20

/** A message with a type, such as Q for a query. */
export const message = (type: string, ...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat([Buffer.from(type), lengthened(parts)])

/** A message without a type, like the first ones. */
export function lengthened(parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([length, body])
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** The strings of a message, each ended by a zero. */
export const strings = (body: Buffer): string[] => body.toString("utf8").split("\0").slice(0, -1)

export async function readMessage(socket: Socket, signal: AbortSignal): Promise<Message> {
  const head = await readBytes(socket, 5, signal)
  const length = head.readUInt32BE(1) - 4
  if (length < 0 || length > MOST_BYTES) throw new Error("the server there does not speak PostgreSQL's protocol")
  const body = await readBytes(socket, length, signal)
  return { type: String.fromCharCode(head[0]!), body, raw: Buffer.concat([head, body]) }
}

/** Reads this many bytes. Rejects if the connection ends first, or when the signal aborts. */
export async function readBytes(socket: Socket, count: number, signal: AbortSignal): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0)
  for (;;) {
    signal.throwIfAborted()
    if (socket.errored) throw socket.errored
    const bytes: Buffer | null = socket.read(count)
    if (bytes?.length === count) return bytes
    if (bytes !== null || socket.readableEnded || socket.destroyed)
      throw Object.assign(new Error("the server closed the connection"), { code: "CONNECTION_CLOSED" })
    await nextEvent(socket, ["readable", "end", "close"], signal)
  }
}

/** Resolves at the first of the events. Rejects at an error, or when the signal aborts. */
export async function nextEvent(socket: Socket, events: readonly string[], signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const ending = { signal: AbortSignal.any([signal, over.signal]) }
  try {
    await Promise.race(events.map((event) => once(socket, event, ending)))
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    over.abort()
  }
}

const FIELDS: Record<string, string> = { V: "severity", C: "code", M: "message", D: "detail", H: "hint", R: "routine" }

/** The server's refusal, in the form of postgres.js. */
export function refusalOf(body: Buffer): postgres.PostgresError {
  const fields = strings(body).flatMap((text) => (FIELDS[text[0]!] ? [[FIELDS[text[0]!], text.slice(1)]] : []))
  const Refusal = postgres.PostgresError as unknown as new (fields: object) => postgres.PostgresError
  return new Refusal(Object.fromEntries(fields))
}
