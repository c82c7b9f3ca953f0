import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import { pair, startPersona } from "#test/vendor/persona.ts"
import { persona } from "./persona.ts"

let double: Awaited<ReturnType<typeof startPersona>>

describeVendor(
  {
    definition: persona,
    startDouble: async () => {
      double = await startPersona()
      return double
    },
    required: ["VOUCH_PERSONA_API_KEY", "VOUCH_PERSONA_WEBHOOK_SECRET", "VOUCH_PERSONA_TEMPLATES"],
    signatureHeaders: ["persona-signature"],
    severalSignatures: true,
    window_s: 300,
    isFetched: false,
    outcomes: ["approved", "rejected", "resubmission_requested", "in_review", "expired", "withdrawn"],
    submits: true,
    signals: ["watchlist_match", "case_opened", "person_deactivated", "data_deleted"],
    deletes: true,
    // A key also stores failures, so after a definite failure Vouch uses another one.
    opensAgain: true,
    claims: { country: "DE", age_over_18: true },
  },
  (f) => {
    test("each schema has its template, and each person has their own account", async () => {
      const externalId = `person-${crypto.randomUUID()}`
      const one = await f().handedOver({ externalId })
      const other = await f().handedOver({ externalId, schemaId: "accredited_investor_v1" })
      expect(one.investorId).toBe(other.investorId)
      expect(double.inquiries(one.investorId).map(({ templateId }) => templateId)).toEqual([
        double.templates.individual,
        double.templates.accredited,
      ])
      expect((await f().handedOver()).investorId).not.toBe(one.investorId)
    })

    test("a session cannot use another person's inquiry, because its decision would count for both", async () => {
      const one = await f().handedOver()
      const other = await f().start()
      double.alter((text) => text.replace(/inq_\w+/g, one.reference!))
      expect(await f().goOn(other)).toMatchObject({ status: 503, error: { error: "provider_unavailable" } })
      expect((await f().session(other.sessionId)).reference).toBeNull()
      double.alter(null)
      expect((await f().goOn(other)).data.url).toMatch(/\/page\//)
      expect(await f().send(double.decide(one, "approved"))).toEqual([200, "applied"])
      await f().waitForStatus(one, "verified")
      expect(await f().statusOf(other)).toBe("pending")
    })

    test("a link works once, is never stored, and the next click gets another link to the same inquiry", async () => {
      const started = await f().start()
      const urls = [await f().goOn(started), await f().goOn(started)].map(({ data }) => data.url)
      expect(new Set(urls).size).toBe(2)
      for (const url of urls) expect([double.visit(url), double.visit(url)]).toEqual([true, false])
      expect(double.inquiries(started.investorId)).toHaveLength(1)
      const kept = await f().kept(started)
      for (const url of urls) expect(kept).not.toContain(new URL(url).searchParams.get("code"))
    })

    test.each(["rubbish", "hangs"] as const)(
      "after a lost answer (%s), the next attempt gets the same inquiry",
      async (fault) => {
        const started = await f().start()
        double.misbehave(fault)
        const answer = f().goOn(started)
        if (fault === "hangs") {
          while (double.inquiries(started.investorId).length === 0) await new Promise((go) => setTimeout(go, 10))
          double.misbehave(null)
        }
        expect((await answer).status).toBe(503)
        double.misbehave(null)
        expect((await f().goOn(started)).data.url).toMatch(/\/page\//)
        expect(double.inquiries(started.investorId)).toHaveLength(1)
      },
    )

    test("a failure that the vendor stores under the request's key does not outlast the outage", async () => {
      const started = await f().start()
      double.breakDown(true)
      for (const _ of [1, 2]) expect(await f().goOn(started)).toMatchObject({ status: 503 })
      double.breakDown(false)
      expect((await f().goOn(started)).data.url).toMatch(/\/page\//)
      expect(double.inquiries(started.investorId)).toHaveLength(1)
    })

    test("completed is not an approval", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "completed")
      expect(await f().send(double.event("inquiry.completed", session.reference!))).toEqual([200, "applied"])
      await f().poll(session)
      expect(await f().statusOf(session)).toBe("pending")
      // An investor who has submitted waits on our page.
      const { data } = await f().goOn(session)
      expect(data.url).toBe(`${deployment.origin}/verify/${session.sessionId}`)
    })

    test("an approval counts as the API reports it, and not while the API is unreachable", async () => {
      const session = await f().handedOver()
      const body = double.decide(session, "approved")
      double.misbehave("fails")
      expect(await f().send(body)).toEqual([503, "provider_unavailable"])
      double.misbehave(null)
      // In the meantime, a reviewer at Persona changed the decision.
      double.bring(session.reference!, "declined")
      expect(await f().send(body)).toEqual([200, "applied"])
      expect(await f().statusOf(session)).toBe("rejected")
    })

    test("an expired inquiry is resumed, and a failed one is followed by another", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "expired")
      await f().goOn(session)
      expect((await f().session(session.sessionId)).reference).toBe(session.reference)

      expect(await f().send(double.decide(session, "resubmission_requested"))).toEqual([200, "applied"])
      await f().goOn(session)
      const next = await f().session(session.sessionId)
      expect(next.reference).not.toBe(session.reference)
      // A reviewer at Persona may still approve the first one. No other decision about it counts.
      double.bring(session.reference!, "declined")
      expect(await f().send(double.event("inquiry.declined", session.reference!))).toEqual([200, "ignored"])
      expect(await f().statusOf(session)).toBe("pending")
      double.bring(session.reference!, "approved")
      expect(await f().send(double.event("inquiry.approved", session.reference!))).toEqual([200, "applied"])
      await f().waitForStatus(session, "verified")
    })

    test("an event about an account applies to all wallets of the person, and of no one else", async () => {
      const verified = async (externalId: string) => {
        const session = await f().handedOver({ externalId })
        await f().send(double.decide(session, "approved", new Date(Date.now() - 60_000)))
        await f().waitForStatus(session, "verified")
        return session
      }
      const externalId = `person-${crypto.randomUUID()}`
      const [one, two] = [await verified(externalId), await verified(externalId)]
      const other = await verified(`person-${crypto.randomUUID()}`)
      expect(one.reference).not.toBe(two.reference)
      // If the webhook does not say who that is, Vouch asks Persona. While Persona is unreachable, the event must be
      // sent again.
      const archived = {
        type: "account",
        id: double.accountOf(one.investorId),
        attributes: { "reference-id": null },
      }
      const body = double.eventAbout("account.archived", archived)
      double.misbehave("fails")
      expect(await f().send(body)).toEqual([503, "provider_unavailable"])
      double.misbehave(null)
      expect(await f().send(body)).toEqual([200, "applied"])
      for (const session of [one, two]) await f().waitForStatus(session, "rejected")
      expect(await f().statusOf(other)).toBe("verified")
    })

    test("during a rotation of the secret, one of two signatures is enough", async () => {
      const session = await f().handedOver()
      const body = double.decide(session, "rejected")
      const [ours, another] = [pair(body, double.secret), pair(body, "wbhsec_the-next-one")]
      const send = (signature: string) => f().send(body, { "persona-signature": signature })
      expect(await send(`${another} ${another}`)).toEqual([401, "invalid_signature"])
      // A signature counts only with its own time.
      const old = pair(body, double.secret, new Date(Date.now() - 400_000))
      expect(await send(`${old} ${another}`)).toEqual([401, "invalid_signature"])
      expect(await send(`${ours.split(",")[0]},${old.split(",")[1]}`)).toEqual([401, "invalid_signature"])
      expect(await send(`${another} ${ours}`)).toEqual([200, "applied"])
    })

    test("an event from the future makes Vouch ask Persona, because its time would hide later events", async () => {
      const session = await f().handedOver()
      const at = new Date(Date.now() + 600_000)
      const body = double.event("inquiry.declined", session.reference!, { at })
      const [came, calls] = await f().callsFor(() => f().send(body))
      expect([came, calls]).toEqual([[200, "ignored"], 1])
      expect(await f().statusOf(session)).toBe("pending")
    })
  },
)
