import { describe, expect, test } from "vitest"
import type { OurSession, VendorContract, VendorFixture } from "./fixture.ts"

const TEN_YEARS_MS = 10 * 365 * 86_400_000

/** Tests of implausible responses. A bridge's responses name no one, and Vouch refuses a wrong time. */
export function describeLies({ definition: { name }, outcomes }: VendorContract, fixture: () => VendorFixture): void {
  const isBridge = name === "generic"

  test("a webhook with text that the database cannot store is refused, not answered with a 5xx that the vendor repeats for days", async () => {
    const f = fixture()
    const session = await f.handedOver()
    const body: unknown = JSON.parse(f.vendor.decide(session, "approved"))
    for (const altered of withNul(body)) {
      const text = JSON.stringify(altered)
      const [status] = await f.send(text)
      expect([status < 500, text]).toEqual([true, text])
    }
  })

  describe.runIf(!isBridge)("a vendor's answer", () => {
    test("about another person decides nothing", async () => {
      const f = fixture()
      const other = await f.handedOver()
      const session = await f.handedOver()
      f.vendor.decide(session, "approved")
      f.vendor.alter(exchanged(session, other))
      await f.poll(session)
      expect(await f.events(session)).toEqual([])
      expect(await f.statusOf(session)).toBe("pending")
      f.vendor.alter(null)
      await f.poll(session)
      await f.waitForStatus(session, "verified")
      expect(await f.statusOf(other)).toBe("pending")
    })

    test.runIf(outcomes.includes("rejected"))("dated years in the future does not hide later decisions", async () => {
      const f = fixture()
      const session = await f.handedOver()
      f.vendor.decide(session, "approved", new Date(Date.now() + TEN_YEARS_MS))
      await f.poll(session)
      await f.waitForStatus(session, "verified")
      const withdrawn = outcomes.includes("withdrawn") ? "withdrawn" : "rejected"
      // Some vendors write whole seconds.
      const later = new Date(Date.now() + 2000)
      expect(await f.send(f.vendor.decide(session, withdrawn, later))).toEqual([200, "applied"])
      await f.waitForStatus(session, "rejected")
    })
  })
}

/** Copies of a body, each with a NUL in a different text. */
function* withNul(value: unknown): Generator<unknown> {
  if (typeof value === "string") yield `${value}\0`
  if (typeof value !== "object" || value === null) return
  for (const [name, one] of Object.entries(value))
    for (const altered of withNul(one))
      yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: altered })
}

/** Swaps the names of two people in a response. */
const exchanged = (one: OurSession, other: OurSession) => (text: string) =>
  text.replaceAll(one.reference!, other.reference!).replaceAll(one.investorId, other.investorId)
