import { describe, expect, test } from "vitest"
import type { OurSession, VendorContract, VendorDouble, VendorFixture } from "./fixture.ts"

const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000)

/** Tests of a vendor's signals about people whom it approved, in each form that the vendor sends. */
export function describeSignals(
  { signals, outcomes }: VendorContract,
  f: () => VendorFixture,
  vendor: () => VendorDouble,
) {
  async function verified(): Promise<OurSession> {
    const session = await f().handedOver()
    expect(await f().send(vendor().decide(session, "approved", minutesAgo(10)))).toEqual([200, "applied"])
    await f().waitForStatus(session, "verified")
    return session
  }

  /** Each form of a signal, each about another person. */
  async function eachWay(
    signal: VendorContract["signals"][number],
    at: Date,
    check: (body: string, session: OurSession) => Promise<void>,
  ): Promise<void> {
    for (let way = 0, ways = 1; way < ways; way++) {
      const session = await verified()
      const bodies = vendor().signal(session, signal, at)
      expect(bodies.length).toBeGreaterThan(0)
      ways = bodies.length
      await check(bodies[way]!, session)
    }
  }

  describe.runIf(signals.length > 0)("a signal after an approval", () => {
    test.each(signals)("%s counts once", async (signal) => {
      await eachWay(signal, new Date(), async (body, session) => {
        expect(await f().send(body)).toEqual([200, "applied"])
        expect(await f().send(body)).toEqual([200, "duplicate"])
        if (signal === "person_deactivated") return f().waitForStatus(session, "rejected")
        expect(await f().findings(session)).toEqual([signal])
        expect(await f().statusOf(session)).toBe("verified")
        const kept = await f().kept(session)
        for (const one of vendor().personal) expect(kept).not.toContain(one)
      })
    })

    test.each(signals)("%s from before the approval has no effect", async (signal) => {
      await eachWay(signal, minutesAgo(30), async (body, session) => {
        expect(await f().send(body)).toEqual([200, "ignored"])
        expect(await f().findings(session)).toEqual([])
        expect(await f().statusOf(session)).toBe("verified")
      })
    })

    test.runIf(outcomes.includes("in_review"))("a review before the approval is not a signal", async () => {
      const session = await f().handedOver()
      expect(await f().send(vendor().decide(session, "in_review"))).toEqual([200, "applied"])
      expect(await f().findings(session)).toEqual([])
    })
  })
}
