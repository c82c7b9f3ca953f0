import { describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { OurSession, VendorContract, VendorDouble, VendorFixture } from "./fixture.ts"

/** Tests of when a session closes, for every vendor. */
export function describeClosing(
  { submits, outcomes }: VendorContract,
  f: () => VendorFixture,
  vendor: () => VendorDouble,
) {
  const openFor = async ({ sessionId }: OurSession): Promise<number> => {
    const [row] = await sql<{ days: number }[]>`
      select extract(epoch from open_until - created_at)::float8 / 86400 as days from attestations
      where session_id = ${sessionId}`
    return row!.days
  }
  /** Ages a session by days. The clock stays, because Vouch would refuse signatures from another day. */
  const age = ({ sessionId }: OurSession, days: number) => sql`
    update attestations set open_until = open_until - make_interval(days => ${days}),
      created_at = created_at - make_interval(days => ${days}) where session_id = ${sessionId}`
  const submitted = (session: OurSession) => f().send(vendor().submit!(session))

  describe("the deadline of a session", () => {
    test.runIf(submits)("a submission extends the session to 30 days once, and decides nothing", async () => {
      const session = await f().handedOver()
      expect(await openFor(session)).toBeLessThan(1.1)
      const body = vendor().submit!(session)
      expect(await f().send(body)).toEqual([200, "applied"])
      expect(await f().send(body)).toEqual([200, "duplicate"])
      const days = await openFor(session)
      expect(days).toBeGreaterThan(29.9)
      await age(session, 3)
      expect(await submitted(session)).toEqual([200, "ignored"])
      expect(await openFor(session)).toBe(days)
      expect(await f().statusOf(session)).toBe("pending")
      const reviews = await sql`select from reviews where attestation_id = ${session.attestationId}`
      expect(reviews).toHaveLength(0)
    })

    test.runIf(submits)("an approval three days after the submission counts", async () => {
      const session = await f().handedOver()
      await submitted(session)
      await age(session, 3)
      expect(await f().send(vendor().decide(session, "approved"))).toEqual([200, "applied"])
      await f().waitForStatus(session, "verified")
    })

    test.runIf(outcomes.includes("in_review"))("a review extends the session to 30 days too", async () => {
      const session = await f().handedOver()
      await f().send(vendor().decide(session, "in_review"))
      await age(session, 3)
      expect(await f().send(vendor().decide(session, "approved"))).toEqual([200, "applied"])
      await f().waitForStatus(session, "verified")
    })

    test("Vouch asks the vendor before the session closes, so an approval whose webhook was lost counts", async () => {
      const session = await f().handedOver()
      vendor().decide(session, "approved")
      await age(session, 2)
      await f().waitForStatus(session, "verified")
    })
  })
}
