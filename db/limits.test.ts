import { once } from "node:events"
import { type AddressInfo, createServer, type Server, Socket } from "node:net"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { background, connectDatabase, disconnectDatabase, healthReads, keyReads, reads, sql } from "./client.ts"

// Checks what a session requests from its server in its first message. A Unix socket, as in all other tests, has no
// keepalives, so this server refuses connections after reading their first message.

const FIELDS = Buffer.from("SFATAL\0C28000\0MNo connections.\0\0")
const REFUSAL = Buffer.concat([Buffer.from("E\0\0\0"), Buffer.from([FIELDS.length + 4]), FIELDS])

let server: Server
const asked: Record<string, string>[] = []

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (message) => {
      // Two numbers, then names and values, each ended by a zero.
      const words = message.toString("latin1", 8).split("\0")
      asked.push(Object.fromEntries(words.flatMap((word, n) => (n % 2 ? [] : [[word, words[n + 1] ?? ""]]))))
      socket.end(REFUSAL)
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  connectDatabase(`postgres://vouch:x@127.0.0.1:${(server.address() as AddressInfo).port}/vouch?sslmode=disable`)
})
afterAll(async () => {
  await disconnectDatabase()
  server.close()
})

/** What one of its sessions requested first. */
async function askedBy(ask: () => PromiseLike<unknown>): Promise<Record<string, string>> {
  asked.length = 0
  await expect(ask()).rejects.toThrow("No connections.")
  return asked[0]!
}

const ms = (setting: string | undefined) => Number(/^(\d+)(?:ms)?$/.exec(setting ?? "")?.[1])

test.each([
  ["requests", () => sql`select 1`],
  ["the background", () => background`select 1`],
  ["reads", () => reads`select 1`],
  ["keys", () => keyReads`select 1`],
  ["health", () => healthReads`select 1`],
])("a session of %s releases its locks within seconds, even if its process stalls", async (_name, ask) => {
  const settings = await askedBy(ask)
  expect(ms(settings.lock_timeout)).toBeGreaterThan(0)
  expect(ms(settings.lock_timeout)).toBeLessThanOrEqual(3000)
  expect(ms(settings.statement_timeout)).toBeGreaterThan(0)
  expect(ms(settings.statement_timeout)).toBeLessThanOrEqual(10_000)
  expect(ms(settings.idle_in_transaction_session_timeout)).toBeGreaterThanOrEqual(3000)
  expect(ms(settings.idle_in_transaction_session_timeout)).toBeLessThanOrEqual(5000)
})

test.each([
  ["requests", () => sql`select 1`],
  ["the background", () => background`select 1`],
])("the server checks the client of a session of %s, and ends the session within seconds", async (_name, ask) => {
  const settings = await askedBy(ask)
  const { tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count, tcp_user_timeout } = settings
  const probed_s = Number(tcp_keepalives_idle) + Number(tcp_keepalives_interval) * Number(tcp_keepalives_count)
  expect(probed_s).toBeGreaterThan(0)
  expect(probed_s).toBeLessThanOrEqual(15)
  expect(ms(tcp_user_timeout)).toBeGreaterThan(0)
  expect(ms(tcp_user_timeout)).toBeLessThanOrEqual(15_000)
})

test("a session checks its server as well", async () => {
  const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive")
  await askedBy(() => sql`select 1`)
  expect(keepAlive).toHaveBeenCalledWith(true, 5000)
  keepAlive.mockRestore()
})
