import { createHmac } from "node:crypto"
import { expect, test } from "vitest"
import { waitFor } from "#test/app.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import type { OurSession } from "#test/vendor/fixture.ts"
import { type SumsubDouble, startSumsub } from "#test/vendor/sumsub.ts"
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

    test.each([
      ["applicantDeactivated", "person_deactivated"],
      ["amlCaseRejected", "watchlist_match"],
      ["amlCaseOnHold", "case_opened"],
      ["amlCaseCreated", "case_opened"],
    ])("%s is a signal about the person, at every level", (type, signal) => {
      const at = new Date("2026-01-02T03:04:05.678Z")
      const body = Buffer.from(double().webhook(type, { userId: "inv_1", at }))
      expect(provider().readEvent({}, body)).toMatchObject({
        about: { references: ["inv_1 basic-kyc-level", "inv_1 Accredited investors"] },
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
