import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addDays, addSeconds, clock } from "#server/lib/time.ts"
import { newWallet, signWebhook, waitFor } from "#test/fixtures/app.ts"
import { moveClock, realNow } from "#test/fixtures/clock.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

// The worker runs, so approved sessions become verified.

usesCustomer()

const started = async () => {
  const { wallet, sessionId } = await app.startSession(key)
  return {
    wallet,
    sessionId,
    send: async (decision: string, at: Date = clock.now(), more: Record<string, unknown> = {}) => {
      const event = { session_id: sessionId, decision, occurred_at: at.toISOString(), ...more }
      return (await app.webhook(event)).json.outcome as string
    },
    status: async () => {
      const { json } = await app.request({ method: "GET", path: `/kyc/status/${wallet}`, key: key.apiKey })
      return json.status as string
    },
    record: async () => {
      const path = `/attestations?pubkey=${wallet}`
      return (await app.request({ method: "GET", path, key: key.apiKey })).json.data[0]
    },
  }
}

test("an approval is applied, the same event again is a duplicate, a later approval is ignored", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const id = newId("evt")
  const event = { session_id: sessionId, decision: "approved", occurred_at: new Date().toISOString() }
  const first = await app.webhook(event, { id })
  expect(first).toMatchObject({ status: 200, json: { received: true, outcome: "applied" } })
  expect(Object.keys(first.json)).toEqual(["received", "outcome"])
  expect((await app.webhook(event, { id })).json.outcome).toBe("duplicate")
  await app.waitForStatus(key, wallet, "verified")

  const before = await snapshot()
  expect((await app.webhook(event, { id })).json.outcome).toBe("duplicate")
  // Only the id counts, even with other content.
  expect((await app.webhook({ ...event, decision: "rejected" }, { id })).json.outcome).toBe("duplicate")
  expect(await snapshot()).toEqual(before)
  const late = { ...event, occurred_at: new Date().toISOString() }
  expect((await app.webhook(late)).json.outcome).toBe("ignored")
})

test("fifty copies of one event at once are applied once", async () => {
  const { sessionId } = await app.startSession(key)
  const id = newId("evt")
  const event = { session_id: sessionId, decision: "rejected", occurred_at: new Date().toISOString() }
  const answers = await Promise.all(Array.from({ length: 50 }, () => app.webhook(event, { id })))
  const outcomes = answers.map(({ json }) => json.outcome)
  expect(outcomes.filter((outcome) => outcome === "applied")).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(49)
})

test("the path may name the provider", async () => {
  const { sessionId } = await app.startSession(key)
  const response = await app.webhook({ session_id: sessionId, decision: "rejected" }, { path: "/kyc/webhook/sandbox" })
  expect(response.json).toEqual({ received: true, outcome: "applied" })
})

test("fields that a vendor adds are ignored", async () => {
  const { sessionId } = await app.startSession(key)
  const occurred_at = new Date().toISOString()
  const data = {
    session_id: sessionId,
    decision: "rejected",
    occurred_at,
    claims: { country: "US", score: 7 },
  }
  const body = JSON.stringify({ type: "verification.completed", data: { ...data, extra: [1] }, more: {} })
  const sent = { method: "POST", path: "/kyc/webhook", headers: signWebhook(newId("evt"), body), body }
  expect((await app.request(sent)).json.outcome).toBe("applied")
})

test("events are ordered by the provider's clock: one older than the last applied event is ignored", async () => {
  const one = await started()
  const now = clock.now()
  expect(await one.send("in_review", now)).toBe("applied")
  expect(await one.send("rejected", addSeconds(now, -1))).toBe("ignored")
  expect(await one.send("approved", addSeconds(now, -60))).toBe("ignored")
  expect(await one.status()).toBe("pending")
  expect(await one.send("resubmission_requested", now)).toBe("applied")
  expect(await one.send("in_review", now)).toBe("ignored")
  expect(await one.send("rejected", now)).toBe("applied")
  expect(await one.status()).toBe("rejected")
})

test("a rejection of the same instant outweighs an approval, in whichever order they arrive", async () => {
  const at = clock.now()
  const [one, other] = [await started(), await started()]
  expect(await one.send("approved", at)).toBe("applied")
  expect(await one.send("rejected", at)).toBe("applied")
  expect(await other.send("rejected", at)).toBe("applied")
  expect(await other.send("approved", at)).toBe("ignored")
  expect(await one.status()).toBe("rejected")
  expect(await other.status()).toBe("rejected")
})

test("an event without effect is recorded too, so it has no effect when sent again", async () => {
  const one = await started()
  const now = clock.now()
  expect(await one.send("resubmission_requested", now)).toBe("applied")
  const id = newId("evt")
  const event = {
    session_id: one.sessionId,
    decision: "rejected",
    occurred_at: addSeconds(now, -5).toISOString(),
  }
  expect((await app.webhook(event, { id })).json.outcome).toBe("ignored")
  expect((await app.webhook(event, { id })).json.outcome).toBe("duplicate")
})

