import { createHmac, randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import { outcomes } from "#test/vendor/fixture.ts"
import { refused, startHttpDouble } from "#test/vendor/http-double.ts"
import { startVeriff, type VeriffDouble } from "#test/vendor/veriff.ts"
import { screened, userDefinedStatus, withoutOffset } from "#test/vendor/veriff-bodies.ts"
import type { Provider } from "./provider.ts"
import { veriff } from "./veriff.ts"

const ACCREDITED = "accredited_investor_v1"
const KEY = "8e4b1b5f-4a3f-4b66-9f0c-6f7f0b0f6c01"
const SECRET = "abcdef12-abcd-abcd-abcd-abcdef012345"

function configured(more: Record<string, string> = {}): Provider {
  const result = veriff.configure({ VERIFF_API_KEY: KEY, VERIFF_SECRET: SECRET, ...more })
  if ("wrong" in result) throw new Error(JSON.stringify(result.wrong))
  return result.provider
}

describeVendor(
  {
    definition: veriff,
    startDouble: startVeriff,
    required: ["VOUCH_VERIFF_API_KEY", "VOUCH_VERIFF_SECRET"],
    signatureHeaders: ["x-hmac-signature", "x-auth-client"],
    severalSignatures: false,
    window_s: null,
    isFetched: true,
    outcomes,
    submits: true,
    signals: ["watchlist_match"],
    deletes: true,
    opensAgain: true,
    claims: { country: "GB", age_over_18: true },
  },
  (fixture) => {
    const double = () => fixture().vendor as VeriffDouble

    test("each schema uses the integration that is set for it, and an integration's secret is valid only for it", async () => {
      const f = fixture()
      const session = await f.handedOver({ schemaId: ACCREDITED })
      const body = f.vendor.decide(session, "approved")
      const [first, second] = [f.vendor.sign(body), double().signAsSecond(body)]
      for (const mixed of [
        { ...first, "x-auth-client": second["x-auth-client"]! },
        { ...second, "x-auth-client": first["x-auth-client"]! },
      ])
        expect(await f.send(body, mixed)).toEqual([401, "invalid_signature"])
      expect(await f.send(body, second)).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })

    test("an investor who must submit again continues in the same Veriff session, and is approved there", async () => {
      const f = fixture()
      const first = await f.handedOver()
      const { data } = await f.goOn(first)
      expect(await f.send(f.vendor.decide(first, "resubmission_requested"))).toEqual([200, "applied"])
      expect((await f.goOn(first)).data.url).toBe(data.url)
      expect(f.vendor.opened(first)).toBe(1)
      expect(await f.send(f.vendor.decide(first, "approved"))).toEqual([200, "applied"])
      await f.waitForStatus(first, "verified")
    })

    /** A Veriff session that a person left for another one, because its address had expired. */
    async function left() {
      const f = fixture()
      const before = await f.handedOver()
      await f.send(f.vendor.decide(before, "resubmission_requested", new Date(Date.now() - 60_000)))
      await sql`
        update attestations set provider_link_until = date_trunc('second', now()) where session_id = ${before.sessionId}`
      await f.goOn(before)
      const session = await f.session(before.sessionId)
      expect(session.reference).not.toBe(before.reference)
      return { before, session }
    }

    test("a Veriff session that was left for another one ends nothing", async () => {
      const f = fixture()
      const { before, session } = await left()
      for (const outcome of ["expired", "rejected", "in_review"] as const)
        expect([outcome, ...(await f.send(f.vendor.decide(before, outcome)))]).toEqual([outcome, 200, "ignored"])
      expect(await f.statusOf(session)).toBe("pending")
      expect(await f.send(f.vendor.decide(session, "approved"))).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })

    test("a Veriff session that was left for another one may still be approved, and then counts", async () => {
      const f = fixture()
      const { before, session } = await left()
      const approval = f.vendor.decide(before, "approved", new Date(Date.now() - 30_000))
      expect(await f.send(approval)).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
      expect(await f.send(approval)).toEqual([200, "duplicate"])
      expect(await f.send(f.vendor.decide(session, "expired"))).toEqual([200, "ignored"])
      expect((await f.session(session.sessionId)).reference).toBe(before.reference)
      expect(await f.send(f.vendor.decide(before, "withdrawn"))).toEqual([200, "applied"])
      await f.waitForStatus(session, "rejected")
    })

    test("Vouch reads a Full Auto decision from its separate address", async () => {
      const f = fixture()
      const [passes, fails, polled] = [await f.handedOver(), await f.handedOver(), await f.handedOver()]
      expect(await f.send(double().decideAutomatically(passes, "approved"))).toEqual([200, "applied"])
      await f.waitForStatus(passes, "verified")
      expect(await f.claims(passes)).toEqual({ country: "GB", age_over_18: true })
      expect(await f.send(double().decideAutomatically(fails, "declined"))).toEqual([200, "applied"])
      expect(await f.statusOf(fails)).toBe("rejected")
      double().decideAutomatically(polled, "approved")
      await f.poll(polled)
      await f.waitForStatus(polled, "verified")
    })

    test("a Full Auto answer about another session decides nothing", async () => {
      const f = fixture()
      const [session, other] = [await f.handedOver(), await f.handedOver()]
      const body = double().decideAutomatically(session, "approved")
      f.vendor.alter((text) => text.replaceAll(session.reference!, other.reference!))
      expect(await f.send(body)).toEqual([503, "provider_unavailable"])
      expect(await f.statusOf(session)).toBe("pending")
    })

    test("a status that the customer defines is known and decides nothing", async () => {
      const f = fixture()
      const session = await f.handedOver()
      const about = { id: session.reference!, vendorData: session.investorId }
      const before = f.app.log.length
      const [came, calls] = await f.callsFor(() => f.send(JSON.stringify(userDefinedStatus(about, new Date()))))
      expect([came, calls]).toEqual([[200, "ignored"], 0])
      expect(f.app.log.slice(before).join("")).not.toContain("could not be read")
    })

    test("reviewStatus of the newer screening means the same as matchStatus of the older one", async () => {
      const f = fixture()
      const session = await f.handedOver()
      await f.send(f.vendor.decide(session, "approved", new Date(Date.now() - 60_000)))
      await f.waitForStatus(session, "verified")
      const about = { id: session.reference!, vendorData: session.investorId }
      const screening = (status: string) => f.send(JSON.stringify(screened(about, status, new Date())))
      for (const status of ["no_match", "reviewed"]) expect(await screening(status)).toEqual([200, "ignored"])
      expect(await f.findings(session)).toEqual([])
      expect(await screening("potential_match")).toEqual([200, "applied"])
      expect(await f.findings(session)).toEqual(["watchlist_match"])
    })

    test("a time without an offset is UTC, also in an answer", async () => {
      const f = fixture()
      const session = await f.handedOver()
      const at = new Date(Date.now() - 120_000)
      const body = f.vendor.decide(session, "approved", at)
      f.vendor.alter((text) => text.replaceAll(at.toISOString(), withoutOffset(at)))
      expect(await f.send(body.replaceAll(at.toISOString(), withoutOffset(at)))).toEqual([200, "applied"])
      const [row] = await sql`select event_at from attestations where session_id = ${session.sessionId}`
      expect(row!.event_at).toEqual(at)
    })

    test("a list match is a signal about the session; no match has no effect", async () => {
      const f = fixture()
      const at = new Date("2026-01-02T03:04:05.678Z")
      const read = (body: string) => configured().readEvent({}, Buffer.from(body))
      expect(read(double().watchlist("12df6045-3846-3e45-946a-14fa6136d78b", "possible_match", at))).toMatchObject({
        about: { reference: "12df6045-3846-3e45-946a-14fa6136d78b" },
        says: { kind: "signal", signal: "watchlist_match", occurredAt: at },
      })
      expect(read(double().watchlist(randomUUID(), "no_match"))).toBeNull()
      const session = await f.handedOver()
      await f.send(f.vendor.decide(session, "approved", new Date(Date.now() - 60_000)))
      await f.waitForStatus(session, "verified")
      const body = double().watchlist(session.reference!, "possible_match")
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.send(body)).toEqual([200, "duplicate"])
    })
  },
)

