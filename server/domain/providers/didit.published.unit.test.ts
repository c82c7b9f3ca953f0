import { describe, expect, test } from "vitest"
import { hmacOf, nowInSeconds, startPublished } from "#test/vendor/published.ts"
import { didit } from "./didit.ts"

// Bodies as Didit publishes them, with other names and numbers. docs/providers/didit.md has the sources.
const published = startPublished()

describe("Didit", () => {
  const it = () =>
    published.configured(didit, {
      DIDIT_URL: published.origin(),
      DIDIT_API_KEY: "ExampleKeyExampleKey",
      DIDIT_WEBHOOK_SECRET: "ExampleSecretExampleSecret",
      DIDIT_WORKFLOWS: "f0e1d2c3-b4a5-4789-8123-456789abcdef",
    })
  const id = "a1b2c3d4-e5f6-4890-abcd-ef1234567890"
  const decision = (status: string) => ({
    session_id: id,
    session_number: 43762,
    session_url: `https://verify.didit.me/session/${id}`,
    status,
    workflow_id: "f0e1d2c3-b4a5-4789-8123-456789abcdef",
    features: ["ID_VERIFICATION", "LIVENESS", "FACE_MATCH", "AML"],
    vendor_data: "inv_1",
    metadata: null,
    callback: "https://example.com/verify",
    id_verifications: [
      {
        status,
        document_type: "Passport",
        document_number: "XY0000001",
        first_name: "Alexandra",
        last_name: "Sample",
        date_of_birth: "1984-11-30",
        age: 41,
        gender: "F",
        issuing_state: "ESP",
        issuing_state_name: "Spain",
        nationality: "ESP",
        node_id: "feature_ocr",
        warnings: [],
      },
    ],
    liveness_checks: [{ status: "Approved", method: "PASSIVE", score: 98.5, node_id: "feature_liveness" }],
    face_matches: [{ status: "Approved", score: 97.1, node_id: "feature_face_match" }],
    aml_screenings: [{ status: "Approved", total_hits: 0, hits: [], score: 0, node_id: "feature_aml" }],
    poa_verifications: null,
    phone_verifications: null,
    reviews: [],
    created_at: "2026-03-04T10:00:00.000000Z",
  })
  const event = (status: string, more: object = {}) => ({
    created_at: 1772619630,
    decision: decision(status),
    environment: "live",
    event_id: "55555555-6666-4777-8888-999999999999",
    metadata: null,
    session_id: id,
    status,
    timestamp: 1772619631,
    vendor_data: "inv_1",
    webhook_type: "status.updated",
    workflow_id: "f0e1d2c3-b4a5-4789-8123-456789abcdef",
    workflow_version: 1,
    ...more,
  })

  test.each([
    ["Approved", { kind: "changed" }],
    ["Declined", { kind: "decision", decision: "rejected" }],
    ["In Review", { kind: "decision", decision: "in_review", afterApproval: "case_opened" }],
    ["Resubmitted", { kind: "decision", decision: "resubmission_requested" }],
    ["Expired", { kind: "decision", decision: "expired" }],
    ["Abandoned", { kind: "decision", decision: "expired" }],
    ["Kyc Expired", { kind: "decision", decision: "rejected" }],
  ])("status.updated: %s, with and without the time of the change", (status, says) => {
    const { created_at: _, ...timeless } = event(status)
    for (const [body, at] of [
      [event(status), 1772619630],
      [timeless, 1772619631],
    ] as const)
      expect(it().event(body)).toMatchObject({
        eventId: "55555555-6666-4777-8888-999999999999",
        about: { reference: id },
        says: { ...says, occurredAt: new Date(at * 1000) },
      })
  })

  test.each(["Not Started", "In Progress", "Awaiting User"])("status.updated: %s decides nothing yet", (status) => {
    expect(it().event(event(status, { decision: undefined }))).toBeNull()
  })

  test("user.status.updated deactivates a BLOCKED person and opens a case for a FLAGGED one", () => {
    const of = (status: string, vendor_data: string) =>
      it().event({
        event_id: "55555555-6666-4777-8888-999999999999",
        webhook_type: "user.status.updated",
        timestamp: 1772619631,
        created_at: 1772619630,
        vendor_data,
        status,
        previous_status: "ACTIVE",
        display_name: "Alexandra Sample",
      })
    const person = "inv_11111111111111111111"
    expect(of("BLOCKED", person)).toMatchObject({
      about: { investorId: person },
      says: { kind: "signal", signal: "person_deactivated" },
    })
    expect(of("FLAGGED", person)).toMatchObject({ says: { kind: "signal", signal: "case_opened" } })
    expect(of("ACTIVE", person)).toBeNull()
  })

  test("the API's answer has a decision only once Didit has decided", async () => {
    const of = (status: string) => it().read(decision(status), id)
    expect(await of("In Progress")).toBeNull()
    expect(await of("Approved")).toMatchObject({
      decision: "approved",
      claims: { country: "ES", age_over_18: true },
    })
    expect(await of("Declined")).toMatchObject({ decision: "rejected" })
  })

  test("X-Signature covers the bytes, X-Signature-V2 the canonical JSON with and without the time", () => {
    const now = nowInSeconds()
    const body = JSON.stringify(event("Declined", { timestamp: now, decision: undefined, metadata: undefined }))
    // Didit sorts the members.
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).sort()))
    const { isSigned } = it()
    const holds = (headers: Record<string, string>) =>
      isSigned({ "x-timestamp": String(now), ...headers }, Buffer.from(body))
    const sign = (text: string) => hmacOf("ExampleSecretExampleSecret", text)
    expect(holds({ "x-signature": sign(body) })).toBe(true)
    expect(holds({ "x-signature-v2": sign(sorted) })).toBe(true)
    expect(holds({ "x-signature-v2": sign(`${now}:${sorted}`) })).toBe(true)
    expect(holds({ "x-signature-v2": sign(`${now + 1}:${sorted}`) })).toBe(false)
  })
})