test("a rejection after the approval revokes: the record says when and why, and the credential is destroyed", async () => {
  const { wallet, sessionId } = await app.verifiedWallet(key)
  const reason = "Document reported stolen"
  const outcome = await app.webhook({ session_id: sessionId, decision: "rejected", reason })
  expect(outcome.json.outcome).toBe("applied")
  const path = `/attestations?pubkey=${wallet}`
  const { json } = await app.request({ method: "GET", path, key: key.apiKey })
  expect(json.data[0]).toMatchObject({ status: "rejected", revocation_reason: reason })
  expect(json.data[0].revoked_at).toMatch(/Z$/)
  await waitFor(async () => {
    const [held] = await sql`select from credentials where wallet = ${wallet} and attestation_id is null`
    return held !== undefined
  }, "the credential to be destroyed")
  // No event leaves `rejected`.
  for (const decision of ["in_review", "expired", "resubmission_requested"]) {
    const again = await app.webhook({ session_id: sessionId, decision })
    expect(again.json.outcome, decision).toBe("ignored")
  }
})

test("nothing leaves rejected or expired; an approval after a rejection opens a review", async () => {
  const rejected = [
    ["rejected", "ignored"],
    ["approved", "review_opened"],
    ["rejected", "applied"],
    ["expired", "ignored"],
    ["in_review", "ignored"],
  ]
  const expired = ["approved", "rejected", "expired", "in_review"].map((decision) => [decision, "ignored"])
  for (const [end, later] of Object.entries({ rejected, expired })) {
    const one = await started()
    expect(await one.send(end)).toBe("applied")
    for (const [i, [decision, outcome]] of later.entries()) {
      expect(await one.send(decision!, addSeconds(clock.now(), i + 1)), `${decision} after ${end}`).toBe(outcome)
    }
    expect(await one.status()).toBe(end)
  }
})

test("review and resubmission keep a session pending, and only the first event extends it to 30 days", async () => {
  const one = await started()
  const start = clock.now()
  const openUntil = async () => {
    const [row] = await sql<{ open_until: Date }[]>`
      select open_until from attestations where session_id = ${one.sessionId}`
    return row!.open_until
  }
  await moveClock(addSeconds(start, 3600))
  expect(await one.send("in_review")).toBe("applied")
  const until = addDays(addSeconds(start, 3600), 30)
  expect(await openUntil()).toEqual(until)
  await moveClock(addDays(start, 20))
  expect(await one.send("resubmission_requested")).toBe("applied")
  expect(await one.send("in_review", addSeconds(clock.now(), 1))).toBe("applied")
  expect(await openUntil()).toEqual(until)
  await moveClock(addSeconds(until, -1))
  expect(await one.status()).toBe("pending")
  await moveClock(until)
  expect(await one.status()).toBe("expired")
  expect(await one.send("approved")).toBe("ignored")
  expect((await one.record()).revocation_reason).toBeNull()
})

test("an approval as old as the schema's validity expires at once", async () => {
  const one = await started()
  expect(await one.send("approved", addDays(clock.now(), -365))).toBe("applied")
  expect(await one.status()).toBe("expired")
})

test("issued_at is the time of the provider's decision, and never in the future", async () => {
  const early = await started()
  const decided = addDays(clock.now(), -10)
  await early.send("approved", decided)
  const ahead = await started()
  const before = Date.now()
  await ahead.send("approved", addSeconds(new Date(), 200))
  await app.waitForStatus(key, early.wallet, "verified")
  await app.waitForStatus(key, ahead.wallet, "verified")
  const record = await early.record()
  expect(record.issued_at).toBe(`${decided.toISOString().slice(0, 19)}Z`)
  expect(record.expires_at).toBe(`${addDays(decided, 365).toISOString().slice(0, 19)}Z`)
  const issued = Date.parse((await ahead.record()).issued_at)
  expect(issued).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000)
  expect(issued).toBeLessThanOrEqual(Date.now())
})

test("the webhook is answered only after the decision is recorded", async () => {
  const { sessionId } = await app.startSession(key)
  let answered = false
  await sql
    .begin(async (tx) => {
      await tx`select from attestations where session_id = ${sessionId} for update`
      const answer = app.webhook({ session_id: sessionId, decision: "rejected" }).then((response) => {
        answered = true
        return response
      })
      await waitFor(async () => {
        const waiting = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return waiting.length > 0
      }, "the webhook to wait for the row")
      expect(answered).toBe(false)
      return { answer }
    })
    .then(async ({ answer }) => {
      expect((await answer).json.outcome).toBe("applied")
      const [row] = await sql`select status from attestations where session_id = ${sessionId}`
      expect(row!.status).toBe("rejected")
    })
})

test("claims are encrypted at rest: no table has them in plain text", async () => {
  const wallet = newWallet()
  const { sessionId } = await app.startSession(key, wallet)
  await app.webhook({
    session_id: sessionId,
    decision: "approved",
    claims: { country: "LI", accredited: true },
  })
  await app.waitForStatus(key, wallet, "verified")
  const [row] = await sql<{ claims: Buffer }[]>`select claims from attestations where wallet = ${wallet}`
  expect(row!.claims.length).toBeGreaterThan(28)
  expect(row!.claims.includes("country")).toBe(false)
})

test("a session or verification past its time ignores events, swept or not", async () => {
  const one = await started()
  const verified = await app.verifiedWallet(key)
  const end = addSeconds(realNow(), 24 * 3600 + 60)
  await moveClock(end)
  expect(await one.send("approved")).toBe("ignored")
  expect(await one.status()).toBe("expired")
  const later = addDays(realNow(), 366)
  await moveClock(later)
  const answer = await app.webhook({ session_id: verified.sessionId, decision: "rejected" })
  expect(answer.json.outcome).toBe("ignored")
  const path = `/kyc/status/${verified.wallet}`
  expect((await app.request({ method: "GET", path, key: key.apiKey })).json.status).toBe("expired")
})
