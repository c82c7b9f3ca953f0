import { createHmac } from "node:crypto"
import { expect, test } from "vitest"
import { waitFor } from "#test/app.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import type { OurSession } from "#test/vendor/fixture.ts"
import { type SumsubDouble, startSumsub, WORKFLOW } from "#test/vendor/sumsub.ts"
import { sumsub } from "./sumsub.ts"

const ACCREDITED = "accredited_investor_v1"
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

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
    const somebody = () => `person-${++people}`
    /** Somebody whom Sumsub has approved, by one wallet. */
    async function approved(externalId: string, at = new Date(Date.now() - 60_000)): Promise<OurSession> {
      const f = fixture()
      const session = await f.handedOver({ externalId })
      await f.send(f.vendor.decide(session, "approved", at))
      await f.waitForStatus(session, "verified")
      return session
    }

    test("another wallet of somebody who is approved is verified at once, by no second check", async () => {
      const f = fixture()
      const externalId = somebody()
      const first = await approved(externalId)
      const second = await f.start({ externalId })
      expect(second.investorId).toBe(first.investorId)
      const { data } = await f.goOn(second)
      // Nobody is sent anywhere: the answer is there already.
      expect(data).toMatchObject({
        url: null,
        view: { state: expect.stringMatching(/^(checking|verified)$/) },
      })
      await f.waitForStatus(second, "verified")
      expect(await f.claims(second)).toEqual({ country: "DE", age_over_18: true })
      expect(double().applicants(first.investorId)).toBe(1)
      expect(await f.attests(second)).toBe(1)
    })

    test("where Sumsub cannot be asked at once, the other wallet is verified by the next question", async () => {
      const f = fixture()
      const externalId = somebody()
      await approved(externalId)
      const second = await f.start({ externalId })
      // It finds the person, gives the address of its page, and is away.
      double().misbehave("fails", 2)
      const { data } = await f.goOn(second)
      expect(data.url).toContain("/page/")
      f.vendor.misbehave(null)
      await f.poll(second)
      await f.waitForStatus(second, "verified")
    })

    test("a wallet that a second person names has a session of each, and the first one's approval is not the second's", async () => {
      const f = fixture()
      const [mistaken, right] = [somebody(), somebody()]
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
      const anew = await f.session(corrected.sessionId)
      expect(await f.send(f.vendor.decide(anew, "approved"))).toEqual([200, "applied"])
      await waitFor(
        async () => (await f.view(corrected)).state === "verified",
        "the second person's approval",
      )
    })

    test("a rejection for good is about every wallet of the person, and nobody else's", async () => {
      const f = fixture()
      const externalId = somebody()
      const first = await approved(externalId)
      const second = await f.start({ externalId })
      await f.goOn(second)
      await f.waitForStatus(second, "verified")
      const other = await approved(somebody())
      expect(await f.send(f.vendor.decide(first, "withdrawn"))).toEqual([200, "applied"])
      for (const session of [first, second]) await f.waitForStatus(session, "rejected")
      expect(await f.statusOf(other)).toBe("verified")
      // A third wallet is told at once.
      const third = await f.start({ externalId })
      expect((await f.goOn(third)).data).toMatchObject({ url: null, view: { state: "rejected" } })
    })

    test("an approval of which little validity is left is not taken up: the person is checked anew", async () => {
      const f = fixture()
      const externalId = somebody()
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

    test("an approval at one level says nothing of another", async () => {
      const f = fixture()
      const externalId = somebody()
      const first = await approved(externalId)
      const second = await f.start({ externalId, schemaId: ACCREDITED })
      expect((await f.goOn(second)).data.url).toContain("/page/")
      await f.poll(second)
      expect(await f.statusOf(second)).toBe("pending")
      // Sumsub has moved the person to the second level, and finds nothing there.
      const session = await f.session(second.sessionId)
      expect(await f.send(f.vendor.decide(session, "rejected"))).toEqual([200, "applied"])
      await f.waitForStatus(first, "verified")
      expect((await f.view(second)).state).toBe("rejected")
    })

    test("a level that checks it says that an investor is accredited", async () => {
      const f = fixture()
      const session = await f.handedOver({ schemaId: ACCREDITED })
      await f.send(f.vendor.decide(session, "approved"))
      await f.waitForStatus(session, "verified")
      expect(await f.claims(session)).toEqual({ country: "DE", age_over_18: true, accredited: true })
    })

    test("who was deactivated is not taken for approved, and all that is known of them is told of", async () => {
      const f = fixture()
      const externalId = somebody()
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

    const green = { reviewAnswer: "GREEN" }
    const completed = (reviewAnswer: object) => ({
      reviewStatus: "completed",
      reviewResult: reviewAnswer as typeof green,
    })
    const secondsAgo = (n: number) => new Date(Date.now() - n * 1000)

    /** An investor who was sent to the first level of a workflow, and is approved there. */
    async function inWorkflow(externalId = somebody()) {
      const f = fixture()
      const session = await f.handedOver({ externalId, schemaId: "kyc_business_v1" })
      const { investorId: userId } = session
      const at = (levelName: string, s: number) => ({ userId, levelName, at: secondsAgo(s) })
      await f.send(
        double().review("applicantPending", { ...at(WORKFLOW.entry, 100), reviewStatus: "pending" }),
      )
      const passed = double().review("applicantReviewed", { ...at(WORKFLOW.entry, 90), ...completed(green) })
      await f.send(passed)
      return { session, userId, at, passed }
    }

    /** Sumsub moves the applicant to another level of the workflow, and says so. */
    const moves = (userId: string, levelName: string, previousLevelName: string) => {
      double().moveToLevel(userId, levelName)
      return fixture().send(
        double().webhook("applicantLevelChanged", {
          userId,
          levelName,
          previousLevelName,
          reviewStatus: "init",
        }),
      )
    }

    test("an approval at the first level of a workflow attests nothing; one at the final level does", async () => {
      const f = fixture()
      const { session, userId, at, passed } = await inWorkflow()
      await f.poll(session)
      expect(await f.statusOf(session)).toBe("pending")
      expect(await f.attests(session)).toBe(0)

      // What is missing there is asked for at the level where the applicant is now.
      expect(await moves(userId, WORKFLOW.final, WORKFLOW.entry)).toEqual([200, "applied"])
      expect(await f.view(session)).toMatchObject({ state: "open", again: "resubmit" })
      await f.goOn(session)
      expect(double().linkedLevel(userId)).toBe(WORKFLOW.final)
      expect((await f.session(session.sessionId)).reference).toBe(session.reference)

      const done = { ...at(WORKFLOW.final, 0), ...completed(green) }
      expect(await f.send(double().review("applicantReviewed", done))).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
      const ended = double().webhook("applicantWorkflowCompleted", { ...done, at: new Date() })
      expect(await f.send(ended)).toEqual([200, "ignored"])
      expect(await f.send(passed)).toEqual([200, "ignored"])
      expect(await f.attests(session)).toBe(1)
    })

    test("the end of a workflow is found by asking when its webhooks are lost", async () => {
      const f = fixture()
      const { session, at } = await inWorkflow()
      double().review("applicantReviewed", { ...at(WORKFLOW.final, 0), ...completed(green) })
      await f.poll(session)
      await f.waitForStatus(session, "verified")
    })

    test("another wallet of somebody who has finished a workflow is verified at once", async () => {
      const f = fixture()
      const externalId = somebody()
      const { session, at } = await inWorkflow(externalId)
      await f.send(double().review("applicantReviewed", { ...at(WORKFLOW.final, 0), ...completed(green) }))
      await f.waitForStatus(session, "verified")
      const second = await f.start({ externalId, schemaId: "kyc_business_v1" })
      expect((await f.goOn(second)).data).toMatchObject({ url: null })
      await f.waitForStatus(second, "verified")
    })

    test.each([
      ["applicantReviewed", "FINAL", "rejected"],
      ["applicantWorkflowFailed", "FINAL", "rejected"],
      ["applicantReviewed", "RETRY", "pending"],
    ])("%s with %s at a level in between counts for the workflow", async (type, reviewRejectType, status) => {
      const f = fixture()
      const { session, at } = await inWorkflow()
      const red = { reviewAnswer: "RED", reviewRejectType, rejectLabels: ["LOW_QUALITY"], buttonIds: [] }
      const body = double().review(type, { ...at(WORKFLOW.between, 0), ...completed(red) })
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.statusOf(session)).toBe(status)
      if (status === "pending") expect(await f.view(session)).toMatchObject({ state: "open" })
    })

    test("an approval at a level in between attests nothing, whatever else is said", async () => {
      const f = fixture()
      const { session, at } = await inWorkflow()
      for (const type of ["applicantReviewed", "applicantWorkflowCompleted"]) {
        const body = double().review(type, { ...at(WORKFLOW.between, 900), ...completed(green) })
        expect([type, ...(await f.send(body))]).toEqual([type, 200, "ignored"])
      }
      await f.poll(session)
      expect(await f.attests(session)).toBe(0)
    })

    test.each([
      ["applicantAwaitingService", "awaitingService"],
      ["applicantAwaitingUser", "awaitingUser"],
    ])("%s is a review, though the answer so far is GREEN", async (type, reviewStatus) => {
      const f = fixture()
      const session = await f.handedOver()
      const about = { userId: session.investorId, levelName: "basic-kyc-level", at: secondsAgo(60) }
      const body = double().review(type, { ...about, reviewStatus, reviewResult: green })
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.view(session)).toMatchObject({ state: "checking", inReview: true })
      await f.send(double().review("applicantReviewed", { ...about, at: new Date(), ...completed(green) }))
      await f.waitForStatus(session, "verified")
    })

    test("whoever is reset at Sumsub while a review runs can submit again", async () => {
      const f = fixture()
      const session = await f.handedOver()
      const about = { userId: session.investorId, levelName: "basic-kyc-level" }
      await f.send(
        double().review("applicantOnHold", { ...about, at: secondsAgo(60), reviewStatus: "onHold" }),
      )
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

    test("an approved applicant whom a workflow that no setting names moves on is looked at by a person", async () => {
      const f = fixture()
      const session = await approved(somebody())
      expect(await moves(session.investorId, "Extra questions", "basic-kyc-level")).toEqual([200, "applied"])
      expect(await f.findings(session)).toEqual(["case_opened"])
      expect(await f.statusOf(session)).toBe("verified")
    })

    test("with one level for all schemas, the end of a workflow counts without a setting", async () => {
      const { flow } = provider({
        VOUCH_SUMSUB_LEVELS: "basic-kyc-level",
        VOUCH_SUMSUB_FINAL_LEVELS: undefined!,
      })
      if (flow.kind !== "redirect") throw new Error("It has a page of its own.")
      const session = await fixture().handedOver()
      const asked = { ...session, validityDays: 365, returnUrl: "", language: null, lastDecision: null }
      const says = (isFinal: boolean) => flow.readDecision(asked, session.reference!, { isFinal })
      const about = { userId: session.investorId, levelName: "Extra questions" }
      double().review("applicantReviewed", { ...about, ...completed(green) })
      // The workflow may lead on.
      expect(await says(false)).toBe("submitted")
      expect(await says(true)).toMatchObject({ decision: "approved" })
      double().review("applicantReviewed", { ...about, at: secondsAgo(601), ...completed(green) })
      expect(await says(false)).toMatchObject({ decision: "approved" })
    })

    test("a level that no setting names is said to be none, where it is not clear from where it was reached", () => {
      const { readEvent } = provider({ VOUCH_SUMSUB_FINAL_LEVELS: undefined! })
      const body = double().webhook("applicantReviewed", { userId: "inv_1", levelName: "Extra questions" })
      expect(() => readEvent({}, Buffer.from(body))).toThrow("VOUCH_SUMSUB_FINAL_LEVELS")
    })

    test("an event of a type that Vouch does not know has Sumsub asked", async () => {
      const f = fixture()
      const session = await f.handedOver()
      f.vendor.decide(session, "approved")
      const body = double().webhook("somethingNewOfNextYear", { userId: session.investorId })
      expect(await f.send(body)).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })

    test.each([
      ["applicantDeactivated", "person_deactivated"],
      ["amlCaseRejected", "watchlist_match"],
      ["amlCaseOnHold", "case_opened"],
      ["amlCaseCreated", "case_opened"],
    ])("%s is a signal about the person, at every level", (type, signal) => {
      const at = new Date("2026-01-02T03:04:05.678Z")
      const body = Buffer.from(double().webhook(type, { userId: "inv_1", at }))
      expect(provider().readEvent({}, body)).toMatchObject({
        about: {
          references: ["inv_1 basic-kyc-level", "inv_1 Accredited investors", "inv_1 workflow-entry"],
        },
        says: { kind: "signal", signal, occurredAt: at },
      })
    })

    const provider = (more: Record<string, string> = {}) => {
      const prefix = /^VOUCH_/
      const values = { ...double().settings, ...more }
      const configured = sumsub.configure(
        Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replace(prefix, ""), value])),
      )
      if ("wrong" in configured) throw new Error(JSON.stringify(configured.wrong))
      return configured.provider
    }

    test("the algorithm is the one that is set: a header that names another changes nothing", () => {
      const body = Buffer.from(double().webhook("applicantReviewed", { userId: "inv_1" }))
      const secret = double().settings.VOUCH_SUMSUB_WEBHOOK_SECRET!
      const by = (name: string) => createHmac(name, secret).update(body).digest("hex")
      const [only256, only512] = [provider(), provider({ VOUCH_SUMSUB_WEBHOOK_ALGORITHM: "HMAC_SHA512_HEX" })]
      for (const algorithm of ["HMAC_SHA1_HEX", "HMAC_SHA256_HEX", "HMAC_SHA512_HEX", undefined]) {
        const headers = (digest: string) => ({
          "x-payload-digest": digest,
          ...(algorithm && { "x-payload-digest-alg": algorithm }),
        })
        expect(only256.isSigned(headers(by("sha256")), body)).toBe(true)
        expect(only512.isSigned(headers(by("sha512")), body)).toBe(true)
        for (const other of ["sha1", "sha512"]) expect(only256.isSigned(headers(by(other)), body)).toBe(false)
        for (const other of ["sha1", "sha256"]) expect(only512.isSigned(headers(by(other)), body)).toBe(false)
      }
    })

    test("the vector that Sumsub publishes is by SHA-1, and is refused", () => {
      const { isSigned } = provider({ VOUCH_SUMSUB_WEBHOOK_SECRET: "SoMe_SeCrEt_KeY" })
      const published = "f6e92ffe371718694d46e28436f76589312df8db"
      const body = Buffer.from("someText")
      expect(createHmac("sha1", "SoMe_SeCrEt_KeY").update(body).digest("hex")).toBe(published)
      const headers = { "x-payload-digest": published, "x-payload-digest-alg": "HMAC_SHA1_HEX" }
      expect(isSigned(headers, body)).toBe(false)
    })

    test("while the webhook's secret rotates, both are good; the key of the API never is", () => {
      const { VOUCH_SUMSUB_WEBHOOK_SECRET: before, VOUCH_SUMSUB_SECRET_KEY: key } = double().settings
      const { isSigned } = provider({ VOUCH_SUMSUB_WEBHOOK_SECRET: `${before} the-next-secret` })
      const body = Buffer.from("{}")
      const signed = (secret: string) => isSigned(double().sign("{}", { secret }), body)
      expect([before!, "the-next-secret", key!].map(signed)).toEqual([true, true, false])
    })

    test.each<[string, Record<string, string>, string]>([
      [
        "an algorithm that forgers can compute",
        { SUMSUB_WEBHOOK_ALGORITHM: "HMAC_SHA1_HEX" },
        "HMAC_SHA256_HEX or",
      ],
      ["levels without a common one", { SUMSUB_LEVELS: "accredited_investor_v1=a" }, "for all schemas"],
      ["two common levels", { SUMSUB_LEVELS: "a, b" }, "for all schemas"],
      ["a schema that is none", { SUMSUB_LEVELS: "a, B-C=b" }, "for all schemas"],
      ["one schema twice", { SUMSUB_LEVELS: "a, b=c, b=d" }, "for all schemas"],
      ["an address without TLS", { SUMSUB_URL: "http://api.sumsub.com" }, "must be an https address"],
      ["an address with a path", { SUMSUB_URL: "https://api.sumsub.com/v1" }, "must be an https address"],
      ["a final level without an entry", { SUMSUB_FINAL_LEVELS: "proof-of-address" }, "entry=final"],
      ["a workflow from a level of no schema", { SUMSUB_FINAL_LEVELS: "other=final" }, "other is none"],
      [
        "a workflow that ends at a level of another schema",
        { SUMSUB_FINAL_LEVELS: "basic-kyc-level=Accredited investors" },
        "Accredited investors is one",
      ],
      [
        "a level that ends two workflows",
        { SUMSUB_FINAL_LEVELS: "basic-kyc-level=end, workflow-entry=end" },
        "end would end two workflows",
      ],
      ["a secret with a line's end", { SUMSUB_SECRET_KEY: "abcdefgh\n" }, "visible characters"],
      ["a short secret", { SUMSUB_WEBHOOK_SECRET: "abc" }, "visible characters"],
    ])("%s stops the start, in a sentence", (_name, wrong, problem) => {
      const values = Object.fromEntries(
        Object.entries(double().settings).map(([name, value]) => [name.replace("VOUCH_", ""), value]),
      )
      const configured = sumsub.configure({ ...values, ...wrong })
      const [name] = Object.keys(wrong)
      expect(configured).toEqual({ wrong: [{ name, problem: expect.stringContaining(problem) }] })
    })
  },
)
