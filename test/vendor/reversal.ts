import { describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { unseal } from "#server/domain/deployment/sealed.ts"
import type { VendorContract, VendorDouble, VendorFixture } from "./fixture.ts"

const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000)

/** Tests of a vendor that approves a person whom it had rejected. */
export function describeReversal(
  { outcomes, claims }: VendorContract,
  f: () => VendorFixture,
  vendor: () => VendorDouble,
) {
  describe.runIf(outcomes.includes("rejected"))("a rejection that the vendor reverses", () => {
    test.each((["rejected", "withdrawn"] as const).filter((one) => outcomes.includes(one)))(
      "opens a review with the vendor's claims, after it was %s, and changes nothing else",
      async (how) => {
        const session = await f().handedOver()
        if (how === "withdrawn") {
          await f().send(vendor().decide(session, "approved", minutesAgo(9)))
          await f().waitForStatus(session, "verified")
        }
        expect(await f().send(vendor().decide(session, how, minutesAgo(6)))).toEqual([200, "applied"])
        const body = vendor().decide(session, "approved", minutesAgo(3))
        expect(await f().send(body)).toEqual([200, "review_opened"])
        // The generic bridge signs each attempt with another id, so there it is a late event.
        expect(await f().send(body)).toEqual([200, expect.stringMatching(/^(duplicate|ignored)$/)])
        const reviews = await sql<{ id: string; kind: string; state: string; claims: Buffer }[]>`
          select id, kind, state, claims from reviews where attestation_id = ${session.attestationId}`
        expect(reviews).toMatchObject([{ kind: "reversal", state: "open" }])
        expect(JSON.parse(unseal(`${reviews[0]!.id} claims`, reviews[0]!.claims))).toEqual(claims)
        expect(await f().statusOf(session)).toBe("rejected")
        // The vendor changes its decision again.
        expect(await f().send(vendor().decide(session, "rejected"))).toEqual([200, "applied"])
        const after = await sql`select state, ending from reviews where attestation_id = ${session.attestationId}`
        expect([...after]).toEqual([{ state: "closed", ending: "vendor" }])
      },
    )
  })
}
