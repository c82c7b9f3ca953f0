import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { publicReasons } from "#shared/public-reasons.ts"
import { member } from "#test/fixtures/people.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// There are two reasons. The internal one is for the customer: an investor who reads it would be tipped off.
const INTERNAL = "OFAC SDN match, SAR 4711 filed"
/** A part of it that no id contains by chance. */
const INSIDE = /OFAC SDN|SAR 4711/

usesCustomer()

/** Everything that the hosted page gets about a session, as text and parsed. */
async function seen(sessionId: string) {
  const response = await fetch(`${app.origin}/api/trpc/verification.view`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId }),
  })
  const text = await response.text()
  return { text, view: JSON.parse(text).result.data }
}
const record = async (wallet: string) =>
  (await app.request({ method: "GET", path: `/attestations?pubkey=${wallet}`, key: key.apiKey })).json.data[0]
const revoke = (id: unknown, json: object) =>
  app.request({ method: "POST", path: `/attestation/${id}/revoke`, key: key.apiKey, json })

test("a provider's words reach the customer, and never the investor", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  await app.webhook({ session_id: sessionId, decision: "rejected", reason: INTERNAL })
  const { text, view } = await seen(sessionId)
  expect(text).not.toMatch(INSIDE)
  expect(view).toMatchObject({ state: "rejected", reason: "unverifiable", was: "pending" })
  expect(await record(wallet)).toMatchObject({ revocation_reason: INTERNAL, public_reason: "unverifiable" })
})

test("a withdrawal's reason never reaches the investor, nor the address back to the company", async () => {
  const { json } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: {
      userPubkey: (await app.startSession(key)).wallet,
      schemaId: "kyc_business_v1",
      redirectUrl: "https://example.com/back",
    },
  })
  const event = { session_id: json.session_id, occurred_at: "2026-01-02T03:04:05Z" }
  await app.webhook({ ...event, decision: "in_review", reason: INTERNAL })
  expect((await seen(json.session_id)).text).not.toMatch(INSIDE)
  await app.webhook({ ...event, decision: "rejected", reason: INTERNAL })
  const { text, view } = await seen(json.session_id)
  expect(text).not.toMatch(INSIDE)
  expect([...new URL(view.returnUrl).searchParams.keys()]).toEqual(["attestation_id", "status"])
})

test.each(publicReasons)("a webhook may send %s, and the investor sees that", async (public_reason) => {
  const { wallet, sessionId } = await app.startSession(key)
  await app.webhook({ session_id: sessionId, decision: "rejected", reason: INTERNAL, public_reason })
  expect((await seen(sessionId)).view.reason).toBe(public_reason)
  expect((await record(wallet)).public_reason).toBe(public_reason)
})

test.each(["sanctions_list_match", "", 7, { code: "withdrawn" }, ["withdrawn"], null])(
  "an unknown public reason becomes the default, and is not stored: %j",
  async (public_reason) => {
    const { sessionId } = await app.startSession(key)
    const { json } = await app.webhook({ session_id: sessionId, decision: "rejected", public_reason })
    expect(json.outcome).toBe("applied")
    expect((await seen(sessionId)).view.reason).toBe("unverifiable")
    expect(app.log.join()).not.toContain("sanctions_list_match")
  },
)

test("a request to submit again shows its code, or resubmit if none is given", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const ask = (more: object) =>
    app.webhook({ session_id: sessionId, decision: "resubmission_requested", reason: INTERNAL, ...more })
  expect((await seen(sessionId)).view).toMatchObject({ state: "open", again: null })
  expect((await record(wallet)).public_reason).toBeNull()
  await ask({ occurred_at: "2026-01-02T03:04:05Z" })
  expect((await seen(sessionId)).view).toMatchObject({ state: "open", again: "resubmit" })
  await ask({ occurred_at: "2026-01-02T03:04:06Z", public_reason: "documents_unreadable" })
  const { text, view } = await seen(sessionId)
  expect(view).toMatchObject({ state: "open", again: "documents_unreadable" })
  expect(text).not.toMatch(INSIDE)
  expect((await record(wallet)).public_reason).toBe("documents_unreadable")
})

test("a revocation has two reasons, one for the team and one for the investor", async () => {
  const chosen = await app.verifiedWallet(key)
  const { json } = await revoke(chosen.status.attestation_id, {
    reason: INTERNAL,
    public_reason: "not_eligible",
  })
  expect(json).toMatchObject({ revocation_reason: INTERNAL, public_reason: "not_eligible" })
  expect((await seen(chosen.sessionId)).view).toMatchObject({ reason: "not_eligible", was: "verified" })

  // A session that had only begun: the provider's earlier reason no longer counts.
  const begun = await app.startSession(key)
  await app.webhook({
    session_id: begun.sessionId,
    decision: "resubmission_requested",
    public_reason: "documents_unreadable",
  })
  await revoke((await record(begun.wallet)).attestation_id, { reason: INTERNAL })
  const { text, view } = await seen(begun.sessionId)
  expect(view).toMatchObject({ reason: "unverifiable", was: "cancelled" })
  expect(text).not.toMatch(INSIDE)

  const refused = await revoke(chosen.status.attestation_id, { reason: "x", public_reason: "Blurred" })
  expect([refused.status, refused.json.detail]).toEqual([422, expect.stringMatching(/^public_reason: /)])
})

test("the audit log never contains a reason's text", async () => {
  const { browser, account } = await member(app)
  const its = await app.key({ account })
  const { status } = await app.verifiedWallet(its)
  await browser.mutate("attestation.revoke", { id: status.attestation_id, reason: INTERNAL })
  const lines = await sql<{ action: string; detail: unknown }[]>`
    select action, detail from audit_entries where subject = ${status.attestation_id}`
  expect([...lines]).toEqual([{ action: "attestation.revoked", detail: { was: "verified" } }])
  const [{ found }] = (await sql`select count(*)::int as found from audit_entries t where t::text like '%OFAC%'`) as [
    { found: number },
  ]
  expect(found).toBe(0)
  // A reader of the attestation still sees it, with its time.
  const { data } = await browser.query("attestation.detail", { id: status.attestation_id })
  expect(data.timeline.find((one: { event: string }) => one.event === "revoked")).toMatchObject({
    detail: INTERNAL,
    by: { kind: "user" },
  })
})
