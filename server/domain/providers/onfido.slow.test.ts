import { createHmac, randomBytes } from "node:crypto"
import { WebhookEventVerifier } from "@onfido/api"
import { expect, test } from "vitest"
import { describeVendor } from "#test/vendor/contract.ts"
import { outcomes } from "#test/vendor/fixture.ts"
import { type OnfidoDouble, startOnfido } from "#test/vendor/onfido.ts"
import { onfido } from "./onfido.ts"

const ACCREDITED = "accredited_investor_v1"

describeVendor(
  {
    definition: onfido,
    startDouble: startOnfido,
    required: ["VOUCH_ONFIDO_REGION", "VOUCH_ONFIDO_API_TOKEN", "VOUCH_ONFIDO_WEBHOOK_TOKEN", "VOUCH_ONFIDO_WORKFLOWS"],
    signatureHeaders: ["x-sha2-signature"],
    severalSignatures: false,
    window_s: null,
    isFetched: true,
    outcomes,
    submits: true,
    signals: ["watchlist_match"],
    deletes: true,
    opensAgain: false,
    claims: { country: "GB", age_over_18: true },
  },
  (fixture) => {
    const double = () => fixture().vendor as OnfidoDouble

    test("a person with two wallets is one applicant with two runs", async () => {
      const f = fixture()
      const externalId = "one-of-two-wallets"
      const first = await f.handedOver({ externalId })
      const second = await f.handedOver({ externalId })
      expect(second.investorId).toBe(first.investorId)
      expect(double().applicants(first.investorId)).toBe(1)
      expect(second.reference).not.toBe(first.reference)
      // The decision of a run applies to one session.
      expect(await f.send(f.vendor.decide(first, "approved"))).toEqual([200, "applied"])
      await f.waitForStatus(first, "verified")
      expect(await f.statusOf(second)).toBe("pending")
    })

    test("a separate workflow can report that an investor is accredited", async () => {
      const f = fixture()
      const session = await f.handedOver({ schemaId: ACCREDITED })
      await f.send(f.vendor.decide(session, "approved"))
      await f.waitForStatus(session, "verified")
      expect(await f.claims(session)).toEqual({ country: "GB", age_over_18: true, accredited: true })
    })

    test.each([
      // The investor has submitted, so the session gets 30 days.
      ["processing", "applied"],
      ["awaiting_client_input", "ignored"],
      ["held_by_something_new", "ignored"],
    ])("%s is not a decision", async (status, outcome) => {
      const f = fixture()
      const session = await f.handedOver()
      const body = f.vendor.decide(session, "approved")
      double().setStatus(session.reference!, status)
      expect(await f.send(body)).toEqual([200, outcome])
      await f.poll(session)
      expect(await f.statusOf(session)).toBe("pending")
      // The same event, which had no effect before, is sent again after the decision.
      double().setStatus(session.reference!, "approved")
      expect(await f.send(body)).toEqual([200, "applied"])
    })

    test("an investor who returns before finishing is sent to the same run", async () => {
      const f = fixture()
      const session = await f.handedOver()
      const { flow } = configured(double().settings)
      if (flow.kind !== "redirect") throw new Error("Onfido has its own page.")
      const { investorId, sessionId, schemaId, wallet, reference } = session
      const asked = {
        investorId,
        sessionId,
        schemaId,
        wallet,
        validityDays: 365,
        language: null,
        lastDecision: null,
      }
      const again = await flow.resumeSession({ ...asked, returnUrl: "https://vouch.example.com/" }, reference!)
      expect(again.reference).toBe(reference)
      expect(f.vendor.opened(session)).toBe(1)
    })

    test("new matches of a monitor apply to the sessions of its applicant, which Vouch asks Onfido for", async () => {
      const f = fixture()
      const session = await f.handedOver()
      await f.send(f.vendor.decide(session, "approved", new Date(Date.now() - 60_000)))
      await f.waitForStatus(session, "verified")
      const body = double().watch(session.reference!)
      f.vendor.misbehave("fails")
      expect(await f.send(body)).toEqual([503, "provider_unavailable"])
      f.vendor.misbehave(null)
      expect(await f.send(body)).toEqual([200, "applied"])
      expect(await f.send(body)).toEqual([200, "duplicate"])
      expect(await f.send(body.replace(/"id":"[0-9a-f-]{36}"/g, `"id":"unknown-monitor"`))).toEqual([200, "ignored"])
    })
  },
)

