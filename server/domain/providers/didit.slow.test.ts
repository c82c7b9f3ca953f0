import { createHmac } from "node:crypto"
import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import { startDidit } from "#test/vendor/didit.ts"
import { didit } from "./didit.ts"

let double: Awaited<ReturnType<typeof startDidit>>
const hmac = (text: string, secret = double.secret) => createHmac("sha256", secret).update(text).digest("hex")
const now = () => String(Math.floor(Date.now() / 1000))

describeVendor(
  {
    definition: didit,
    startDouble: async () => {
      double = await startDidit()
      return double
    },
    required: ["VOUCH_DIDIT_API_KEY", "VOUCH_DIDIT_WEBHOOK_SECRET", "VOUCH_DIDIT_WORKFLOWS"],
    signatureHeaders: ["x-signature", "x-timestamp"],
    severalSignatures: false,
    window_s: 300,
    isFetched: false,
    outcomes: ["approved", "rejected", "resubmission_requested", "in_review", "expired", "withdrawn"],
    submits: false,
    signals: ["watchlist_match", "case_opened", "person_deactivated"],
    deletes: true,
    opensAgain: false,
    claims: { country: "ES", age_over_18: true },
  },
  (f) => {
    const isSigned = (headers: Record<string, string>, body: string) =>
      deployment.providers.test.configured.get("didit")!.isSigned(headers, Buffer.from(body))

    test("the signed time in the body counts, and the header's time too", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "Declined")
      const old = new Date(Date.now() - 400_000)
      const stale = double.event(session.reference!, "Declined", { sentAt: old })
      // Recent by the header, which is not signed.
      expect(await f().send(stale, double.sign(stale))).toEqual([401, "invalid_signature"])
      const { timestamp: _, ...timeless } = JSON.parse(double.event(session.reference!, "Declined"))
      // An event without a time may be old, so Vouch asks Didit for the current status.
      double.bring(session.reference!, "Approved")
      expect(await f().send(JSON.stringify(timeless))).toEqual([200, "applied"])
      await f().waitForStatus(session, "verified")
    })

    test("an event sent again later keeps its id and its place in the order", async () => {
      const session = await f().handedOver()
      const at = new Date(Date.now() - 900_000)
      const review = { at, eventId: crypto.randomUUID() }
      double.bring(session.reference!, "In Review")
      expect(await f().send(double.event(session.reference!, "In Review", review))).toEqual([200, "applied"])
      expect(await f().send(double.event(session.reference!, "In Review", review))).toEqual([200, "duplicate"])
      // A lost event, sent again after a later one.
      const older = double.event(session.reference!, "Resubmitted", { at: new Date(at.getTime() - 60_000) })
      expect(await f().send(older)).toEqual([200, "ignored"])
      expect(await f().view(session)).toMatchObject({ state: "checking", inReview: true })
    })

    test("an event that a proxy rewrote is verified by its canonical signature, in both forms", async () => {
      const session = await f().handedOver()
      const event = JSON.parse(double.event(session.reference!, "Declined"))
      double.bring(session.reference!, "Declined")
      const members = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map(members)
          : typeof value === "object" && value !== null
            ? Object.fromEntries(
                Object.entries(value)
                  .sort(([a], [b]) => (a < b ? -1 : 1))
                  .map(([k, v]) => [k, members(v)]),
              )
            : value
      const canonical = JSON.stringify(members(event))
      const ascii = canonical.replaceAll("é", "\\u00e9")
      expect(ascii).not.toBe(canonical)
      // Other whitespace and order; 98.5 as 98.50.
      const body = JSON.stringify(Object.fromEntries(Object.entries(event).reverse()), null, 2).replace("98.5", "98.50")
      const headers = (signature: string) => ({ "x-timestamp": now(), "x-signature-v2": signature })
      expect(isSigned(headers(hmac(canonical)), body)).toBe(true)
      expect(isSigned(headers(hmac(ascii)), body)).toBe(true)
      // Didit also documents a form with the header's time in front.
      const { "x-timestamp": at } = headers("")
      expect(isSigned(headers(hmac(`${at}:${canonical}`)), body)).toBe(true)
      expect(isSigned(headers(hmac(`${Number(at) - 1}:${canonical}`)), body)).toBe(false)
      expect(isSigned(headers(hmac(canonical)), body.replace("Declined", "Approved"))).toBe(false)
      expect(isSigned(headers(hmac(canonical).slice(1)), body)).toBe(false)
      expect(isSigned(headers(hmac(canonical, "another secret")), body)).toBe(false)
      // The signature of the bytes is then wrong, which does not matter.
      const both = { ...headers(hmac(canonical)), "x-signature": hmac("as it was sent") }
      expect(await f().send(body, both)).toEqual([200, "applied"])
    })

    test("a status without a time of change counts from the event's signed time", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "Declined")
      const { created_at: _, ...event } = JSON.parse(double.event(session.reference!, "Declined"))
      expect(await f().send(JSON.stringify(event))).toEqual([200, "applied"])
      expect(await f().statusOf(session)).toBe("rejected")
    })

    test("the simple signature is never accepted, because it does not cover the decision", async () => {
      const session = await f().handedOver()
      const body = double.event(session.reference!, "Approved")
      const { timestamp, session_id, status, webhook_type } = JSON.parse(body)
      const simple = hmac(`${timestamp}:${session_id}:${status}:${webhook_type}`)
      const headers = { "x-timestamp": now(), "x-signature-simple": simple }
      expect(await f().send(body, headers)).toEqual([401, "invalid_signature"])
    })

    test("an event without Didit's signature is refused, whatever it is about", async () => {
      const body = JSON.stringify({ webhook_type: "kyb.registry_search.resolved", timestamp: Number(now()) })
      expect(await f().send(body, { "x-timestamp": now() })).toEqual([401, "invalid_signature"])
    })

    test("extremely deep nesting is refused without harm", () => {
      const deep = `{"timestamp":${now()},"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
      expect(isSigned({ "x-timestamp": now(), "x-signature-v2": hmac(deep) }, deep)).toBe(false)
    })

    test("a document that expires withdraws an approval", async () => {
      const session = await f().handedOver()
      expect(await f().send(double.decide(session, "approved", new Date(Date.now() - 60_000)))).toEqual([
        200,
        "applied",
      ])
      await f().waitForStatus(session, "verified")
      double.bring(session.reference!, "Kyc Expired")
      expect(await f().send(double.event(session.reference!, "Kyc Expired"))).toEqual([200, "applied"])
      await f().waitForStatus(session, "rejected")
      expect(await f().view(session)).toMatchObject({ was: "verified", reason: "withdrawn" })
    })

    test("an approval counts as the API reports it, and not while the API is unreachable", async () => {
      const session = await f().handedOver()
      const body = double.decide(session, "approved")
      double.misbehave("fails")
      expect(await f().send(body)).toEqual([503, "provider_unavailable"])
      double.misbehave(null)
      double.bring(session.reference!, "Declined")
      expect(await f().send(body)).toEqual([200, "applied"])
      expect(await f().statusOf(session)).toBe("rejected")
    })

    test("two wallets of a person share an unfinished session, and its decision applies to both", async () => {
      const externalId = `person-${crypto.randomUUID()}`
      const [one, other] = [
        await f().handedOver({ externalId, wallet: newWallet() }),
        await f().handedOver({ externalId, wallet: newWallet() }),
      ]
      expect(other.reference).toBe(one.reference)
      expect(await f().send(double.decide(one, "approved"))).toEqual([200, "applied"])
      for (const session of [one, other]) await f().waitForStatus(session, "verified")
    })

    test("a review that Vouch asks about repeatedly is recorded once", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "In Review")
      await f().poll(session)
      await waitFor(async () => (await f().view(session)).inReview === true, "the review to be recorded")
      const asked = double.requests.length
      for (const _ of [1, 2]) await f().poll(session)
      await waitFor(async () => double.requests.length >= asked + 2, "two more answers")
      expect(await f().events(session)).toEqual(["applied"])
    })
  },
)
