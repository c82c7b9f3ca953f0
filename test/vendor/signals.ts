import { describe, expect, test } from "vitest"
import type { OurSession, VendorContract, VendorDouble, VendorFixture } from "./fixture.ts"

const minutesAgo = (n: number) => new Date(Date.now() - n * 60_000)

/** What holds for all that a vendor says of people whom it has approved, in each of its ways to say it. */
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

  /** Each way to say a signal, of another person each time. */
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

  describe.runIf(signals.length > 0)("what is said after an approval", () => {
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

    test.each(signals)("%s of before the approval says nothing new", async (signal) => {
      await eachWay(signal, minutesAgo(30), async (body, session) => {
        expect(await f().send(body)).toEqual([200, "ignored"])
        expect(await f().findings(session)).toEqual([])
        expect(await f().statusOf(session)).toBe("verified")
      })
    })

    test.runIf(outcomes.includes("in_review"))("a review before it is none of these", async () => {
      const session = await f().handedOver()
      expect(await f().send(vendor().decide(session, "in_review"))).toEqual([200, "applied"])
      expect(await f().findings(session)).toEqual([])
    })
  })
}
