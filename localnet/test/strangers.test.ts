import { request } from "node:http"
import { afterAll, beforeAll, expect, test } from "vitest"
import { WebSocket } from "ws"
import { type Localnet, startLocalnet } from "../src/index.ts"

let localnet: Localnet
beforeAll(async () => {
  localnet = await startLocalnet()
})
afterAll(() => localnet.close())

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth", params: [] })

/** The status of an HTTP request with these headers. */
const ask = (headers: Record<string, string>, method = "POST", path = "/") =>
  new Promise<number>((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        port: localnet.port,
        method,
        path,
        headers: { "content-type": "application/json", ...headers },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode!)
      },
    )
    asked.on("error", reject)
    asked.end(method === "POST" ? body : undefined)
  })

/** The status of opening a WebSocket with these headers. */
const open = (headers: Record<string, string>) =>
  new Promise<number>((resolve, reject) => {
    const socket = new WebSocket(localnet.wsUrl, { headers })
    socket.on("open", () => {
      socket.terminate()
      resolve(101)
    })
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode!))
    socket.on("error", reject)
  })

const here = () => `127.0.0.1:${localnet.port}`

test.each(["localhost", "LOCALHOST:8899", "127.0.0.1", "[::1]:8899"])(
  "requests to the host %s, which is this machine, are answered",
  async (host) => {
    expect(await ask({ host })).toBe(200)
    expect(await open({ host })).toBe(101)
  },
)

test.each(["rebound.example.com", "localhost.example.com", "127.0.0.1.nip.io:8899", "192.168.1.7"])(
  "requests to the host %j are refused, because any name can resolve to this machine (DNS rebinding)",
  async (host) => {
    expect(await ask({ host })).toBe(403)
    expect(await ask({ host }, "GET", "/health")).toBe(403)
    expect(await open({ host })).toBe(403)
  },
)

test.each(["https://example.com", "http://localhost.example.com", "http://10.0.0.1:3000", "null", "file://"])(
  "a page of %s is refused, even for plain text, which browsers send without a CORS preflight",
  async (origin) => {
    expect(await ask({ host: here(), origin, "content-type": "text/plain" })).toBe(403)
    expect(await open({ host: here(), origin })).toBe(403)
  },
)

test.each(["http://localhost:3000", "http://127.0.0.1:5173", "https://[::1]:3000"])(
  "a page of %s, on this machine, is answered",
  async (origin) => {
    expect(await ask({ host: here(), origin })).toBe(200)
    expect(await open({ host: here(), origin })).toBe(101)
  },
)
