import { expect, test } from "vitest"
import type { VendorContract, VendorDouble, VendorFixture } from "./fixture.ts"

/** Signed webhooks that the adapter cannot read. */
export function describeUnread(
  { definition: { name }, outcomes }: VendorContract,
  fixture: () => VendorFixture,
  double: () => VendorDouble,
): void {
  // A bridge uses Vouch's own format, and its author must see the mistake.
  const isBridge = name === "generic"

  test.runIf(isBridge)("that are signed but unreadable are refused", async () => {
    const f = fixture()
    expect(await f.send("not JSON")).toEqual([400, "malformed_json"])
    expect(await f.send("[]")).toEqual([400, "malformed_request"])
    expect(await f.send("{}")).toEqual([422, "validation_failed"])
  })

  test.runIf(!isBridge)("that are signed but unreadable are ignored, and the log says why", async () => {
    const f = fixture()
    for (const body of ["not JSON", "[]", "{}", '{"of": "next year"}']) {
      const before = f.app.log.length
      expect([body, ...(await f.send(body))]).toEqual([body, 200, "ignored"])
      const written = f.app.log.slice(before).join("\n")
      expect([body, written]).toEqual([body, expect.stringContaining("could not be read")])
    }
  })

  test.runIf(!isBridge)("that are unreadable make Vouch ask the vendor about the check that they name", async () => {
    const f = fixture()
    const session = await f.handedOver()
    const other = await f.handedOver()
    const { reference, investorId, sessionId } = session
    const unread = JSON.stringify({ version: 9, result: { about: [reference, investorId, sessionId] } })
    expect(await f.send(unread)).toEqual([200, "ignored"])
    double().decide(other, "approved")
    double().decide(session, "approved")
    double().misbehave("fails")
    expect(await f.send(unread)).toEqual([503, "provider_unavailable"])
    double().misbehave(null)
    expect(await f.send(unread)).toEqual([200, "applied"])
    await f.waitForStatus(session, "verified")
    expect(await f.statusOf(other)).toBe("pending")
    const [again, calls] = await f.callsFor(() => f.send(unread))
    expect([again, calls]).toEqual([[200, "duplicate"], 0])
  })

  test.runIf(!isBridge && outcomes.includes("withdrawn"))("that are unreadable can still end an approval", async () => {
    const f = fixture()
    const session = await f.handedOver()
    await f.send(double().decide(session, "approved", new Date(Date.now() - 60_000)))
    await f.waitForStatus(session, "verified")
    double().decide(session, "withdrawn")
    // Truncated, but it names the check.
    expect(await f.send(`{"about": "${session.investorId}", "check": "${session.reference}", "result": `)).toEqual([
      200,
      "applied",
    ])
    await f.waitForStatus(session, "rejected")
  })
}
