import { describe, expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import type { Flow } from "#server/domain/providers/provider.ts"
import { vendorDeadline } from "#server/domain/providers/vendor-api.ts"
import type { VendorContract, VendorDouble, VendorFixture } from "./fixture.ts"

type Redact = NonNullable<Extract<Flow, { kind: "redirect" }>["redact"]>

/** Tests for every vendor whose API can delete a person's data. */
export function describeRedaction(
  { definition: { name, label }, deletes }: VendorContract,
  f: () => VendorFixture,
  vendor: () => VendorDouble,
) {
  const { ms: patience } = vendorDeadline
  const redact: Redact = (reference) => {
    const { flow } = deployment.providers.test.configured.get(name)!
    if (flow.kind !== "redirect" || flow.redact === null) throw new Error(`${label} cannot be asked.`)
    return flow.redact(reference)
  }
  async function verified(): Promise<string> {
    const session = await f().handedOver()
    await f().send(vendor().decide(session, "approved"))
    await f().waitForStatus(session, "verified")
    return session.reference!
  }

  test.runIf(!deletes)("gets no deletion requests, because its API has none", () => {
    expect(() => redact("a-reference")).toThrow("cannot be asked")
  })

  describe.runIf(deletes)("asked to delete a person's data", () => {
    test("it does, and a repeat succeeds too", async () => {
      const reference = await verified()
      await redact(reference)
      expect(vendor().redacted(reference)).toBe(true)
      for (const _ of [1, 2]) await redact(reference)
    })

    test("after a lost response, the next attempt succeeds", async () => {
      const reference = await verified()
      vendorDeadline.ms = 300
      for (const fault of ["fails", "hangs"] as const) {
        vendor().misbehave(fault)
        await expect(redact(reference)).rejects.toThrow(`${label} cannot be reached`)
      }
      vendor().misbehave(null)
      vendorDeadline.ms = patience
      await redact(reference)
      expect(vendor().redacted(reference)).toBe(true)
    })

    test("unknown data counts as deleted", async () => {
      await redact("00000000-0000-4000-8000-000000000000")
    })
  })
}
