import { expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import type { OurSession } from "#test/vendor/fixture.ts"
import { completed, green, type SumsubDouble, startSumsub } from "#test/vendor/sumsub.ts"
import { sumsub } from "./sumsub.ts"

const ACCREDITED = "accredited_investor_v1"
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const secondsAgo = (n: number) => new Date(Date.now() - n * 1000)

describeVendor(
  {
    definition: sumsub,
    startDouble: startSumsub,
    required: [
      "VOUCH_SUMSUB_APP_TOKEN",
      "VOUCH_SUMSUB_SECRET_KEY",
      "VOUCH_SUMSUB_WEBHOOK_SECRET",
      "VOUCH_SUMSUB_LEVELS",
    ],
    signatureHeaders: ["x-payload-digest"],
    severalSignatures: false,
    window_s: null,
    isFetched: true,
    outcomes: ["approved", "rejected", "resubmission_requested", "in_review", "withdrawn"],
    submits: false,
    signals: ["watchlist_match", "case_opened", "person_deactivated", "data_deleted"],
    deletes: false,
    opensAgain: false,
    claims: { country: "DE", age_over_18: true },
  },
  (fixture) => {
    const double = () => fixture().vendor as SumsubDouble
    let people = 0
    const person = () => `person-${++people}`
    /** A person whom Sumsub has approved with one wallet. */
    async function approved(externalId: string, at = new Date(Date.now() - 60_000)): Promise<OurSession> {
      const f = fixture()
      const session = await f.handedOver({ externalId })
      await f.send(f.vendor.decide(session, "approved", at))
      await f.waitForStatus(session, "verified")
      return session
    }

    test("another wallet of an approved person is verified at once, without a second check", async () => {
      const f = fixture()
      const externalId = person()
      const first = await approved(externalId)
      const second = await f.start({ externalId })
      expect(second.investorId).toBe(first.investorId)
      const { data } = await f.goOn(second)
      // No one is sent to Sumsub: the decision exists already.
      expect(data).toMatchObject({
        url: null,
        view: { state: expect.stringMatching(/^(checking|verified)$/) },
      })
      await f.waitForStatus(second, "verified")
      expect(await f.claims(second)).toEqual({ country: "DE", age_over_18: true })
      expect(double().applicants(first.investorId)).toBe(1)
      expect(await f.attests(second)).toBe(1)
    })

    test("if Sumsub cannot be asked at once, the next ask verifies the other wallet", async () => {
      const f = fixture()
      const externalId = person()
      await approved(externalId)
      const second = await f.start({ externalId })
      // Sumsub finds the person, returns the address of its page, and then fails.
      double().misbehave("fails", 2)
      const { data } = await f.goOn(second)
      expect(data.url).toContain("/page/")
      f.vendor.misbehave(null)
      await f.poll(second)
      await f.waitForStatus(second, "verified")
    })

    test("a wallet started for two people has a session of each, and the first one's approval does not count for the second", async () => {
      const f = fixture()
      const [mistaken, right] = [person(), person()]
      const first = await f.handedOver({ externalId: mistaken })
      const second = await f.handedOver({ externalId: mistaken })
      expect(second.reference).toBe(first.reference)
      const corrected = await f.start({ wallet: second.wallet, externalId: right })
      expect(corrected.sessionId).not.toBe(second.sessionId)
      expect(corrected.investorId).not.toBe(first.investorId)
      expect(await f.view(second)).toMatchObject({ state: "handed_over" })
      expect(await f.send(f.vendor.decide(first, "approved"))).toEqual([200, "applied"])
      for (const session of [first, second]) await f.waitForStatus(session, "verified")
      expect(await f.view(corrected)).toMatchObject({ state: "open" })

      expect((await f.goOn(corrected)).data.url).toContain(corrected.investorId)
      const again = await f.session(corrected.sessionId)
      expect(await f.send(f.vendor.decide(again, "approved"))).toEqual([200, "applied"])
      await waitFor(async () => (await f.view(corrected)).state === "verified", "the second person's approval")
    })

    test("a final rejection applies to every wallet of the person, and to no one else's", async () => {
      const f = fixture()
      const externalId = person()
      const first = await approved(externalId)
      const second = await f.start({ externalId })
      await f.goOn(second)
      await f.waitForStatus(second, "verified")
      const other = await approved(person())
      expect(await f.send(f.vendor.decide(first, "withdrawn"))).toEqual([200, "applied"])
      for (const session of [first, second]) await f.waitForStatus(session, "rejected")
      expect(await f.statusOf(other)).toBe("verified")
      // A third wallet is rejected at once.
      const third = await f.start({ externalId })
      expect((await f.goOn(third)).data).toMatchObject({ url: null, view: { state: "rejected" } })
    })

    test("an approval with little validity left is not reused: the person is checked again", async () => {
      const f = fixture()
      const externalId = person()
      const first = await f.handedOver({ externalId })
      f.vendor.decide(first, "approved", daysAgo(350))
      const second = await f.start({ externalId })
      expect((await f.goOn(second)).data).toMatchObject({
        url: expect.stringContaining("/page/"),
        view: { state: "handed_over" },
      })
      await f.poll(second)
      expect(await f.statusOf(second)).toBe("pending")
      const session = await f.session(second.sessionId)
      expect(await f.send(f.vendor.decide(session, "approved"))).toEqual([200, "applied"])
      await f.waitForStatus(second, "verified")
    })

    test("an approval at one level does not count for another", async () => {
      const f = fixture()
      const externalId = person()
      const first = await approved(externalId)
      const second = await f.start({ externalId, schemaId: ACCREDITED })
      expect((await f.goOn(second)).data.url).toContain("/page/")
      await f.poll(second)
      expect(await f.statusOf(second)).toBe("pending")
      // Sumsub has moved the person to the second level, which has no decision.
      const session = await f.session(second.sessionId)
      expect(await f.send(f.vendor.decide(session, "rejected"))).toEqual([200, "applied"])
      await f.waitForStatus(first, "verified")
      expect((await f.view(second)).state).toBe("rejected")
    })

    test("a level for accreditation reports that an investor is accredited", async () => {
      const f = fixture()
      const session = await f.handedOver({ schemaId: ACCREDITED })
      await f.send(f.vendor.decide(session, "approved"))
      await f.waitForStatus(session, "verified")
      expect(await f.claims(session)).toEqual({ country: "DE", age_over_18: true, accredited: true })
    })

    test("a deactivated applicant does not count as approved, and the signal names all their sessions", async () => {
      const f = fixture()
      const externalId = person()
      const first = await approved(externalId)
      double().deactivate(first.investorId)
      const body = double().webhook("applicantDeactivated", {
        userId: first.investorId,
        levelName: "Another level",
      })
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.send(body)).toEqual([200, "duplicate"])
      const second = await f.start({ externalId })
      expect((await f.goOn(second)).data.url).toContain("/page/")
    })

    test.each([
      ["applicantAwaitingService", "awaitingService"],
      ["applicantAwaitingUser", "awaitingUser"],
    ])("%s is a review, although the answer so far is GREEN", async (type, reviewStatus) => {
      const f = fixture()
      const session = await f.handedOver()
      const about = { userId: session.investorId, levelName: "basic-kyc-level", at: secondsAgo(60) }
      const body = double().review(type, { ...about, reviewStatus, reviewResult: green })
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.view(session)).toMatchObject({ state: "checking", inReview: true })
      await f.send(double().review("applicantReviewed", { ...about, at: new Date(), ...completed(green) }))
      await f.waitForStatus(session, "verified")
    })

    test("an applicant who is reset at Sumsub during a review can submit again", async () => {
      const f = fixture()
      const session = await f.handedOver()
      const about = { userId: session.investorId, levelName: "basic-kyc-level" }
      await f.send(double().review("applicantOnHold", { ...about, at: secondsAgo(60), reviewStatus: "onHold" }))
      expect(await f.view(session)).toMatchObject({ state: "checking" })
      const reset = double().review("applicantReset", { ...about, reviewStatus: "init" })
      expect(await f.send(reset)).toEqual([200, "applied"])
      expect(await f.view(session)).toMatchObject({ state: "open", again: "resubmit" })
      expect((await f.goOn(session)).data.url).toContain("/page/")
      await f.send(double().review("applicantReviewed", { ...about, ...completed(green) }))
      await f.waitForStatus(session, "verified")
    })

    test("a reset before anything was submitted changes nothing", async () => {
      const f = fixture()
      const session = await f.handedOver()
      const about = { userId: session.investorId, levelName: "basic-kyc-level" }
      expect(await f.send(double().review("applicantReset", { ...about, reviewStatus: "init" }))).toEqual([
        200,
        "ignored",
      ])
      expect(await f.view(session)).toMatchObject({ state: "handed_over" })
    })

    test("an event of an unknown type makes Vouch ask Sumsub", async () => {
      const f = fixture()
      const session = await f.handedOver()
      f.vendor.decide(session, "approved")
      const body = double().webhook("somethingNewOfNextYear", { userId: session.investorId })
      expect(await f.send(body)).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })
  },
)
