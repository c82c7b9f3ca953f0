import { request as httpRequest } from "node:http"
import { expect, test } from "vitest"
import { newWallet, signWebhook } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

const KIB = 1024
const json = { "content-type": "application/json" }

/** An otherwise valid body of exactly this many bytes. */
function bodyOf(bytes: number): string {
  const body = JSON.stringify({ userPubkey: newWallet(), schemaId: "kyc_individual_v1" })
  return body + " ".repeat(bytes - body.length)
}

test("a body of 64 KiB is accepted, and one more byte is refused", async () => {
  const sent = { method: "POST", path: "/kyc/start", key: key.apiKey, headers: json }
  expect((await app.request({ ...sent, body: bodyOf(64 * KIB) })).status).toBe(200)
  const refused = await app.request({ ...sent, body: bodyOf(64 * KIB + 1) })
  expect(refused).toMatchObject({ status: 413, json: { error: "payload_too_large" } })
  expect(refused.json.detail).toMatch(/65536 bytes/)
})

test("a webhook of 256 KiB is accepted, and one more byte is refused, signed or not", async () => {
  const event = JSON.stringify({
    type: "verification.completed",
    data: { session_id: "sess_unknown", decision: "approved", occurred_at: new Date().toISOString() },
  })
  const sent = (bytes: number) => {
    const body = event + " ".repeat(bytes - event.length)
    return app.request({ method: "POST", path: "/kyc/webhook", headers: signWebhook("1", body), body })
  }
  expect(await sent(256 * KIB)).toMatchObject({ status: 200, json: { outcome: "ignored" } })
  expect(await sent(256 * KIB + 1)).toMatchObject({ status: 413, json: { error: "payload_too_large" } })
})

/** Sends a body in chunks without a length, and reads the answer while still sending. */
function sendChunked(path: string, bytes: number): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(app.origin)
  return new Promise((resolve, reject) => {
    const headers = { ...json, authorization: `Bearer ${key.apiKey}`, "transfer-encoding": "chunked" }
    const request = httpRequest({ hostname, port, method: "POST", path: `/v1${path}`, headers }, (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => {
        text += chunk
      })
      response.on("error", reject)
      response.on("end", () => resolve({ status: response.statusCode!, text }))
    })
    request.on("error", reject)
    for (let sent = 0; sent < bytes; sent += 8 * KIB) request.write("x".repeat(Math.min(8 * KIB, bytes - sent)))
    request.end()
  })
}

test.each([
  ["/kyc/start", 65 * KIB],
  ["/kyc/webhook", 257 * KIB],
])("%s counts a chunked body and refuses it as soon as it is too large", async (path, bytes) => {
  const { status, text } = await sendChunked(path, bytes)
  expect(status).toBe(413)
  expect(JSON.parse(text).error).toBe("payload_too_large")
})

test("the answer reaches a client that is still sending a far too large body, every time", async () => {
  const body = Buffer.alloc(8 * KIB * KIB, "x")
  for (let i = 0; i < 20; i++) {
    const sent = { method: "POST", path: "/kyc/start", key: key.apiKey, headers: json, body }
    expect((await app.request(sent)).status).toBe(413)
    expect((await sendChunked("/kyc/start", 2 * KIB * KIB)).status).toBe(413)
  }
})

test("a client that disconnects in the middle of its body leaves no log entry and affects no other request", async () => {
  const { hostname, port } = new URL(app.origin)
  const logged = app.log.length
  await new Promise<void>((resolve) => {
    const headers = { ...json, authorization: `Bearer ${key.apiKey}`, "content-length": "100" }
    const request = httpRequest({ hostname, port, method: "POST", path: "/v1/kyc/start", headers })
    request.on("error", () => resolve())
    request.write("{", () => setTimeout(() => request.destroy(), 100))
    request.on("close", () => resolve())
  })
  expect((await app.request({ method: "GET", path: "/health" })).status).toBe(200)
  expect(app.log.slice(logged).filter((line) => JSON.parse(line).level >= 40)).toEqual([])
})
