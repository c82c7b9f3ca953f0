import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { publishActivity } from "#db/pubsub.ts"
import type { Failure } from "#shared/errors.ts"
import { startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { countRequests, underWay } from "./metrics.ts"
import { StreamPlaces } from "./streams.ts"

const TRPC = "/api/trpc/activity.changes"

let app: TestApp
const sockets = new Set<Socket>()

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await app.stop()
})

/** A separate connection with the bytes received on it. */
function open(port: number, ...requests: string[]) {
  const socket = connect(port, "127.0.0.1")
  sockets.add(socket)
  const seen = { text: "", isOver: false }
  socket.on("data", (bytes) => {
    seen.text += bytes
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    seen.isOver = true
  })
  socket.write(requests.join(""))
  const status = () => waitFor(async () => /^HTTP\/1\.1 (\d+)/.exec(seen.text)?.[1] ?? null, "an answer").then(Number)
  return { socket, seen, status }
}

const portOf = (origin: string) => Number(new URL(origin).port)
const requestOf = (path: string, { cookies }: Pick<Browser, "cookies">) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${[...cookies].map((pair) => pair.join("=")).join("; ")}\r\n\r\n`
const streamOf = (browser: Browser, name = TRPC) =>
  requestOf(`${name}?input=%7B%7D&workspace=${browser.workspaceId}`, browser)

/** Opens streams until one is refused. */
async function untilRefused(browser: Browser, most = 30) {
  const streams: ReturnType<typeof open>[] = []
  for (;;) {
    const stream = open(portOf(app.origin), streamOf(browser))
    if ((await stream.status()) !== 200) return { streams, refused: stream }
    streams.push(stream)
    if (streams.length === most) throw new Error("none was refused")
  }
}

const admitted = async (browser: Browser) => {
  const stream = open(portOf(app.origin), streamOf(browser))
  const status = await stream.status()
  if (status !== 200) stream.socket.destroy()
  return status === 200 ? stream : null
}

test("a member has at most 20 event streams, the next is refused, and ended ones free their places", async () => {
  const { browser } = await member(app)
  const { streams, refused } = await untilRefused(browser)
  expect(streams).toHaveLength(20)
  await waitFor(async () => refused.seen.text.includes("request_id"), "the refusal")
  expect(refused.seen.text).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 30\r\n/i)
  expect(JSON.parse(refused.seen.text.split("\r\n\r\n")[1]!)).toMatchObject({
    error: "rate_limited",
    detail: expect.stringMatching(/^You have the maximum of 20 event streams open/),
  })
  // Others are not affected.
  expect(await admitted((await member(app)).browser)).not.toBeNull()

  // One closes properly, one disappears.
  streams[0]!.socket.end()
  streams[1]!.socket.resetAndDestroy()
  await waitFor(() => admitted(browser), "the first place")
  await waitFor(() => admitted(browser), "the second place")
  expect(await admitted(browser)).toBeNull()
})

test("every stream counts, also with an encoded name or behind another answer", async () => {
  const { browser } = await member(app)
  const port = portOf(app.origin)
  const encoded = open(port, streamOf(browser, "/api/trpc/activity%2Echanges"))
  await waitFor(async () => encoded.seen.text.includes("serialized-error"), "the refusal")

  // The second waits for the first, which does not end. So it does not start and takes no place.
  const pipelined = Array.from({ length: 10 }, () => open(port, streamOf(browser), streamOf(browser)))
  for (const { status } of pipelined) expect(await status()).toBe(200)
  const { streams: others } = await untilRefused(browser)
  expect(others).toHaveLength(10)
  for (const { socket } of [...pipelined, ...others]) socket.resetAndDestroy()
  const { streams } = await waitFor(async () => {
    const found = await untilRefused(browser)
    if (found.streams.length < 20) for (const { socket } of found.streams) socket.destroy()
    return found.streams.length === 20 ? found : null
  }, "all places to be free again")
  for (const { socket } of streams) socket.destroy()
})

test("many streams that open and close at once leave no place taken", async () => {
  const { browser } = await member(app)
  const port = portOf(app.origin)
  for (let round = 0; round < 5; round++) {
    const hasty = Array.from({ length: 30 }, () => open(port, streamOf(browser)))
    await new Promise((resolve) => setTimeout(resolve, round * 10))
    for (const { socket } of hasty) socket.resetAndDestroy()
  }
  await waitFor(async () => {
    const { streams } = await untilRefused(browser)
    for (const { socket } of streams) socket.destroy()
    return streams.length === 20
  }, "all places to be free")
})

test("a stream whose client has disconnected no longer counts as a running request", async () => {
  countRequests()
  const { browser } = await member(app)
  const before = underWay.count
  const streams = Array.from({ length: 10 }, () => open(portOf(app.origin), streamOf(browser)))
  for (const { status } of streams) expect(await status()).toBe(200)
  expect(underWay.count).toBe(before + 10)
  // Some close properly, some disappear, some while they receive an event.
  for (const { socket } of streams.slice(0, 4)) socket.end()
  for (const { socket } of streams.slice(4, 7)) socket.resetAndDestroy()
  publishActivity(browser.workspaceId!)
  for (const { socket } of streams.slice(7)) socket.resetAndDestroy()
  await waitFor(async () => underWay.count === before, "the streams to end")
})

/** A server whose responses never end, each with a place. The request names its owner. */
async function endless(places: StreamPlaces) {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const [userId, workspaceId] = request.url!.slice(1).split("/") as [string, string]
    try {
      places.take(request, response, { userId, workspaceId })
      response.write("open")
    } catch (error) {
      response.writeHead(429).end((error as Failure).message)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const ask = async (userId: string, workspaceId: string) => {
    const stream = open(port, `GET /${userId}/${workspaceId} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    return { ...stream, code: await stream.status() }
  }
  return { ask, close: () => server.close() }
}

test("places are limited per member, workspace and process, and a refusal says which limit is reached", async () => {
  const places = new StreamPlaces("streams", { person: 2, workspace: 3, process: 4 }, 60_000)
  const { ask, close } = await endless(places)
  const open = [await ask("ann", "a"), await ask("ann", "a")]
  const refused = async (user: string, workspace: string, who: RegExp) => {
    const { code, seen } = await ask(user, workspace)
    expect(code).toBe(429)
    expect(seen.text).toMatch(who)
  }
  await refused("ann", "b", /You have the maximum of 2 streams/)
  open.push(await ask("bob", "a"))
  await refused("cid", "a", /This workspace has the maximum of 3 streams/)
  open.push(await ask("cid", "c"))
  await refused("dan", "d", /This server has the maximum of 4 streams/)
  expect(open.map(({ code }) => code)).toEqual([200, 200, 200, 200])
  expect(places.size).toBe(4)
  for (const { socket } of open) socket.destroy()
  await waitFor(async () => places.size === 0, "all to be free")
  close()
})

test("a silent client that does not read is disconnected when its time is over", async () => {
  const places = new StreamPlaces("streams", { person: 1, workspace: 1, process: 1 }, 50)
  const { ask, close } = await endless(places)
  const stream = await ask("ann", "a")
  stream.socket.pause()
  await waitFor(async () => places.size === 0, "the place")
  close()
})
