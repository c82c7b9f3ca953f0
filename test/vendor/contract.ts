import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import { providers } from "#server/domain/providers/table.ts"
import { vendorDeadline } from "#server/domain/providers/vendor-api.ts"
import { parseSettings, type SettingsError } from "#server/settings/env.ts"
import { waitFor, webhookSecret } from "#test/fixtures/app.ts"
import { describeClosing } from "./closing.ts"
import {
  type OurSession,
  type Outcome,
  startVendorFixture,
  type VendorContract,
  type VendorDouble,
  type VendorFixture,
} from "./fixture.ts"
import { forgeries } from "./forgeries.ts"
import { describeLies } from "./lies.ts"
import { describeRedaction } from "./redaction.ts"
import { describeReversal } from "./reversal.ts"
import type { Fault } from "./server.ts"
import { describeSignals } from "./signals.ts"
import { describeUnread } from "./unread.ts"

const faults: Fault[] = ["fails", "rubbish", "lacks", "floods", "redirects", "unsafe"]
const seconds = (n: number) => n * 1000

/**
 * Tests for every vendor, over real HTTP, between the whole server and the vendor's double. `more` adds tests for this
 * vendor only, with the same server.
 */
export function describeVendor(contract: VendorContract, more: (fixture: () => VendorFixture) => void = () => {}) {
  const { definition, window_s, isFetched } = contract
  const can = (outcome: Outcome) => contract.outcomes.includes(outcome)
  const { ms: patience } = vendorDeadline
  let vendor: VendorDouble
  let f: VendorFixture

  beforeAll(async () => {
    vendor = await contract.startDouble()
    f = await startVendorFixture(definition, vendor)
  })
  afterEach(() => {
    vendor.misbehave(null)
    vendor.alter(null)
    vendorDeadline.ms = patience
  })
  afterAll(() => f.stop())

  const [fixture, double] = [() => f, () => vendor]
  const decided = (session: OurSession, outcome: Outcome, at?: Date) => f.send(vendor.decide(session, outcome, at))
  describe("the way", () => {
    test("start, consent, the vendor's page, its webhook, verified on chain", async () => {
      const started = await f.start()
      expect(await f.view(started)).toMatchObject({
        state: "open",
        provider: { label: definition.label, flow: "redirect", testOnly: false },
      })
      // Vouch sends the vendor nothing before the investor consents.
      expect(vendor.opened(started)).toBe(0)
      const { data } = await f.goOn(started)
      expect(data.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/page\//)
      const session = await f.session(started.sessionId)
      expect(session.reference).not.toBeNull()
      expect(vendor.opened(session)).toBe(1)
      expect(await f.view(session)).toMatchObject({ state: "handed_over" })

      expect(await decided(session, "approved")).toEqual([200, "applied"])
      const status = await f.waitForStatus(session, "verified")
      expect(await f.view(session)).toMatchObject({ state: "verified", onchainTx: status.onchain_tx })
      expect(await f.claims(session)).toEqual(contract.claims)
      const kept = await f.kept(session)
      for (const one of vendor.personal) expect(kept).not.toContain(one)
    })

    test("the investor sees only the public code of a rejection", async () => {
      const session = await f.handedOver()
      expect(await decided(session, "rejected")).toEqual([200, "applied"])
      const view = await f.view(session)
      expect(view).toMatchObject({
        state: "rejected",
        was: "pending",
        reason: expect.stringMatching(/^[a-z_]+$/),
      })
      for (const one of vendor.personal) expect(JSON.stringify(view)).not.toContain(one)
    })

    test.runIf(can("resubmission_requested"))(
      "an investor who must submit again is sent to the vendor again, and passes",
      async () => {
        const session = await f.handedOver()
        const before = new Date(Date.now() - seconds(60))
        expect(await decided(session, "resubmission_requested", before)).toEqual([200, "applied"])
        expect(await f.view(session)).toMatchObject({ state: "open", again: expect.any(String) })
        expect(await f.statusOf(session)).toBe("pending")
        expect((await f.goOn(session)).data.url).toMatch(/\/page\//)
        const again = await f.session(session.sessionId)
        expect(await decided(again, "approved")).toEqual([200, "applied"])
        await f.waitForStatus(session, "verified")
      },
    )

    test.runIf(can("in_review"))("a session waits for the vendor's review", async () => {
      const session = await f.handedOver()
      expect(await decided(session, "in_review", new Date(Date.now() - seconds(60)))).toEqual([200, "applied"])
      expect(await f.view(session)).toMatchObject({ state: "checking", inReview: true })
      expect(await f.statusOf(session)).toBe("pending")
      expect(await decided(session, "approved")).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })

    test.runIf(can("expired"))("a check that expires at the vendor ends the session", async () => {
      const session = await f.handedOver()
      expect(await decided(session, "expired")).toEqual([200, "applied"])
      expect(await f.statusOf(session)).toBe("expired")
    })

    test.runIf(can("withdrawn"))("a withdrawn approval is revoked, and no replay restores it", async () => {
      const session = await f.handedOver()
      const approval = vendor.decide(session, "approved", new Date(Date.now() - seconds(60)))
      const headers = vendor.sign(approval)
      expect(await f.send(approval, headers)).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
      expect(await decided(session, "withdrawn")).toEqual([200, "applied"])
      await f.waitForStatus(session, "rejected")
      expect(await f.send(approval, headers)).toEqual([200, "duplicate"])
      expect(await f.statusOf(session)).toBe("rejected")
      expect(await f.view(session)).toMatchObject({ state: "rejected", was: "verified" })
    })
  })

  describe("a webhook without a valid signature", () => {
    test("decides nothing, is not recorded, and does not make Vouch ask the vendor", async () => {
      const session = await f.handedOver()
      const body = vendor.decide(session, "approved")
      const [, calls] = await f.callsFor(async () => {
        const { signatureHeaders, severalSignatures } = contract
        for (const [what, forged] of forgeries(vendor, body, signatureHeaders, severalSignatures)) {
          expect([what, ...(await f.send(forged.body, forged.headers))]).toEqual([what, 401, "invalid_signature"])
        }
      })
      expect(calls).toBe(0)
      expect(await f.events(session)).toEqual([])
      expect(await f.statusOf(session)).toBe("pending")
      // The same event with a signature is applied, so the event itself was valid.
      expect(await f.send(body)).toEqual([200, "applied"])
    })

    test.runIf(window_s !== null)("includes one signed too long ago, or in the future", async () => {
      const session = await f.handedOver()
      const body = vendor.decide(session, "rejected")
      for (const off_s of [-window_s! - 60, window_s! + 60]) {
        const headers = vendor.sign(body, { at: new Date(Date.now() + seconds(off_s)) })
        expect(await f.send(body, headers)).toEqual([401, "invalid_signature"])
      }
      expect(await f.statusOf(session)).toBe("pending")
    })

    test.runIf(window_s === null)("does not include one that the vendor sends again days later", async () => {
      const session = await f.handedOver()
      const body = vendor.decide(session, "rejected", new Date(Date.now() - seconds(6 * 86_400)))
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.statusOf(session)).toBe("rejected")
    })
  })

  describe("webhooks", () => {
    test("take effect once, however often and simultaneously they arrive", async () => {
      const session = await f.handedOver()
      const body = vendor.decide(session, "approved")
      const headers = vendor.sign(body)
      const came = await Promise.all(Array.from({ length: 8 }, () => f.send(body, headers)))
      expect(came.filter(([status]) => status === 200)).toHaveLength(8)
      expect(came.filter(([, outcome]) => outcome === "applied")).toHaveLength(1)
      await f.waitForStatus(session, "verified")
      const [again, calls] = await f.callsFor(() => f.send(body, headers))
      expect([again, calls]).toEqual([[200, "duplicate"], 0])
      expect(await f.events(session)).toEqual(["applied"])
      expect(await f.attests(session)).toBe(1)
    })

    const late: [Outcome, Outcome, string][] = [
      ["resubmission_requested", "approved", "verified"],
      ["approved", "rejected", "rejected"],
      ["in_review", "rejected", "rejected"],
      ["in_review", "approved", "verified"],
    ]
    const sayable = late.filter(([first, then]) => can(first) && can(then))
    test.each(sayable)(
      "out of order: %s, reported after the later %s, changes nothing",
      async (first, then, status) => {
        const session = await f.handedOver()
        const older = vendor.decide(session, first, new Date(Date.now() - seconds(120)))
        const newer = vendor.decide(session, then, new Date(Date.now() - seconds(60)))
        expect(await f.send(newer)).toEqual([200, "applied"])
        expect(await f.send(older)).toEqual([200, "ignored"])
        await f.waitForStatus(session, status)
      },
    )

    test("that decide nothing, or concern an unknown session, are accepted and change nothing", async () => {
      const session = await f.handedOver()
      const unknown = { ...session, sessionId: "sess_nobody", investorId: "inv_nobody", reference: null }
      for (const body of vendor.silent(session)) expect(await f.send(body)).toEqual([200, "ignored"])
      for (const body of vendor.silent(unknown)) expect(await f.send(body)).toEqual([200, "ignored"])
      expect(await f.view(session)).toMatchObject({ state: "handed_over" })
    })

    describeUnread(contract, fixture, double)

    test.runIf(isFetched)("that arrive while the vendor's API is unreachable must be sent again", async () => {
      const session = await f.handedOver()
      const body = vendor.decide(session, "rejected")
      vendor.misbehave("fails")
      expect(await f.send(body)).toEqual([503, "provider_unavailable"])
      expect(await f.statusOf(session)).toBe("pending")
      vendor.misbehave(null)
      expect(await f.send(body)).toEqual([200, "applied"])
    })
  })

  describe("a vendor", () => {
    test.each<Fault>(faults)("that %s is 503, and the same session continues when it is back", async (fault) => {
      const started = await f.start()
      vendor.misbehave(fault)
      const answer = await f.goOn(started)
      expect(answer).toMatchObject({ status: 503, error: { error: "provider_unavailable" } })
      expect(answer.error.detail).toContain(`${definition.label} cannot be reached`)
      expect(vendor.requests.some(({ path }) => path === "/elsewhere")).toBe(false)
      expect(await f.view(started)).toMatchObject({ state: "open" })

      vendor.misbehave(null)
      expect((await f.goOn(started)).data.url).toMatch(/\/page\//)
      const session = await f.session(started.sessionId)
      expect((await f.start(started)).sessionId).toBe(started.sessionId)
      if (!contract.opensAgain) expect(vendor.opened(session)).toBe(1)
      expect(await decided(session, "approved")).toEqual([200, "applied"])
      await f.waitForStatus(session, "verified")
    })

    test("that is too slow causes a timeout, and the same session continues later", async () => {
      const started = await f.start()
      vendorDeadline.ms = 300
      vendor.misbehave("hangs")
      expect(await f.goOn(started)).toMatchObject({ status: 503, error: { error: "provider_unavailable" } })
      vendor.misbehave(null)
      vendorDeadline.ms = patience
      expect((await f.goOn(started)).data.url).toMatch(/\/page\//)
    })

    test("whose webhook is lost gets asked, and its decision takes effect once", async () => {
      const session = await f.handedOver()
      await f.poll(session)
      expect(await f.statusOf(session)).toBe("pending")
      const body = vendor.decide(session, "approved")
      await f.poll(session)
      await f.waitForStatus(session, "verified")
      expect(await f.claims(session)).toEqual(contract.claims)
      // The webhook arrives late.
      expect(await f.send(body)).toEqual([200, "ignored"])
      expect(await f.attests(session)).toBe(1)
    })

    test("that is unreachable when asked gets asked again", async () => {
      const session = await f.handedOver()
      vendor.decide(session, "rejected")
      vendor.misbehave("fails")
      await f.poll(session)
      expect(await f.statusOf(session)).toBe("pending")
      vendor.misbehave(null)
      await waitFor(async () => {
        await f.poll(session)
        return (await f.statusOf(session)) === "rejected"
      }, "the vendor to be asked again")
    })

    test("distinguishes valid credentials from invalid ones", async () => {
      const probe = async (environment: Record<string, string>) => {
        const { test } = choose(environment)
        const { flow } = test.configured.get(definition.name)!
        if (flow.kind === "redirect") await flow.probe()
      }
      await probe(vendor.settings)
      const refused = `${definition.label} cannot be reached`
      await expect(probe(vendor.wrongSettings)).rejects.toThrow(refused)
      vendor.misbehave("rubbish")
      await expect(probe(vendor.settings)).rejects.toThrow(refused)
      vendor.misbehave(null)
    })
  })

  describeClosing(contract, fixture, double)
  describeReversal(contract, fixture, double)
  describeSignals(contract, fixture, double)
  describeRedaction(contract, fixture, double)

  const choose = (environment: Record<string, string>) =>
    chooseProviders(
      parseSettings({
        VOUCH_WEBHOOK_SECRET: webhookSecret,
        VOUCH_TEST_PROVIDER: definition.name,
        ...environment,
      }),
      {},
      [...providers.filter(({ name }) => name !== definition.name), definition],
    )

  test("each missing setting stops the start with a message that names it", () => {
    for (const name of contract.required) {
      const { [name]: _, ...others } = vendor.settings
      try {
        choose(others)
        expect.unreachable(`the start does not require ${name}`)
      } catch (error) {
        expect((error as SettingsError).problems).toEqual([`${name}: required (provider ${definition.name})`])
      }
    }
  })

  describeLies(contract, fixture)
  more(fixture)
}