// https://developers.veriff.com/#generating-x-hmac-signature, in its earlier and current form.
test.each([
  ["unique id of a user", "6af6d95822e19e9cc707aec55395d8d363ba2c7bc4625bc04ebeca0c7bf8cd67"],
  ["unique id of the end-user", "0dcab73ddd20062616d104231c7439657546a5c24e4691977da93bb854c31e25"],
])("the published signature of the body about the %s is valid", (vendorData, signature) => {
  const body = `{"verification":{"callback":"https://veriff.com","person":{"firstName":"John","lastName":"Smith"},"document":{"type":"PASSPORT","country":"EE"},"vendorData":"${vendorData}","timestamp":"2016-05-19T08:30:25.597Z"}}`
  expect(createHmac("sha256", SECRET).update(body).digest("hex")).toBe(signature)
  const headers = { "x-auth-client": KEY, "x-hmac-signature": signature }
  expect(configured().isSigned(headers, Buffer.from(body))).toBe(true)
  expect(configured().isSigned(headers, Buffer.from(body.replace("EE", "EF")))).toBe(false)
})

test("the request for a decision has the published signature of its session's id", async () => {
  const seen: IncomingHttpHeaders[] = []
  const http = await startHttpDouble(({ headers }) => {
    seen.push(headers)
    return refused(404, "Session not found")
  })
  try {
    const { flow } = configured({ VERIFF_URL: http.origin })
    if (flow.kind !== "redirect") throw new Error("Veriff has its own page.")
    const session = { schemaId: "kyc_individual_v1" } as Parameters<typeof flow.readDecision>[0]
    expect(await flow.readDecision(session, "aea9ba6d-1b47-47fc-a4fc-f72b6d3584a7")).toBeNull()
    expect(seen[0]).toMatchObject({
      "x-auth-client": KEY,
      "x-hmac-signature": "895cb3fd31139d89aeb7b263682e15479ab57651e70591256ad2c14fde4950dd",
    })
  } finally {
    await http.stop()
  }
})

test.each<[string, Record<string, string>, string]>([
  ["a key without its secret", { VERIFF_API_KEY: `${KEY}, a=${KEY}` }, "the same schemas as VERIFF_API_KEY; a"],
  ["a secret without its key", { VERIFF_SECRET: `${SECRET}, b=${SECRET}` }, "the same schemas as VERIFF_API_KEY; b"],
  ["no secret for all", { VERIFF_SECRET: `a=${SECRET}` }, "for all schemas"],
])("%s stops the start with a message", (_name, wrong, problem) => {
  const result = veriff.configure({ VERIFF_API_KEY: KEY, VERIFF_SECRET: SECRET, ...wrong })
  expect(result).toEqual({ wrong: [{ name: "VERIFF_SECRET", problem: expect.stringContaining(problem) }] })
})
