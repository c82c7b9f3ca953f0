import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { applyManualDecision } from "#server/domain/kyc/decide-manually.ts"
import { addDays, addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { moveClock, restoreClock } from "#test/fixtures/clock.ts"
import { walletOn } from "#test/fixtures/siws.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"

// A provider's decisions before the wallet has signed.
const SCHEMA = "kyc_individual_v1"

usesCustomer()
beforeAll(async () => {
  await sql`update schemas set wallet_proof = true where workspace_id = ${key.workspaceId}`
})

async function started() {
  const wallet = newSigningWallet()
  const { sessionId } = await app.startSession(key, wallet.address, SCHEMA)
  const page = walletOn(app, sessionId)
  return {
    wallet: wallet.address,
    sessionId,
    page,
    sign: () => page.sign(wallet),
    send: async (decision: string, at: Date = clock.now(), more: object = {}) =>
      (await app.webhook({ session_id: sessionId, decision, occurred_at: at.toISOString(), ...more })).json.outcome,
    row: async () => {
      const [row] = await sql`select * from attestations where session_id = ${sessionId}`
      return row!
    },
    status: async () => {
      const path = `/kyc/status/${wallet.address}`
      return (await app.request({ method: "GET", path, key: key.apiKey })).json.status
    },
    record: async () => {
      const path = `/attestations?pubkey=${wallet.address}`
      return (await app.request({ method: "GET", path, key: key.apiKey })).json.data[0]
    },
  }
}
const operations = async () => Number((await sql`select count(*) from operations`)[0]!.count)

test("an approval waits for the proof, and its validity counts from the provider's decision", async () => {
  const { wallet, page, sign, send, row, status, record } = await started()
  const decided = addSeconds(clock.now(), -3600)
  const before = await operations()
  expect(await send("approved", decided, { claims: { country: "US", age_over_18: true } })).toBe("applied")
  expect(await status()).toBe("pending")
  expect(await operations()).toBe(before)
  expect(await page.view()).toMatchObject({ state: "open", walletProof: "needed" })
  const held = await row()
  expect(held).toMatchObject({ issued_at: null, event_decision: "approved", operation_id: null })
  // Sealed, and with the 30 days that follow a provider's first event.
  expect(held.claims.toString()).not.toContain("US")
  expect(held.open_until.getTime()).toBeGreaterThan(addDays(clock.now(), 29).getTime())

  const { data } = await sign()
  expect(["checking", "verified"]).toContain(data.state)
  await app.waitForStatus(key, wallet, "verified")
  expect(await record()).toMatchObject({
    issued_at: toTimestamp(decided),
    expires_at: toTimestamp(addDays(new Date(toTimestamp(decided)), 365)),
    wallet_proved_at: expect.stringMatching(/Z$/),
  })
})

test("an approval after the proof verifies the wallet at once", async () => {
  const { wallet, sign, send, status } = await started()
  expect((await sign()).status).toBe(200)
  expect(await status()).toBe("pending")
  expect(await send("approved")).toBe("applied")
  await app.waitForStatus(key, wallet, "verified")
})

test("a rejection after the held approval wins, and the proof is too late", async () => {
  const { page, send, status, row } = await started()
  const at = clock.now()
  expect(await send("approved", addSeconds(at, -60), { claims: { country: "US" } })).toBe("applied")
  expect(await send("rejected", at, { reason: "Forged" })).toBe("applied")
  expect(await status()).toBe("rejected")
  expect((await row()).claims).toBeNull()
  expect(await page.call("askForProof")).toMatchObject({
    status: 422,
    error: { error: "wallet_proof_refused" },
  })
})

test("events have the same effect after a held approval as after any", async () => {
  const { wallet, sign, send, status } = await started()
  const at = addSeconds(clock.now(), -600)
  expect(await send("approved", at)).toBe("applied")
  // An older event, and one with a lower rank than an approval.
  expect(await send("rejected", addSeconds(at, -1))).toBe("ignored")
  expect(await send("in_review", addSeconds(at, 1))).toBe("ignored")
  expect(await send("resubmission_requested", addSeconds(at, 2))).toBe("ignored")
  expect(await send("expired", addSeconds(at, 3))).toBe("ignored")
  expect(await send("approved", addSeconds(at, 4))).toBe("ignored")
  expect(await status()).toBe("pending")
  await sign()
  await app.waitForStatus(key, wallet, "verified")
  expect(await send("rejected", addSeconds(at, 5))).toBe("applied")
  expect(await status()).toBe("rejected")
})

test("an approval after a review waits for the proof, too", async () => {
  const { wallet, page, sign, send } = await started()
  const at = clock.now()
  expect(await send("in_review", addSeconds(at, -20))).toBe("applied")
  // The wallet can sign during the review.
  expect(await page.view()).toMatchObject({ state: "open", walletProof: "needed" })
  expect(await send("approved", addSeconds(at, -10))).toBe("applied")
  await sign()
  await app.waitForStatus(key, wallet, "verified")
})

test("a member's approval waits like a vendor's, and its validity counts from the decision", async () => {
  const { wallet, sign, send, row, record, status } = await started()
  await send("in_review", addSeconds(clock.now(), -60))
  const { workspace_id: workspaceId, id: attestationId } = await row()
  const [review] = await sql`select id from reviews where attestation_id = ${attestationId}`
  const decide = (decision: "approved" | "rejected") =>
    sql.begin((sql) =>
      applyManualDecision(sql, {
        workspaceId,
        attestationId,
        reviewId: review!.id,
        decision,
        claims: { country: "US" },
        reason: null,
        now: clock.now(),
        publicReason: null,
      }),
    )
  expect(await decide("approved")).toBe(true)
  expect(await status()).toBe("pending")
  const held = (await row()).held_at as Date
  // It is decided and cannot be decided again.
  expect(await decide("rejected")).toBe(false)
  const now = clock.now()
  await moveClock(addSeconds(now, 3600))
  await sign()
  await restoreClock()
  await app.waitForStatus(key, wallet, "verified")
  expect((await record()).issued_at).toBe(toTimestamp(held))
})

test("after a proof during a review, the page shows that the check is in progress", async () => {
  const { page, sign, send } = await started()
  await send("in_review")
  expect((await sign()).data).toMatchObject({ state: "checking", inReview: true })
  expect(await page.view()).toMatchObject({ state: "checking", inReview: true })
})

test("the form cannot be submitted before the wallet has signed", async () => {
  const { wallet, page, sign, status } = await started()
  const form = { consent: true, country: "US", ageOver18: true, accredited: false, decision: "approved" }
  expect(await page.call("submit", form)).toMatchObject({
    status: 422,
    error: { error: "wallet_proof_required", detail: expect.stringContaining("wallet") },
  })
  expect(await status()).toBe("pending")
  await sign()
  expect((await page.call("submit", form)).status).toBe(200)
  await app.waitForStatus(key, wallet, "verified")
})

test("without the proof the approval expires with its session, and its claims are deleted", async () => {
  const { page, send, status, row } = await started()
  await send("approved", clock.now(), { claims: { country: "US" } })
  const used = async () => (await sql`select used from usage_periods where workspace_id = ${key.workspaceId}`)[0]!.used
  const before = await used()
  await sql`update attestations set open_until = ${addSeconds(clock.now(), -1)} where id = ${(await row()).id}`
  expect(await status()).toBe("expired")
  expect(await page.call("askForProof")).toMatchObject({ status: 422 })
  await sweep()
  expect(await row()).toMatchObject({ status: "expired", claims: null, issued_at: null })
  expect(await used()).toBe(before - 1)
})

test("an approval that is past its validity at the proof expires", async () => {
  await sql`update schemas set validity_days = 1 where workspace_id = ${key.workspaceId} and id = ${SCHEMA}`
  try {
    const { send, sign, status, row } = await started()
    await send("approved", addSeconds(clock.now(), -86_400 + 60))
    expect(await status()).toBe("pending")
    const now = clock.now()
    await moveClock(addSeconds(now, 61))
    expect((await sign()).data).toMatchObject({ state: "expired", was: "open" })
    expect(await row()).toMatchObject({ status: "expired", claims: null, operation_id: null })
  } finally {
    await sql`update schemas set validity_days = 365 where workspace_id = ${key.workspaceId} and id = ${SCHEMA}`
  }
})

test("with a simultaneous approval, rejection and proof, the rejection holds and each session ends once", async () => {
  for (let n = 0; n < 6; n++) {
    const { send, status, sign, row } = await started()
    const at = clock.now()
    await Promise.all([sign(), send("approved", addSeconds(at, -2)), send("rejected", addSeconds(at, -1))])
    expect(await status()).toBe("rejected")
    expect((await row()).claims === null || (await row()).issued_at !== null).toBe(true)
  }
})

test("a simultaneous approval and proof verify the wallet, in either order", async () => {
  const all = await Promise.all(Array.from({ length: 6 }, started))
  await Promise.all(all.flatMap(({ sign, send }) => [sign(), send("approved")]))
  for (const { wallet } of all) await app.waitForStatus(key, wallet, "verified")
})
