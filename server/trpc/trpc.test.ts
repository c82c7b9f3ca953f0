import { beforeAll, expect, test } from "vitest"
import { newWallet } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { snapshot } from "#test/matchers/snapshot.ts"
import { appRouter } from "./router.ts"

// The endpoint of the pages. These tests are not signed in, and API keys are not accepted here.

usesCustomer({ environment: { VOUCH_ROLE: "web" } })
beforeAll(async () => {
  // Records the first use of the key now, and not in the middle of a comparison.
  await app.request({ method: "GET", path: "/usage", key: key.apiKey })
})

const OPEN = [
  ...[
    "health.get",
    "kyc.webhook",
    "kyc.webhookOf",
    "verification.view",
    "verification.submit",
    "verification.continue",
    "verification.agree",
    "verification.askForProof",
    "verification.proveWallet",
    "verification.proveOnChain",
    "verification.remind",
    "verification.renew",
    "verification.stopReminders",
  ],
  ...["setup.options", "setup.look", "setup.createUser"],
  ...["setup.mailLink", "setup.requestReset", "setup.resetPassword"],
]
const procedures = Object.entries(appRouter._def.procedures) as unknown as [string, { _def: { type: string } }][]

const call = async (name: string, type: string, input: unknown) => {
  const reads = type !== "mutation"
  const query = reads ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ""
  const response = await fetch(`${app.origin}/api/trpc/${name}${query}`, {
    method: reads ? "GET" : "POST",
    headers: { authorization: `Bearer ${key.apiKey}`, "content-type": "application/json" },
    ...(reads ? {} : { body: JSON.stringify(input) }),
  })
  return { status: response.status, text: await response.text() }
}

test.each(procedures.filter(([name]) => !OPEN.includes(name)).map(([name, { _def }]) => [name, _def.type]))(
  "%s needs a signed-in user, or a key over REST",
  async (name, type) => {
    const before = await snapshot()
    const { status, text } = await call(name, type, {})
    // A stream has begun before it can be refused, so its first event has the error.
    if (type !== "subscription") expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toContain("not_signed_in")
    expect(await snapshot()).toEqual(before)
  },
)

test.each(["kyc.webhook", "kyc.webhookOf"])("%s refuses an event without its raw bytes and signature", async (name) => {
  const { sessionId } = await app.startSession(key)
  const before = await snapshot()
  const event = {
    type: "verification.completed",
    data: { session_id: sessionId, decision: "approved", occurred_at: new Date().toISOString() },
  }
  for (const input of [event, { provider: "sandbox", ...event }, { webhook: { headers: {}, body: "x" } }]) {
    const { status, text } = await call(name, "mutation", input)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toMatch(/invalid_signature|validation_failed/)
  }
  expect(await snapshot()).toEqual(before)
})

test("an error of the pages' procedures reveals nothing about internals", async () => {
  for (const [name, type] of procedures.map(([name, { _def }]) => [name, _def.type] as const)) {
    for (const input of [null, [], { sessionId: "\u0000" }, { sessionId: { a: 1 } }]) {
      const { text } = await call(name, type, input)
      expect(text).not.toMatch(/"stack"|node_modules|select |insert /)
    }
  }
})

test.each([
  ["GET", "verification.submit?input=%7B%7D", null, 405, "method_not_allowed"],
  ["PUT", "verification.submit", "application/json", 405, "method_not_allowed"],
  ["DELETE", "health.get", "application/json", 405, "method_not_allowed"],
  ["POST", "verification.submit", "text/plain", 415, "unsupported_media_type"],
  ["POST", "verification.submit", null, 415, "unsupported_media_type"],
  ["POST", "no.procedure", "application/json", 404, "route_not_found"],
])("%s %s as %s is refused in the format of the procedures", async (method, path, type, status, code) => {
  const response = await fetch(`${app.origin}/api/trpc/${path}`, {
    method,
    headers: type === null ? {} : { "content-type": type },
    ...(method === "GET" ? {} : { body: new TextEncoder().encode("{}") }),
  })
  expect(response.status).toBe(status)
  const { error } = (await response.json()) as { error: { data: unknown } }
  expect(error.data).toMatchObject({ error: code, detail: expect.any(String) })
})

test.each(["{", "not json", '{"a":}'])("an input that is not JSON, %s, is malformed_json", async (input) => {
  const asked = await Promise.all([
    fetch(`${app.origin}/api/trpc/setup.look?input=${encodeURIComponent(input)}`),
    fetch(`${app.origin}/api/trpc/verification.submit`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: input,
    }),
  ])
  for (const response of asked) {
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { data: { error: "malformed_json" } } })
  }
})

test("a body that is too large or not UTF-8 is refused before a procedure sees it", async () => {
  for (const path of ["trpc/verification.submit", "auth/sign-in/email"]) {
    const post = (body: Uint8Array<ArrayBuffer>) =>
      fetch(`${app.origin}/api/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      })
    const large = await post(new Uint8Array(64 * 1024 + 1).fill(0x20))
    expect(large.status).toBe(413)
    expect(await large.json()).toMatchObject({ error: "payload_too_large" })
    const broken = await post(new Uint8Array([0x22, 0xff, 0x22]))
    expect(broken.status).toBe(400)
    expect(await broken.json()).toMatchObject({ error: "malformed_request" })
  }
})

test("the same input is refused with the same code and text from a page and over REST", async () => {
  const { browser } = await member(app)
  const [userPubkey, schemaId] = [newWallet(), "kyc_individual_v1"]
  const mint = { user_pubkey: userPubkey, mint_config: "fund_v1", amount: "1" }
  const transfer = { from_pubkey: userPubkey, to_pubkey: userPubkey, mint_config: "fund_v1" }
  const { amount: _, ...noAmount } = mint
  for (const [name, path, json] of [
    ["kyc.start", "/kyc/start", {}],
    ["kyc.start", "/kyc/start", { userPubkey }],
    ["kyc.start", "/kyc/start", { userPubkey: "x", schemaId }],
    ["kyc.start", "/kyc/start", { userPubkey: 1, schemaId }],
    ["kyc.start", "/kyc/start", { userPubkey, schemaId: "none_v1" }],
    ["kyc.start", "/kyc/start", { userPubkey, schemaId: "NONE" }],
    ["kyc.start", "/kyc/start", { userPubkey, schemaId, externalId: "" }],
    ["kyc.start", "/kyc/start", { userPubkey, schemaId, redirectUrl: "javascript:alert(1)" }],
    ["token.mint", "/token/mint", noAmount],
    ["token.mint", "/token/mint", { ...mint, amount: "0" }],
    ["token.mint", "/token/mint", { ...mint, amount: null }],
    ["token.mint", "/token/mint", mint],
    ["token.transfer", "/token/transfer", transfer],
    ["token.transfer", "/token/transfer", { ...transfer, amount: "1" }],
  ] as const) {
    const overRest = await app.request({ method: "POST", path, key: key.apiKey, json })
    const { status, error } = await browser.mutate(name, json)
    const asked = `${path} ${JSON.stringify(json)}`
    expect([asked, status, error?.error, error?.detail]).toEqual([
      asked,
      overRest.status,
      overRest.json.error,
      overRest.json.detail,
    ])
    expect(overRest.status, asked).toBe(422)
  }
})
