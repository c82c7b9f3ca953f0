import { randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { unwrapEvent, WebhookError } from "#client/index.ts"

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`
const secret = newSecret()
const at = new Date("2026-01-02T03:04:05Z")
const body = JSON.stringify({ id: "evt_1", sequence: 1, type: "token.paused", data: { symbol: "Ü" } })

const signed = (text = body, by = secret) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": String(at.getTime() / 1000),
  "webhook-signature": new Webhook(by).sign("evt_1", at, text),
})
const unwrap = (
  text: string | Uint8Array = body,
  headers: Parameters<typeof unwrapEvent>[1] = signed(),
  by: string | string[] = secret,
  now = at,
) => unwrapEvent(text, headers, by, { now })

test("unwrap reads events signed by another implementation of Standard Webhooks, as text and as bytes", async () => {
  expect(await unwrap()).toEqual(JSON.parse(body))
  expect(await unwrap(Buffer.from(body))).toEqual(JSON.parse(body))
  const { buffer } = Uint8Array.from(Buffer.from(body))
  expect(await unwrapEvent(buffer, signed(), secret, { now: at })).toEqual(JSON.parse(body))
})

test("headers may come from fetch, or from Node in any case", async () => {
  expect(await unwrap(body, new Headers(signed()))).toBeTruthy()
  const upper = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await unwrap(body, upper)).toBeTruthy()
})

test("during a rotation, one matching secret and signature among several is enough", async () => {
  const [old, stranger] = [newSecret(), newSecret()]
  const both = [signed(body, stranger), signed(body, old)].map((one) => one["webhook-signature"]).join(" ")
  expect(await unwrap(body, { ...signed(), "webhook-signature": `v1a,abc ${both}` }, [secret, old])).toBeTruthy()
  await expect(unwrap(body, { ...signed(), "webhook-signature": both }, secret)).rejects.toThrow("no signature")
})

test.each([
  ["another body", `${body} `, {}, /no signature/],
  ["another id", body, { "webhook-id": "evt_2" }, /no signature/],
  ["another time", body, { "webhook-timestamp": "1767323046" }, /no signature/],
  [
    "no signature of this version",
    body,
    { "webhook-signature": signed()["webhook-signature"].replace("v1,", "v2,") },
    /no signature/,
  ],
  ["a truncated signature", body, { "webhook-signature": signed()["webhook-signature"].slice(0, -8) }, /no signature/],
  ["an empty signature", body, { "webhook-signature": "v1," }, /no signature/],
  ["a signature that is not base64", body, { "webhook-signature": "v1,%%%" }, /no signature/],
  ["no id", body, { "webhook-id": undefined }, /webhook-id: this header is missing/],
  ["a time in words", body, { "webhook-timestamp": "now" }, /webhook-timestamp: must be seconds/],
] as const)("refused: %s", async (_, text, headers, message) => {
  const error = await unwrap(text, { ...signed(), ...headers }).catch((one) => one)
  expect(error).toBeInstanceOf(WebhookError)
  expect(error.message).toMatch(message)
})

test("an event may be five minutes late or early, but no more", async () => {
  const moved = (seconds: number) => new Date(at.getTime() + seconds * 1000)
  for (const seconds of [-300, 300]) expect(await unwrap(body, signed(), secret, moved(seconds))).toBeTruthy()
  for (const seconds of [-301, 301])
    await expect(unwrap(body, signed(), secret, moved(seconds))).rejects.toThrow("webhook-timestamp: too old")
})

test.each([Number.NaN, -1])(
  "a tolerance of %s is a programming error, and accepts nothing",
  async (toleranceSeconds) => {
    await expect(unwrapEvent(body, signed(), secret, { toleranceSeconds, now: at })).rejects.toThrow("toleranceSeconds")
  },
)

test.each([[undefined], [""], [[]]])("a missing secret (%j) is a programming error", async (none) => {
  await expect(unwrapEvent(body, signed(), none as string, { now: at })).rejects.toThrow("secret")
})

test("an invalid secret is a programming error, not the sender's", async () => {
  for (const bad of ["", "whsec_", "whsec_%%"]) await expect(unwrap(body, signed(), bad)).rejects.toThrow(TypeError)
})

test("a signed body that is not JSON is refused", async () => {
  await expect(unwrap("{", signed("{"))).rejects.toThrow("not JSON")
})
