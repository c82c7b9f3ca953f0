import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { chooseProviders } from "#server/domain/providers/choose.ts"
import { parseSettings, type SettingsError } from "#server/settings/env.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { describeVendor } from "#test/vendor/contract.ts"
import { startGeneric } from "#test/vendor/generic.ts"
import { generic } from "./generic.ts"

let double: Awaited<ReturnType<typeof startGeneric>>

describeVendor(
  {
    definition: generic,
    startDouble: async () => {
      double = await startGeneric()
      return double
    },
    required: ["VOUCH_GENERIC_URL", "VOUCH_GENERIC_SECRET"],
    signatureHeaders: ["webhook-signature", "webhook-id", "webhook-timestamp"],
    severalSignatures: true,
    window_s: 300,
    isFetched: false,
    outcomes: ["approved", "rejected", "resubmission_requested", "in_review", "expired", "withdrawn"],
    submits: false,
    signals: [],
    deletes: true,
    opensAgain: false,
    claims: { country: "CA", age_over_18: true, accredited: true },
  },
  (f) => {
    test("the reason is for the customer, the public reason for the investor", async () => {
      const session = await f().handedOver()
      const reasons = {
        decision: "rejected",
        occurred_at: new Date().toISOString(),
        reason: "Fraud list",
        public_reason: "not_eligible",
      }
      expect(await f().send(double.event(session.sessionId, reasons))).toEqual([200, "applied"])
      const view = await f().view(session)
      expect(view).toMatchObject({ state: "rejected", reason: "not_eligible" })
      expect(JSON.stringify(view)).not.toContain("Fraud")
    })

    test("an invalid answer of a bridge is handled like an unreachable bridge", async () => {
      const session = await f().handedOver()
      const { flow } = deployment.providers.test.configured.get("generic")!
      if (flow.kind !== "redirect") throw new Error("no redirect")
      double.decide(session, "approved", new Date(Date.now() + 3_600_000))
      const ours = {
        ...session,
        validityDays: 365,
        returnUrl: "http://localhost/",
        language: null,
        lastDecision: null,
      }
      await expect(flow.readDecision(ours, session.reference!)).rejects.toThrow("in the future")
    })

    test.each([
      ["VOUCH_GENERIC_URL", "http://bridge.example.com", "must be an https address without credentials"],
      ["VOUCH_GENERIC_URL", "https://user:word@bridge.example.com", "must be an https address without credentials"],
      ["VOUCH_GENERIC_SECRET", "whsec_short", "must be whsec_ and base64 of 16 bytes or more"],
      ["VOUCH_GENERIC_LABEL", "a\nb", "must not contain control characters"],
      ["VOUCH_GENERIC_TOKEN", "short", "must be 16 visible characters or more, without spaces"],
    ])("%s=%j is refused at the start", (name, value, problem) => {
      const environment = { ...f().app.settings.environment, [name]: value }
      try {
        chooseProviders(parseSettings(environment), {})
        expect.unreachable()
      } catch (error) {
        expect((error as SettingsError).problems).toEqual([`${name}: ${problem} (provider generic)`])
      }
    })

    test("investors see the vendor's name if it is set", async () => {
      const session = await f().start()
      const before = deployment.providers
      const settings = { ...f().app.settings.environment, VOUCH_GENERIC_LABEL: "Acme ID" }
      deployment.providers = chooseProviders(parseSettings(settings), {})
      try {
        expect(await f().view(session)).toMatchObject({ provider: { label: "Acme ID" } })
        double.misbehave("fails")
        expect((await f().goOn(session)).error.detail).toMatch(/^Acme ID cannot be reached/)
      } finally {
        deployment.providers = before
      }
    })

    test("the bridge in the documentation runs unchanged", async () => {
      const port = await freePorts(1)
      const bridge = `http://127.0.0.1:${port}`
      const child = spawn(process.execPath, [join(import.meta.dirname, "../../../docs/providers/bridge.mjs")], {
        env: {
          NODE_ENV: "test",
          PORT: String(port),
          BRIDGE_URL: bridge,
          GENERIC_SECRET: double.settings.VOUCH_GENERIC_SECRET!,
          VOUCH_WEBHOOK: `${f().app.origin}/v1/kyc/webhook/generic`,
        },
        stdio: "inherit",
      })
      const before = deployment.providers
      const { VOUCH_GENERIC_TOKEN: _, ...environment } = f().app.settings.environment
      deployment.providers = chooseProviders(parseSettings({ ...environment, VOUCH_GENERIC_URL: bridge }), {})
      try {
        const { flow } = deployment.providers.test.configured.get("generic")!
        if (flow.kind !== "redirect") throw new Error("no redirect")
        await waitFor(
          () =>
            flow
              .probe()
              .then(() => true)
              .catch(() => false),
          "the bridge to listen",
        )
        expect((await fetch(bridge, { method: "POST", body: "{}" })).status).toBe(400)

        const session = await f().handedOver()
        const { url } = (await f().goOn(session)).data
        expect(url).toMatch(new RegExp(`^${bridge}/`))
        const page = await fetch(url)
        expect(await page.text()).toContain("<form")
        expect(
          await flow.readDecision(
            { ...session, validityDays: 365, returnUrl: "", language: null, lastDecision: null },
            session.reference!,
          ),
        ).toBeNull()
        const back = await fetch(url, { method: "POST", redirect: "manual" })
        expect(back.headers.get("location")).toBe(`${deployment.origin}/verify/${session.sessionId}`)
        await f().waitForStatus(session, "verified")
        expect(await f().claims(session)).toEqual({ country: "US", age_over_18: true })
      } finally {
        deployment.providers = before
        child.kill()
        await once(child, "exit")
      }
    })
  },
)
