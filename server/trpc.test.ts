import { afterAll, beforeAll, expect, test } from "vitest"
import { appRouter } from "#server/router.ts"
import { startTestApp, type TestApp, type TestKey } from "#test/app.ts"
import { snapshot } from "#test/snapshot.ts"

// The pages' own way in. Nobody is signed in here, and a key opens nothing.
let app: TestApp
let key: TestKey

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key()
  // Its first use is noted here, and not in the middle of a comparison.
  await app.request({ method: "GET", path: "/usage", key: key.apiKey })
})
afterAll(() => app.stop())

const OPEN = [
  ...["health.get", "kyc.webhook", "kyc.webhookOf", "verification.view", "verification.submit"],
  ...["setup.options", "setup.look", "setup.createUser", "docs.errors"],
  ...["setup.mailLink", "setup.requestReset", "setup.resetPassword"],
]
const procedures = Object.entries(appRouter._def.procedures) as unknown as [
  string,
  { _def: { type: string } },
][]

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
  "%s is for signed-in users and keys over REST, not for whoever finds it",
  async (name, type) => {
    const before = await snapshot()
    const { status, text } = await call(name, type, {})
    // A stream has begun before it can be refused, so its first event says it.
    if (type !== "subscription") expect(status).toBeGreaterThanOrEqual(400)
    expect(text).toContain("not_signed_in")
    expect(await snapshot()).toEqual(before)
  },
)

test.each(["kyc.webhook", "kyc.webhookOf"])(
  "%s takes no event without its raw bytes and signature",
  async (name) => {
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
  },
)

test("an error of the pages' procedures tells nothing of our insides", async () => {
  for (const [name, type] of procedures.map(([name, { _def }]) => [name, _def.type] as const)) {
    for (const input of [null, [], { sessionId: "\u0000" }, { sessionId: { a: 1 } }]) {
      const { text } = await call(name, type, input)
      expect(text).not.toMatch(/"stack"|node_modules|select |insert /)
    }
  }
})
