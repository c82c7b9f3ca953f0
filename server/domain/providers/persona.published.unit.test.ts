import { describe, expect, test } from "vitest"
import { hmacOf, nowInSeconds, startPublished } from "#test/vendor/published.ts"
import { persona } from "./persona.ts"

// Bodies as Persona publishes them, with other names and numbers. docs/providers/persona.md has the sources.
const published = startPublished()

describe("Persona", () => {
  const it = () =>
    published.configured(persona, {
      PERSONA_URL: published.origin(),
      PERSONA_API_KEY: "persona_sandbox_11111111-2222-3333-4444-555555555555",
      PERSONA_WEBHOOK_SECRET: "wbhsec_11111111-2222-3333-4444-555555555555",
      PERSONA_TEMPLATES: "itmpl_ExampleTemplate1",
    })
  const inquiryId = "inq_ExampleInquiryExampleInq1"
  const inquiry = (status: string) => ({
    type: "inquiry",
    id: inquiryId,
    attributes: {
      status,
      "reference-id": null,
      note: null,
      behaviors: {
        "request-spoof-attempts": 0,
        "user-agent-spoof-attempts": 0,
        "mobile-sdk-version-less-than-minimum": 0,
      },
      tags: [],
      creator: "API",
      "reviewer-comment": null,
      "updated-at": "2026-03-04T10:20:30.000Z",
      "created-at": "2026-03-04T10:00:00.000Z",
      "started-at": "2026-03-04T10:01:00.000Z",
      "expires-at": "2026-03-05T10:00:00.000Z",
      "completed-at": "2026-03-04T10:20:29.000Z",
      "failed-at": null,
      "marked-for-review-at": status === "needs_review" ? "2026-03-04T10:20:30.000Z" : null,
      "decisioned-at": status === "approved" ? "2026-03-04T10:20:30.000Z" : null,
      "expired-at": null,
      "redacted-at": null,
      "previous-step-name": "verification_government_id",
      "next-step-name": "success",
      fields: {
        "name-first": { type: "string", value: "Alexandra" },
        "name-last": { type: "string", value: "Sample" },
        birthdate: { type: "date", value: "1984-11-30" },
        "address-country-code": { type: "string", value: "US" },
        "selected-country-code": { type: "string", value: "US" },
        "identification-class": { type: "string", value: "dl" },
      },
    },
    relationships: {
      account: { data: { type: "account", id: "act_ExampleAccount1" } },
      template: { data: null },
      "inquiry-template": { data: { type: "inquiry-template", id: "itmpl_ExampleTemplate1" } },
      reviewer: { data: null },
      reports: { data: [] },
      verifications: { data: [{ type: "verification/government-id", id: "ver_ExampleVerification1" }] },
      sessions: { data: [{ type: "inquiry-session", id: "iqse_ExampleSession1" }] },
      documents: { data: [] },
      selfies: { data: [] },
    },
  })
  const event = (name: string, data: object) => ({
    data: {
      type: "event",
      id: "evt_ExampleEventExampleEvent1",
      attributes: {
        name,
        payload: {
          data,
          included: [{ type: "inquiry-session", id: "iqse_ExampleSession1", attributes: {} }],
        },
        "created-at": "2026-03-04T10:20:31.000Z",
        "redacted-at": null,
        context: {},
      },
    },
  })

  test.each([
    ["inquiry.completed", "completed", { kind: "submitted" }],
    ["inquiry.approved", "approved", { kind: "changed" }],
    ["inquiry.declined", "declined", { kind: "decision", decision: "rejected" }],
    ["inquiry.marked-for-review", "needs_review", { kind: "decision", decision: "in_review" }],
    ["inquiry.expired", "expired", { kind: "decision", decision: "expired" }],
  ])("%s", (name, status, says) => {
    expect(it().event(event(name, inquiry(status)))).toMatchObject({
      eventId: "evt_ExampleEventExampleEvent1",
      about: { reference: inquiryId },
      says,
    })
  })

  test("report/crypto-address-watchlist.matched is a match of the person's account", () => {
    const report = {
      type: "report/crypto-address-watchlist",
      id: "rep_ExampleReportExample1",
      attributes: {
        status: "ready",
        "created-at": "2026-04-01T00:00:00.000Z",
        "completed-at": "2026-04-01T00:00:02.000Z",
        "report-template-version-name": "v1",
        "has-match": true,
        "is-continuous": true,
        "is-recurring": false,
        tags: [],
        query: { address: "ExampleAddress111", currency: "SOL" },
        result: { "risk-type": "sanctions" },
      },
      relationships: {
        inquiry: { data: { type: "inquiry", id: inquiryId } },
        account: { data: { type: "account", id: "act_ExampleAccount1" } },
        transaction: { data: null },
        "report-template": {
          data: { type: "report-template/crypto-address-watchlist", id: "rptp_Example1" },
        },
      },
    }
    expect(it().event(event("report/crypto-address-watchlist.matched", report))).toMatchObject({
      about: { subject: "act_ExampleAccount1" },
      says: { kind: "signal", signal: "watchlist_match" },
    })
  })

  test("account.redacted reports that the person's data is deleted", () => {
    const account = {
      type: "account",
      id: "act_ExampleAccount1",
      attributes: {
        "reference-id": null,
        "created-at": "2026-03-04T10:00:00.000Z",
        "updated-at": "2026-06-04T10:00:00.000Z",
        "redacted-at": "2026-06-04T10:00:00.000Z",
        "account-type-name": "User",
        "account-status": "Default",
        fields: {},
        tags: [],
      },
    }
    expect(it().event(event("account.redacted", account))).toMatchObject({
      about: { subject: "act_ExampleAccount1" },
      says: { kind: "signal", signal: "data_deleted" },
    })
  })

  test("the API's answer has a decision only once Persona has decided or begun a review", async () => {
    const of = (status: string) => it().read({ data: inquiry(status), included: [] }, inquiryId)
    expect(await of("created")).toBeNull()
    expect(await of("pending")).toBeNull()
    expect(await of("completed")).toBe("submitted")
    expect(await of("approved")).toMatchObject({
      decision: "approved",
      claims: { country: "US", age_over_18: true },
      occurredAt: new Date("2026-03-04T10:20:30.000Z"),
    })
    expect(await of("needs_review")).toMatchObject({ decision: "in_review" })
  })

  test("a signature is valid, alone and next to the old secret's during a rotation", () => {
    const body = Buffer.from(JSON.stringify(event("inquiry.completed", inquiry("completed"))))
    const t = String(nowInSeconds())
    const v1 = hmacOf("wbhsec_11111111-2222-3333-4444-555555555555", `${t}.${body}`)
    expect(it().isSigned({ "persona-signature": `t=${t},v1=${v1}` }, body)).toBe(true)
    const rotated = `t=${t},v1=${hmacOf("wbhsec_the-old-one", `${t}.${body}`)} t=${t},v1=${v1}`
    expect(it().isSigned({ "persona-signature": rotated }, body)).toBe(true)
  })

  test("a check links to Persona's own page, and no reference leads elsewhere", () => {
    expect(it().pageOf?.(inquiryId)).toBe(`https://app.withpersona.com/dashboard/inquiries/${inquiryId}`)
    expect(it().pageOf?.("../x?y#z")).toBe("https://app.withpersona.com/dashboard/inquiries/..%2Fx%3Fy%23z")
  })
})
