import { expect, test } from "vitest"
import { addSeconds, toTimestamp } from "#server/lib/time.ts"
import { sweep } from "#server/start/housekeeping.ts"
import { advanceClock, realNow } from "#test/fixtures/clock.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// Time of the provider's decision in force: the provider's own time, not the webhook's.

usesCustomer({ key: { plan: "growth" } })

const recordOf = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/attestations?pubkey=${wallet}`, key: key.apiKey })).json.data[0]
const revoke = (id: string) =>
  app.request({
    method: "POST",
    path: `/attestation/${id}/revoke`,
    key: key.apiKey,
    json: { reason: "Sanctions list match" },
  })

/** A session, and a function that sends what its provider decided some seconds ago. */
async function begin() {
  const { wallet, sessionId } = await app.startSession(key)
  const report = async (decision: string, secondsAgo: number) => {
    const at = addSeconds(realNow(), -secondsAgo)
    const event = { session_id: sessionId, decision, occurred_at: at.toISOString() }
    expect((await app.webhook(event)).json.outcome).toBe("applied")
    return toTimestamp(at)
  }
  return { wallet, report, record: () => recordOf(wallet) }
}

test("a start, a review or a request to submit again is not a decision", async () => {
  const { report, record } = await begin()
  expect((await record()).decided_at).toBeNull()
  for (const [n, decision] of ["in_review", "resubmission_requested"].entries()) {
    await report(decision, 60 - n)
    expect(await record()).toMatchObject({ status: "pending", decided_at: null })
  }
})

test("an approval sets decided_at as soon as it arrives, and it stays through a revocation", async () => {
  const { wallet, report, record } = await begin()
  const at = await report("approved", 40)
  expect((await record()).decided_at).toBe(at)
  await app.waitForStatus(key, wallet, "verified")
  const verified = await record()
  expect(verified).toMatchObject({ decided_at: at, issued_at: at })
  expect((await revoke(verified.attestation_id)).json).toMatchObject({ status: "rejected", decided_at: at })
})

test("a rejection sets decided_at", async () => {
  const { report, record } = await begin()
  const at = await report("rejected", 30)
  expect(await record()).toMatchObject({ status: "rejected", decided_at: at, issued_at: null })
})

test("a withdrawn approval no longer counts: the decision is the rejection", async () => {
  const { wallet, report, record } = await begin()
  const approved = await report("approved", 40)
  await app.waitForStatus(key, wallet, "verified")
  const at = await report("rejected", 10)
  expect(await record()).toMatchObject({ status: "rejected", decided_at: at, issued_at: approved })
})

test("an attestation that is revoked before the provider decides has no decision", async () => {
  const { report, record } = await begin()
  await report("in_review", 10)
  const { attestation_id } = await record()
  expect((await revoke(attestation_id)).json).toMatchObject({ status: "rejected", decided_at: null })
})

test("a session that closes undecided, or that the provider lets expire, has no decision; an expired approval keeps its own", async () => {
  const [left, ended, approved] = [await begin(), await begin(), await begin()]
  await ended.report("expired", 10)
  expect(await ended.record()).toMatchObject({ status: "expired", decided_at: null })
  const at = await approved.report("approved", 40)
  await app.waitForStatus(key, approved.wallet, "verified")
  await advanceClock({ seconds: 25 * 3600 })
  await sweep()
  expect(await left.record()).toMatchObject({ status: "expired", decided_at: null })
  await advanceClock({ days: 366 })
  expect(await approved.record()).toMatchObject({ status: "expired", decided_at: at })
})
