import { describe, expect, test } from "vitest"
import { startPublished } from "#test/vendor/published.ts"
import { onfido } from "./onfido.ts"

// Bodies as Onfido publishes them, with other names and numbers. docs/providers/onfido.md has the sources.
const published = startPublished()

describe("Onfido", () => {
  const it = () =>
    published.configured(onfido, {
      ONFIDO_URL: published.origin(),
      ONFIDO_REGION: "eu",
      ONFIDO_API_TOKEN: "api_sandbox.ExampleExample",
      ONFIDO_WEBHOOK_TOKEN: "ExampleWebhookTokenExampleWebhoo",
      ONFIDO_WORKFLOWS: "11111111-2222-4333-8444-555555555555",
    })
  const runId = "22222222-3333-4444-8555-666666666666"
  const run = (status: string) => ({
    id: runId,
    applicant_id: "33333333-4444-4555-8666-777777777777",
    workflow_id: "11111111-2222-4333-8444-555555555555",
    workflow_version_id: 7,
    status,
    dashboard_url: `https://dashboard.onfido.com/results/${runId}`,
    output: {
      sex: "Female",
      nationality: "GBR",
      last_name: "Sample",
      first_name: "Alexandra",
      date_of_birth: "1984-11-30",
      document_type: "passport",
      document_number: "900000001",
      issuing_country: "GBR",
      date_expiry: "2031-05-28",
    },
    reasons: [],
    error: null,
    created_at: "2026-03-04T10:00:00Z",
    updated_at: "2026-03-04T10:20:30Z",
    link: {
      completed_redirect_url: "https://example.com/complete",
      expired_redirect_url: "https://example.com/expired",
      expires_at: "2026-03-05T10:00:00Z",
      language: "en_US",
      url: `https://studio.eu.onfido.app/f/${runId}`,
    },
    tags: ["inv_1"],
    customer_user_id: "inv_1",
    sdk_token: null,
  })

  test("workflow_run.completed makes Vouch read the run, also in its form before specification 6.0.0", () => {
    const payload = {
      resource_type: "workflow_run",
      action: "workflow_run.completed",
      object: {
        id: runId,
        status: "approved",
        completed_at_iso8601: "2026-03-04T10:20:30.389407",
        href: `https://api.eu.onfido.com/v3.6/workflow_runs/${runId}`,
      },
    }
    for (const body of [{ payload }, { payload: { ...payload, resource: run("approved") } }])
      expect(it().event(body)).toMatchObject({ about: { reference: runId }, says: { kind: "changed" } })
  })

  test("workflow_task.started makes Vouch read the run", () => {
    const payload = {
      resource_type: "workflow_task",
      action: "workflow_task.started",
      object: {
        id: "document_check_1eb92",
        task_spec_id: "document_check_1eb92",
        task_def_id: "document_check",
        workflow_run_id: runId,
        status: "started",
        started_at_iso8601: "2026-03-04T10:15:00Z",
        href: `https://api.eu.onfido.com/v3.6/workflow_runs/${runId}/tasks/document_check_1eb92`,
      },
      resource: {
        created_at: "2026-03-04T10:15:00Z",
        id: "document_check_1eb92",
        workflow_run_id: runId,
        updated_at: "2026-03-04T10:15:00Z",
        input: {},
        task_def_version: null,
        task_def_id: "document_check",
        output: null,
      },
    }
    expect(it().event({ payload })).toMatchObject({ about: { reference: runId }, says: { kind: "changed" } })
  })

  test("watchlist_monitor.matches_updated is a match", () => {
    const id = "44444444-5555-4666-8777-888888888888"
    const payload = {
      resource_type: "watchlist_monitor",
      action: "watchlist_monitor.matches_updated",
      object: { id, href: `https://api.eu.onfido.com/v3.6/watchlist_monitors/${id}/matches` },
    }
    expect(it().event({ payload })).toMatchObject({
      about: { subject: id },
      says: { kind: "signal", signal: "watchlist_match" },
    })
  })

  test("the API's answer has a decision only once Onfido has decided or begun a review", async () => {
    const of = (status: string) => it().read(run(status), runId)
    expect(await of("awaiting_input")).toBeNull()
    expect(await of("awaiting_client_input")).toBeNull()
    expect(await of("processing")).toBe("submitted")
    expect(await of("approved")).toMatchObject({
      decision: "approved",
      claims: { country: "GB", age_over_18: true },
      occurredAt: new Date("2026-03-04T10:20:30Z"),
    })
    for (const [status, decision] of [
      ["declined", "rejected"],
      ["review", "in_review"],
      ["abandoned", "expired"],
      ["error", "resubmission_requested"],
    ])
      expect(await of(status!)).toMatchObject({ decision })
  })
})
