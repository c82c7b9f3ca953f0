import { createHmac, randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { expect, test } from "vitest"
import { describeVendor } from "#test/vendor/contract.ts"
import { outcomes } from "#test/vendor/fixture.ts"
import { refused, startHttpDouble } from "#test/vendor/http-double.ts"
import { startVeriff, type VeriffDouble } from "#test/vendor/veriff.ts"
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

    test("each schema has the integration that is set for it, and one's secret signs for no other", async () => {
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

    test("what becomes of a session that was left for another one is nobody's", async () => {
      const f = fixture()
      const left = await f.handedOver()
      await f.send(f.vendor.decide(left, "resubmission_requested"))
      await f.goOn(left)
      const session = await f.session(left.sessionId)
      expect(session.reference).not.toBe(left.reference)
      expect(await f.send(f.vendor.decide(left, "expired"))).toEqual([200, "ignored"])
      expect(await f.statusOf(session)).toBe("pending")
      expect(await f.send(f.vendor.decide(session, "approved"))).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })

    test("a match in a list is a signal about the session; no match is nothing", async () => {
      const f = fixture()
      const at = new Date("2026-01-02T03:04:05.678Z")
      const read = (body: string) => configured().readEvent({}, Buffer.from(body))
      expect(
        read(double().watchlist("12df6045-3846-3e45-946a-14fa6136d78b", "possible_match", at)),
      ).toMatchObject({
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

// https://developers.veriff.com/#generating-x-hmac-signature, as it was published and as it is now.
test.each([
  ["unique id of a user", "6af6d95822e19e9cc707aec55395d8d363ba2c7bc4625bc04ebeca0c7bf8cd67"],
  ["unique id of the end-user", "0dcab73ddd20062616d104231c7439657546a5c24e4691977da93bb854c31e25"],
])("the published signature of the body about the %s holds", (vendorData, signature) => {
  const body = `{"verification":{"callback":"https://veriff.com","person":{"firstName":"John","lastName":"Smith"},"document":{"type":"PASSPORT","country":"EE"},"vendorData":"${vendorData}","timestamp":"2016-05-19T08:30:25.597Z"}}`
  expect(createHmac("sha256", SECRET).update(body).digest("hex")).toBe(signature)
  const headers = { "x-auth-client": KEY, "x-hmac-signature": signature }
  expect(configured().isSigned(headers, Buffer.from(body))).toBe(true)
  expect(configured().isSigned(headers, Buffer.from(body.replace("EE", "EF")))).toBe(false)
})

test("the published signature of a session's id is the one that asks for its decision", async () => {
  const seen: IncomingHttpHeaders[] = []
  const http = await startHttpDouble(({ headers }) => {
    seen.push(headers)
    return refused(404, "Session not found")
  })
  try {
    const { flow } = configured({ VERIFF_URL: http.origin })
    if (flow.kind !== "redirect") throw new Error("It has a page of its own.")
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
  [
    "a key without its secret",
    { VERIFF_API_KEY: `${KEY}, a=${KEY}` },
    "the same schemas as VERIFF_API_KEY; a",
  ],
  [
    "a secret without its key",
    { VERIFF_SECRET: `${SECRET}, b=${SECRET}` },
    "the same schemas as VERIFF_API_KEY; b",
  ],
  ["no secret for all", { VERIFF_SECRET: `a=${SECRET}` }, "for all schemas"],
])("%s stops the start, in a sentence", (_name, wrong, problem) => {
  const result = veriff.configure({ VERIFF_API_KEY: KEY, VERIFF_SECRET: SECRET, ...wrong })
  expect(result).toEqual({ wrong: [{ name: "VERIFF_SECRET", problem: expect.stringContaining(problem) }] })
})
