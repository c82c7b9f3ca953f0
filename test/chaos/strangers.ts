import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

/** Attacks of strangers, repeated. Responses are counted and otherwise ignored. */
export const tricks = {
  /** Dozens of requests in one packet, often disconnecting before the responses. */
  async pipelining(target) {
    const request = (n: number) =>
      n % 2 === 0 ? get("/v1/health") : post("/api/trpc/verification.view", JSON.stringify({ sessionId: `sess_${n}` }))
    const socket = await target.open(Array.from({ length: 60 }, (_, n) => request(n)).join(""))
    await sleep(target.below(4000))
    socket.destroy()
  },

  /** Thousands of requests in one piece, without reading the responses. */
  async floods(target) {
    const socket = await target.open("")
    socket.pause()
    socket.write(get(target.pick(["/v1/health", "/v1/usage", "/sign-in"])).repeat(2000))
    await sleep(target.below(2000))
    socket.destroy()
  },

  /** Bodies of the maximum length in chunks of one byte. */
  async chunks(target) {
    const path = target.pick(["/v1/kyc/webhook", "/api/trpc/verification.submit", "/api/auth/sign-in/email"])
    const socket = await target.open(head("POST", path, "Transfer-Encoding: chunked"))
    for (let sent = 0; sent < 60 && !socket.destroyed; sent++) {
      socket.write("1\r\nx\r\n".repeat(1024))
      await sleep(5)
    }
    await sleep(target.below(3000))
    socket.destroy()
  },

  /** Large bodies that stop just before their end. */
  async unfinished(target) {
    const socket = await target.open(head("POST", "/v1/kyc/webhook", `Content-Length: ${256 * 1024}`))
    socket.write(Buffer.alloc(200 * 1024, " "))
    await sleep(2000 + target.below(8000))
    socket.destroy()
  },

  /** A body that never ends, in tiny pieces, for an endpoint that takes no body. */
  async bodies(target) {
    const method = target.pick(["GET", "HEAD", "POST"])
    const socket = await target.open(
      head(method, target.pick(["/docs", "/sign-in", "/v1/health"]), "Transfer-Encoding: chunked"),
    )
    socket.write("1\r\nx\r\n".repeat(500) + `20\r\n${"x".repeat(32)}\r\n`.repeat(2000))
    await sleep(target.below(8000))
    socket.destroy()
  },

  /** Responses that wait behind two unread ones, followed by requests with bodies. */
  async unread(target) {
    const socket = await target.open("")
    socket.pause()
    const page = get(`/${"a".repeat(target.below(3000))}`)
    const upload = head("POST", "/v1/kyc/webhook", `Content-Length: ${60 * 1024}`) + "x".repeat(60 * 1024)
    const last = target.pick([page.repeat(90), upload.repeat(20), get("/v1/openapi.yaml").repeat(90)])
    socket.write(get("/docs/api").repeat(2) + last)
    await sleep(target.below(8000))
    socket.destroy()
  },

  /** A request to upgrade the protocol; the connection stays open. */
  async upgrades(target) {
    const path = target.pick(["/", "/v1/health", "/docs/errors/rate_limited", "/_next/webpack-hmr"])
    const wish = target.pick([
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ])
    const socket = await target.open(head("GET", path, wish))
    await sleep(1000 + target.below(5000))
    socket.destroy()
  },

  /** More event streams than allowed, most of them unread. */
  async streams(target) {
    const cookie = `Cookie: ${target.cookie}\r\nAccept: text/event-stream`
    const path = `/api/trpc/activity.changes?workspace=${target.workspaceId}`
    const socket = await target.open(head("GET", path, cookie))
    if (target.below(4) > 0) socket.pause()
    await sleep(target.below(10_000))
    socket.destroy()
  },

  /** Hundreds of calls in one request. */
  async batches(target) {
    const names = Array.from({ length: 300 }, () => "health.get").join(",")
    const inputs = JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [n, {}])))
    const socket = await target.open(post(`/api/trpc/${names}?batch=1`, inputs))
    await sleep(target.below(4000))
    socket.destroy()
  },

  /** Webhooks of maximum size with plausible headers. */
  async forgeries(target) {
    const mac = Buffer.alloc(32, target.below(256)).toString("base64")
    const headers = `webhook-id: evt_1\r\nwebhook-timestamp: ${Math.floor(Date.now() / 1000)}\r\nwebhook-signature: v1,${mac}`
    const socket = await target.open(post("/v1/kyc/webhook", " ".repeat(250 * 1024), headers))
    await sleep(target.below(4000))
    socket.destroy()
  },

  /** Unknown keys, and an unknown path. */
  async keys(target) {
    const one = () => {
      const key = `vouch_live_${Array.from({ length: 39 }, () => target.below(10)).join("")}`
      return get(target.pick(["/v1/usage", "/v1/attestations", "/v1/nothing"]), `Authorization: Bearer ${key}`)
    }
    const socket = await target.open(Array.from({ length: 10 }, one).join(""))
    await sleep(target.below(4000))
    socket.destroy()
  },

  /** A head sent one byte at a time. */
  async trickles(target) {
    const socket = await target.open("GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: ")
    for (let n = 0; n < 20 && !socket.destroyed; n++) {
      socket.write("x")
      await sleep(500)
    }
    socket.destroy()
  },

  /** Many large responses, all unread. */
  async deaf(target) {
    const socket = await target.open("")
    socket.pause()
    socket.write(Array.from({ length: 40 }, () => get("/v1/openapi.json")).join(""))
    await sleep(2000 + target.below(8000))
    socket.destroy()
  },

  /** Bytes that are not HTTP: the start of TLS, HTTP/2, repeated headers, long headers. */
  async garbage(target) {
    const bytes = target.pick([
      "\x16\x03\x01\x02\x00",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.com\r\n\r\n`,
      post("/v1/kyc/webhook", "{}", `Content-Type: application/json${" ".repeat(15_000)}x`),
      `GET /v1/health HTTP/1.1\r\nHost: localhost\r\nA: ${"a".repeat(40_000)}\r\n\r\n`,
    ])
    const socket = await target.open(bytes)
    await sleep(target.below(2000))
    socket.destroy()
  },

  /** A few more connections than one address may have. */
  async crowds(target) {
    const sockets = await Promise.all(Array.from({ length: 150 }, () => target.open("")))
    await sleep(1000 + target.below(3000))
    for (const socket of sockets) socket.destroy()
  },
} satisfies { [trick: string]: (target: Target) => Promise<void> }

export type Trick = keyof typeof tricks

export type Target = {
  /** Connects and sends these bytes at once. */
  open(bytes: string): Promise<Socket>
  below(limit: number): number
  pick<T>(choices: readonly T[]): T
  /** Requests of a signed-in user. */
  cookie: string
  workspaceId: string
}

const head = (method: string, path: string, headers: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`
const get = (path: string, headers = "A: b"): string => head("GET", path, headers)
const post = (path: string, body: string, headers = "A: b"): string =>
  `${head("POST", path, `Content-Length: ${body.length}\r\n${headers}`)}${body}`

/** On Linux every address of 127/8 is this machine, so there can be many strangers. */
const addressOf = (n: number): string =>
  process.platform === "linux" ? `127.${1 + (n % 7)}.0.${1 + (n % 200)}` : "127.0.0.1"

/** Opens connections as a stranger with a separate address. */
export function stranger(
  n: number,
  { port, onStatus }: { port: number; onStatus(status: string): void },
): Pick<Target, "open"> {
  return {
    open: (bytes) =>
      new Promise((resolve) => {
        const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf(n) }, () => {
          if (bytes !== "") socket.write(bytes)
          resolve(socket)
        })
        socket.on("data", (chunk) => {
          const status = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1", 0, 12))?.[1]
          if (status) onStatus(status)
        })
        // The server may close or refuse the connection at any time.
        socket.on("error", () => resolve(socket))
      }),
  }
}
