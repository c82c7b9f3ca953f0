import Stripe from "stripe"
import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import { parseSettings } from "#server/settings/env.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import { startStripe } from "#test/vendor/stripe.ts"
import { stripe } from "./stripe.ts"

let double: Awaited<ReturnType<typeof startStripe>>

describeVendor(
  {
    definition: stripe,
    startDouble: async () => {
      double = await startStripe({ failed: "rejected" })
      return double
    },
    required: ["VOUCH_STRIPE_SECRET_KEY", "VOUCH_STRIPE_WEBHOOK_SECRET"],
    signatureHeaders: ["stripe-signature"],
    severalSignatures: true,
    window_s: 300,
    isFetched: false,
    // Stripe itself does not reject, review or withdraw.
    outcomes: ["approved", "rejected", "expired"],
    submits: true,
    signals: ["data_deleted"],
    deletes: true,
    opensAgain: true,
    claims: { country: "FR", age_over_18: true },
  },
  (f) => {
    const failedWith = (code: string, reference: string, at?: Date) => {
      double.bring(reference, "requires_input", code, at)
      return double.event("identity.verification_session.requires_input", reference, {
        code,
        ...(at && { at }),
      })
    }
    /** Runs `work` with other settings. */
    const withSettings = async (settings: Record<string, string>, work: () => Promise<void>) => {
      const before = deployment.providers
      deployment.providers = chooseProviders(parseSettings({ ...f().app.settings.environment, ...settings }), {})
      try {
        await work()
      } finally {
        deployment.providers = before
      }
    }

    test("a session in processing cannot be deleted yet, and does not count as deleted", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "processing")
      const { flow } = deployment.providers.test.configured.get("stripe")!
      if (flow.kind !== "redirect") throw new Error("Stripe has its own page")
      await expect(flow.redact!(session.reference!)).rejects.toThrow("Stripe Identity cannot be reached")
      expect(double.redacted(session.reference!)).toBe(false)
    })

    test("by default a failed check can be repeated in the same session", async () => {
      await withSettings({ VOUCH_STRIPE_FAILED: "resubmission_requested" }, async () => {
        const session = await f().handedOver()
        const before = new Date(Date.now() - 60_000)
        expect(await f().send(failedWith("selfie_face_mismatch", session.reference!, before))).toEqual([200, "applied"])
        expect(await f().view(session)).toMatchObject({ state: "open", again: "information_mismatch" })
        expect((await f().goOn(session)).data.url).toMatch(/\/page\/start\//)
        expect((await f().session(session.sessionId)).reference).toBe(session.reference)
        expect(await f().send(double.decide(session, "approved"))).toEqual([200, "applied"])
        await f().waitForStatus(session, "verified")
      })
    })

    test.each(["consent_declined", "abandoned"])("%s is not a rejection, whatever the policy", async (code) => {
      const session = await f().handedOver()
      expect(await f().send(failedWith(code, session.reference!))).toEqual([200, "applied"])
      expect(await f().statusOf(session)).toBe("pending")
      expect(await f().view(session)).toMatchObject({ state: "open" })
      expect((await f().goOn(session)).data.url).toMatch(/\/page\/start\//)
    })

    test("an address works once, is never stored, and the next click gets another one to the same session", async () => {
      const started = await f().start()
      const urls = [await f().goOn(started), await f().goOn(started)].map(({ data }) => data.url)
      expect(new Set(urls).size).toBe(2)
      for (const url of urls) expect([double.visit(url), double.visit(url)]).toEqual([true, false])
      expect(double.sessions(started.investorId)).toHaveLength(1)
      const kept = await f().kept(started)
      for (const url of urls) expect(kept).not.toContain(new URL(url).pathname.split("/").at(-1))
    })

    test("a submitted investor waits on our page, and a canceled session is followed by another", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "processing")
      const { data } = await f().goOn(session)
      expect(data.url).toBe(`${deployment.origin}/verify/${session.sessionId}`)
      double.bring(session.reference!, "canceled")
      await f().goOn(session)
      expect((await f().session(session.sessionId)).reference).not.toBe(session.reference)
    })

    test("a failure that the vendor stores under the request's key does not outlast the outage", async () => {
      const started = await f().start()
      double.breakDown(true)
      for (const _ of [1, 2]) expect(await f().goOn(started)).toMatchObject({ status: 503 })
      double.breakDown(false)
      expect((await f().goOn(started)).data.url).toMatch(/\/page\//)
      expect(double.sessions(started.investorId)).toHaveLength(1)
    })

    test("after a lost answer, the next attempt gets the same session", async () => {
      const started = await f().start()
      double.misbehave("rubbish")
      expect((await f().goOn(started)).status).toBe(503)
      double.misbehave(null)
      await f().goOn(started)
      expect(double.sessions(started.investorId)).toHaveLength(1)
    })

    test("each schema uses its flow of the dashboard, or the default checks with a selfie", async () => {
      const plain = await f().handedOver()
      const flow = await f().handedOver({ schemaId: "accredited_investor_v1" })
      const paramsOf = ({ investorId }: { investorId: string }) => double.sessions(investorId)[0]!.params
      expect(paramsOf(plain)).toMatchObject({
        type: "document",
        "options[document][require_matching_selfie]": "true",
        "options[document][require_live_capture]": "true",
      })
      expect(paramsOf(flow)).toEqual({
        verification_flow: double.flow,
        client_reference_id: flow.investorId,
        return_url: `${deployment.origin}/verify/${flow.sessionId}`,
      })
    })

    test("a key without permission to read a date of birth approves without the age", async () => {
      const other = await startStripe({ mayReadBirthDate: false })
      try {
        await withSettings(other.settings, async () => {
          const session = await f().handedOver()
          other.bring(session.reference!, "verified")
          const body = other.event("identity.verification_session.verified", session.reference!)
          expect(await f().send(body)).toEqual([200, "applied"])
          await f().waitForStatus(session, "verified")
          expect(await f().claims(session)).toEqual({ country: "FR" })
        })
      } finally {
        await other.stop()
      }
    })

    test("the official library accepts the same signatures and uses the same API version", async () => {
      const session = await f().handedOver()
      const payload = double.decide(session, "rejected")
      const library = new Stripe(double.settings.VOUCH_STRIPE_SECRET_KEY!)
      expect(library.getApiField("version")).toBe(double.version)
      const header = library.webhooks.generateTestHeaderString({ payload, secret: double.secret })
      const old = library.webhooks.generateTestHeaderString({
        payload,
        secret: double.secret,
        timestamp: Math.floor(Date.now() / 1000) - 301,
      })
      const ours = double.sign(payload)["stripe-signature"]
      const forged = library.webhooks.generateTestHeaderString({ payload, secret: "whsec_of_somebody_else" })
      const cases = {
        "its own": [payload, header],
        "the double's": [payload, ours],
        "an additional scheme": [
          payload,
          `${header},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
        ],
        "two signatures, one of them valid": [payload, `${header},${forged.split(",")[1]}`],
        "an old signature": [payload, old],
        forged: [payload, forged],
        "another body": [`${payload} `, header],
        "the key without its prefix": [
          payload,
          library.webhooks.generateTestHeaderString({
            payload,
            secret: double.secret.slice("whsec_".length),
          }),
        ],
        "without a time": [payload, header.split(",")[1]!],
        "no signature": [payload, header.split(",")[0]!],
      } as const
      const { isSigned } = deployment.providers.test.configured.get("stripe")!
      for (const [what, [body, signature]] of Object.entries(cases)) {
        let theirs = true
        try {
          library.webhooks.constructEvent(body, signature, double.secret)
        } catch {
          theirs = false
        }
        expect([what, isSigned({ "stripe-signature": signature }, Buffer.from(body))]).toEqual([what, theirs])
      }
      expect(await f().send(payload, { "stripe-signature": header })).toEqual([200, "applied"])
    })
  },
)
