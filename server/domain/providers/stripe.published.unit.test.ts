import { describe, expect, test } from "vitest"
import { startPublished } from "#test/vendor/published.ts"
import { stripe } from "./stripe.ts"

// Bodies as Stripe publishes them, with other names and numbers. docs/providers/stripe.md has the sources.
const published = startPublished()

describe("Stripe", () => {
  const it = () =>
    published.configured(stripe, {
      STRIPE_URL: published.origin(),
      STRIPE_SECRET_KEY: "rk_test_ExampleExampleExample",
      STRIPE_WEBHOOK_SECRET: "whsec_ExampleExampleExample",
      STRIPE_FLOWS: "document",
    })
  const id = "vs_1ExampleExampleExample01"
  const verification = (status: string, more: object = {}) => ({
    id,
    object: "identity.verification_session",
    client_reference_id: "inv_1",
    client_secret: null,
    created: 1772618400,
    last_error: null,
    last_verification_report: null,
    livemode: false,
    metadata: {},
    options: { document: { require_matching_selfie: true } },
    redaction: null,
    related_customer: null,
    status,
    type: "document",
    url: null,
    verification_flow: null,
    ...more,
  })
  const event = (name: string, object: object) => ({
    id: "evt_1ExampleExampleExample01",
    object: "event",
    api_version: "2026-10-28.endive",
    created: 1772619630,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: `identity.verification_session.${name}`,
  })
  const failed = { last_error: { code: "document_expired", reason: "The document is expired." } }

  test.each([
    ["processing", verification("processing"), { kind: "submitted" }],
    ["verified", verification("verified"), { kind: "changed" }],
    [
      "requires_input",
      verification("requires_input", failed),
      { kind: "decision", decision: "resubmission_requested", publicReason: "documents_unreadable" },
    ],
    ["canceled", verification("canceled"), { kind: "decision", decision: "expired" }],
    [
      "redacted",
      verification("verified", { redaction: { status: "redacted" } }),
      { kind: "signal", signal: "data_deleted" },
    ],
  ])("identity.verification_session.%s", (name, object, says) => {
    expect(it().event(event(name, object))).toMatchObject({
      eventId: "evt_1ExampleExampleExample01",
      about: { reference: id },
      says,
    })
  })

  test("identity.verification_session.created decides nothing", () => {
    expect(it().event(event("created", verification("requires_input")))).toBeNull()
  })

  test("the API's answer has a decision only once Stripe has decided", async () => {
    const of = (status: string, more: object = {}) => it().read(verification(status, more), id)
    expect(await of("requires_input")).toBeNull()
    expect(await of("processing")).toBe("submitted")
    expect(await of("requires_input", failed)).toMatchObject({ decision: "resubmission_requested" })
    const verified = {
      last_verification_report: {
        id: "vr_1ExampleExampleExample01",
        object: "identity.verification_report",
        created: 1772619600,
        document: {
          status: "verified",
          type: "passport",
          issuing_country: "DE",
          first_name: "Alexandra",
          last_name: "Sample",
          expiration_date: { day: 1, month: 12, year: 2030 },
          files: ["file_1Example"],
        },
        selfie: { status: "verified", document: "file_1Example", selfie: "file_2Example" },
        type: "document",
        verification_session: id,
      },
      verified_outputs: {
        address: {
          city: "Berlin",
          country: "DE",
          line1: "Unter den Linden 1",
          postal_code: "10117",
          state: null,
        },
        dob: { day: 30, month: 11, year: 1984 },
        first_name: "Alexandra",
        last_name: "Sample",
        id_number_type: null,
        sex: "female",
      },
    }
    expect(await of("verified", verified)).toMatchObject({
      decision: "approved",
      claims: { country: "DE", age_over_18: true },
      occurredAt: new Date(1772619600 * 1000),
    })
    expect(await of("canceled")).toMatchObject({ decision: "expired" })
  })
})
