import { expect, test } from "vitest"
import { signWebhook } from "#test/fixtures/app.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_RATE_LIMIT: "100" } })

const forged = () =>
  app.request({ method: "POST", path: "/kyc/webhook", headers: signWebhook("evt_1", "{}"), body: "[]" })

test("webhooks have a rate limit by address, which does not affect the sandbox's own route", async () => {
  const key = await app.key()
  const { wallet, sessionId } = await app.startSession(key)
  const answers = []
  // A vendor may send a burst of a thousand.
  for (let n = 0; n < 1000; n += 50) answers.push(...(await Promise.all(Array.from({ length: 50 }, forged))))
  expect(new Set(answers.map(({ json }) => json.error))).toEqual(new Set(["invalid_signature"]))
  // The limit refills while they arrive, so exhausting it takes some more.
  for (let n = 0; n < 100 && answers.at(-1)!.status !== 429; n++)
    answers.push(...(await Promise.all(Array.from({ length: 100 }, forged))))
  const refused = answers.at(-1)!
  expect(refused).toMatchObject({ status: 429, json: { error: "rate_limited" } })
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)

  const flood = setInterval(() => {
    for (let n = 0; n < 10; n++) void forged().catch(() => {})
  }, 10)
  const submission = { sessionId, consent: true, country: "US", ageOver18: true, accredited: false }
  const submitted = await fetch(`${app.origin}/api/trpc/verification.submit`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...submission, decision: "approved" }),
  })
  expect(submitted.status).toBe(200)
  try {
    await app.waitForStatus(key, wallet, "verified")
  } finally {
    clearInterval(flood)
  }
  expect(app.log.filter((line) => line.includes("not acknowledged"))).toEqual([])
})