function configured(settings: Record<string, string>) {
  const values = Object.entries(settings).map(([name, value]) => [name.replace("VOUCH_", ""), value])
  const result = onfido.configure(Object.fromEntries(values))
  if ("wrong" in result) throw new Error(JSON.stringify(result.wrong))
  return result.provider
}

const signedBy = (token: string) =>
  configured({
    ONFIDO_REGION: "eu",
    ONFIDO_API_TOKEN: "api_sandbox.token",
    ONFIDO_WEBHOOK_TOKEN: token,
    ONFIDO_WORKFLOWS: "e8c921eb-0495-44fe-b655-bcdcaffdafe5",
  })

/** Whether Onfido's library accepts the signature. It throws for a wrong one, and for one of another length. */
function libraryHolds(token: string, body: string, signature: string): boolean {
  try {
    new WebhookEventVerifier(token).readPayload(body, signature)
    return true
  } catch {
    return false
  }
}

// The test vectors of Onfido's library for Node.
test.each([
  [
    "_ABC123abc123ABC123abc123ABC123_",
    `{"payload":{"resource_type":"check","action":"check.completed","object":{"id":"check-123","status":"complete","completed_at_iso8601":"2020-01-01T00:00:00Z","href":"https://api.onfido.com/v3/checks/check-123"}}}`,
    "a0082d7481f9f0a2907583dbe1f344d6d4c0d9989df2fd804f98479f60cd760e",
  ],
  [
    "YKOC6mkBxi6yK2zlUIrLMvsJMFEZObP5",
    `{"payload":{"resource_type":"workflow_task","action":"workflow_task.started","object":{"id":"profile_1eb92","task_spec_id":"profile_1eb92","task_def_id":"profile_data","workflow_run_id":"bc77c6e5-753a-4580-96a6-aaed3e5a8d19","status":"started","started_at_iso8601":"2024-07-10T12:49:09Z","href":"https://api.eu.onfido.com/v3.6/workflow_runs/bc77c6e5-753a-4580-96a6-aaed3e5a8d19/tasks/profile_1eb92"},"resource":{"created_at":"2024-07-10T12:49:09Z","id":"profile_1eb92","workflow_run_id":"bc77c6e5-753a-4580-96a6-aaed3e5a8d19","updated_at":"2024-07-10T12:49:09Z","input":{},"task_def_version":null,"task_def_id":"profile_data","output":null}}}`,
    "c95a5b785484f6fa1bc25f381b5595d66bf85cb442eefb06aa007802ee6a4dfa",
  ],
])("the signatures in the tests of Onfido's library are valid (token %s)", (token, body, signature) => {
  const { isSigned, readEvent } = signedBy(token)
  const last = signature.at(-1) === "e" ? "f" : "e"
  for (const [sent, given] of [
    [body, signature],
    [body, signature.toUpperCase()],
    [body, signature.slice(0, -1) + last],
    [`${body} `, signature],
    [body, signature.slice(0, -2)],
    [body, `${signature}00`],
    [body, ""],
  ] as const) {
    const ours = isSigned({ "x-sha2-signature": given }, Buffer.from(sent))
    expect([given, ours]).toEqual([given, libraryHolds(token, sent, given)])
  }
  expect(isSigned({ "x-sha2-signature": signature }, Buffer.from(body))).toBe(true)
  // When a task starts, Vouch reads the run.
  const about = body.includes("workflow_task.started")
    ? { reference: "bc77c6e5-753a-4580-96a6-aaed3e5a8d19" }
    : undefined
  expect(readEvent({}, Buffer.from(body))?.about).toEqual(about)
})

test("Onfido's library agrees with ours on a thousand bodies, unchanged and with one byte changed", () => {
  const token = "another-token-0123456789"
  const { isSigned } = signedBy(token)
  for (let n = 0; n < 1000; n++) {
    const body = JSON.stringify({ payload: randomBytes(n % 200).toString("base64") })
    const signature = createHmac("sha256", token).update(body).digest("hex")
    const sent = n % 2 === 0 ? body : body.replace("payload", "Payload")
    const ours = isSigned({ "x-sha2-signature": signature }, Buffer.from(sent))
    expect(ours).toBe(n % 2 === 0)
    expect(libraryHolds(token, sent, signature)).toBe(ours)
  }
})
