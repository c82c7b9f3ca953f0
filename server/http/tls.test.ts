import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { type RequestOptions, request } from "node:https"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newWallet, startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { sendRaw } from "#test/fixtures/raw.ts"

const directory = mkdtempSync(join(tmpdir(), "vouch-test-tls-"))
const cert = join(directory, "cert.pem")
const key = join(directory, "key.pem")
const made = spawnSync("openssl", [
  ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
  ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
])
const hasCertificate = made.status === 0

let app: TestApp
let port: number

beforeAll(async () => {
  if (!hasCertificate) return
  app = await startTestApp({ VOUCH_TLS_CERT: cert, VOUCH_TLS_KEY: key })
  port = Number(new URL(app.origin).port)
})
afterAll(async () => {
  await app?.stop()
  rmSync(directory, { recursive: true, force: true })
})

function send(
  options: RequestOptions,
  body?: string,
): Promise<{ status: number; headers: object; json: { session_url?: string } }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "localhost", port, ca: readFileSync(cert), ...options }, async (answer) => {
      let text = ""
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode!, headers: answer.headers, json: JSON.parse(text) })
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

test.runIf(hasCertificate)("with a certificate the server speaks HTTPS only", async () => {
  const health = await send({ path: "/v1/health" })
  expect(health.status).toBe(200)
  expect(health.headers).toMatchObject({ "strict-transport-security": expect.stringContaining("max-age=") })

  const { apiKey } = await app.key()
  const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" }
  const body = JSON.stringify({ userPubkey: newWallet(), schemaId: "kyc_individual_v1" })
  const started = await send({ method: "POST", path: "/v1/kyc/start", headers }, body)
  expect(started.json.session_url).toMatch(new RegExp(`^https://localhost:${port}/verify/sess_`))

  const plain = await sendRaw(port, "GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n").catch(() => "")
  expect(plain).not.toContain("200")
})

test.runIf(hasCertificate).concurrent.each([
  ["nothing", ""],
  ["the beginning of a hello", "\x16\x03\x01\x02\x00\x01"],
])(
  "a client that sends only %s is disconnected after a while",
  async (_what, bytes) => {
    const socket = connect({ port, host: "127.0.0.1" })
    socket.on("error", () => {})
    socket.resume()
    if (bytes !== "") socket.write(bytes, "latin1")
    try {
      await waitFor(async () => socket.closed, "the end")
    } finally {
      socket.destroy()
    }
  },
  40_000,
)
