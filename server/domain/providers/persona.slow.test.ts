import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment.ts"
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
    // A key keeps failures: what has failed for certain is asked for under another one.
    opensAgain: true,
    claims: { country: "DE", age_over_18: true },
  },
  (f) => {
    test("each schema has its template, and each person an account of their own", async () => {
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

    test("an inquiry of somebody else is nobody's session: what is found out about them would count for both", async () => {
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

    test("a link opens once, is never kept, and the next click gets another to the same inquiry", async () => {
      const started = await f().start()
      const urls = [await f().goOn(started), await f().goOn(started)].map(({ data }) => data.url)
      expect(new Set(urls).size).toBe(2)
      for (const url of urls) expect([double.visit(url), double.visit(url)]).toEqual([true, false])
      expect(double.inquiries(started.investorId)).toHaveLength(1)
      const kept = await f().kept(started)
      for (const url of urls) expect(kept).not.toContain(new URL(url).searchParams.get("code"))
    })

    test.each(["rubbish", "hangs"] as const)(
      "an answer that is lost (%s) is the same inquiry the next time",
      async (fault) => {
        const started = await f().start()
        double.misbehave(fault)
        const answer = f().goOn(started)
        if (fault === "hangs") {
          while (double.inquiries(started.investorId).length === 0)
            await new Promise((go) => setTimeout(go, 10))
          double.misbehave(null)
        }
        expect((await answer).status).toBe(503)
        double.misbehave(null)
        expect((await f().goOn(started)).data.url).toMatch(/\/page\//)
        expect(double.inquiries(started.investorId)).toHaveLength(1)
      },
    )

    test("an outage that the vendor keeps by the request's key ends when it ends", async () => {
      const started = await f().start()
      double.breakDown(true)
      for (const _ of [1, 2]) expect(await f().goOn(started)).toMatchObject({ status: 503 })
      double.breakDown(false)
      expect((await f().goOn(started)).data.url).toMatch(/\/page\//)
      expect(double.inquiries(started.investorId)).toHaveLength(1)
    })

    test("completed is no approval", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "completed")
      expect(await f().send(double.event("inquiry.completed", session.reference!))).toEqual([200, "applied"])
      await f().poll(session)
      expect(await f().statusOf(session)).toBe("pending")
      // Who has submitted waits on our page.
      const { data } = await f().goOn(session)
      expect(data.url).toBe(`${deployment.origin}/verify/${session.sessionId}`)
    })

    test("an approval counts by what the API says, and not while it is away", async () => {
      const session = await f().handedOver()
      const body = double.decide(session, "approved")
      double.misbehave("fails")
      expect(await f().send(body)).toEqual([503, "provider_unavailable"])
      double.misbehave(null)
      // Meanwhile somebody has thought better of it.
      double.bring(session.reference!, "declined")
      expect(await f().send(body)).toEqual([200, "applied"])
      expect(await f().statusOf(session)).toBe("rejected")
    })

    test("an inquiry that has expired is resumed, and one that has failed is followed by another", async () => {
      const session = await f().handedOver()
      double.bring(session.reference!, "expired")
      await f().goOn(session)
      expect((await f().session(session.sessionId)).reference).toBe(session.reference)

      expect(await f().send(double.decide(session, "resubmission_requested"))).toEqual([200, "applied"])
      await f().goOn(session)
      const next = await f().session(session.sessionId)
      expect(next.reference).not.toBe(session.reference)
      // A person at Persona may still approve the first one, and nothing else that becomes of it counts.
      double.bring(session.reference!, "declined")
      expect(await f().send(double.event("inquiry.declined", session.reference!))).toEqual([200, "ignored"])
      expect(await f().statusOf(session)).toBe("pending")
      double.bring(session.reference!, "approved")
      expect(await f().send(double.event("inquiry.approved", session.reference!))).toEqual([200, "applied"])
      await f().waitForStatus(session, "verified")
    })

    test("what is said of an account is about all wallets of the person, and of nobody else", async () => {
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
      // The webhook may not say who that is: Persona is asked, and while it is away the event is to come again.
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

    test("while its secret rotates, one of two signatures is enough", async () => {
      const session = await f().handedOver()
      const body = double.decide(session, "rejected")
      const [ours, another] = [pair(body, double.secret), pair(body, "wbhsec_the-next-one")]
      const send = (signature: string) => f().send(body, { "persona-signature": signature })
      expect(await send(`${another} ${another}`)).toEqual([401, "invalid_signature"])
      // A signature counts with its own time alone.
      const old = pair(body, double.secret, new Date(Date.now() - 400_000))
      expect(await send(`${old} ${another}`)).toEqual([401, "invalid_signature"])
      expect(await send(`${ours.split(",")[0]},${old.split(",")[1]}`)).toEqual([401, "invalid_signature"])
      expect(await send(`${another} ${ours}`)).toEqual([200, "applied"])
    })

    test("an event from the future has Persona asked, for its time would hide all that comes until then", async () => {
      const session = await f().handedOver()
      const at = new Date(Date.now() + 600_000)
      const body = double.event("inquiry.declined", session.reference!, { at })
      const [came, calls] = await f().callsFor(() => f().send(body))
      expect([came, calls]).toEqual([[200, "ignored"], 1])
      expect(await f().statusOf(session)).toBe("pending")
    })
  },
)
