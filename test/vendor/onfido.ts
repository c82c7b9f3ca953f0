import { createHmac, randomUUID } from "node:crypto"
import { z } from "zod"
import type { Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, refused, startHttpDouble } from "./http-double.ts"

const API_TOKEN = "api_sandbox.cDXuv8fFkNY.9CkZ1eGl0LnqjSXPZvPK6Ki4HzVbYbd2"
const WEBHOOK_TOKEN = "YKOC6mkBxi6yK2zlUIrLMvsJMFEZObP5"
const WORKFLOW = "e8c921eb-0495-44fe-b655-bcdcaffdafe5"
const ACCREDITED = "221f9d24-cf72-4762-ac4a-01bf3ccc09dd"

const name = z
  .string()
  .min(1)
  .regex(/^[^!#$%*=<>;{}"]*$/)
const newApplicant = z.strictObject({ first_name: name, last_name: name })
const newRun = z.strictObject({
  workflow_id: z.enum([WORKFLOW, ACCREDITED]),
  applicant_id: z.uuid(),
  customer_user_id: z.string().max(256),
  tags: z.array(z.string().min(1).max(128)).max(30),
  link: z.strictObject({
    completed_redirect_url: z.url(),
    expired_redirect_url: z.url(),
    expires_at: z.iso.datetime(),
    language: z.enum(["en_US", "de_DE", "es_ES", "fr_FR", "it_IT", "pt_PT", "nl_NL"]).optional(),
  }),
})
type Run = z.infer<typeof newRun> & {
  id: string
  status: string
  updated_at: string
  output: object | null
  reasons: string[]
}

const statuses: Partial<Record<Outcome, string>> = {
  approved: "approved",
  rejected: "declined",
  withdrawn: "declined",
  resubmission_requested: "error",
  in_review: "review",
  expired: "abandoned",
}

export type OnfidoDouble = VendorDouble & {
  /** Sets the status of a run, even to an unknown one. */
  setStatus(reference: string, status: string): void
  /** The number of applicants for a person. */
  applicants(investorId: string): number
  /** Creates a monitor for the person of a run. Returns the webhook of new matches. */
  watch(reference: string): string
}

/**
 * Onfido (https://documentation.onfido.com/api/latest): an applicant, then a run of a workflow. It refuses the same
 * names, tags and unknown fields as Onfido, and has no idempotency keys.
 */
export async function startOnfido(): Promise<OnfidoDouble> {
  const applicants = new Map<string, z.infer<typeof newApplicant>>()
  const runs = new Map<string, Run>()
  const monitors = new Map<string, string>()
  /** Applicants scheduled for deletion with their runs. */
  const leaving = new Set<string>()
  const deleted = new Set<string>()
  const http = await startHttpDouble((asked) => answer(asked))

  const shown = (run: Run) => ({
    ...run,
    workflow_version_id: 3,
    dashboard_url: `https://dashboard.onfido.com/results/${run.id}`,
    sdk_token: null,
    error: run.status === "error" ? { type: "error", message: "A task failed" } : null,
    created_at: run.updated_at,
    link: { ...run.link, url: http.pageUrl(`f/${run.id}`) },
  })

  function answer({ method, path, headers, json }: Asked): Answered {
    if (headers.authorization !== `Token token=${API_TOKEN}`) return refused(401, "Authorization error")
    if (!path.startsWith("/v3.6/")) return refused(404, "Unknown version")
    if (method === "POST" && headers["content-type"] !== "application/json") return refused(415, "JSON, please")
    const url = new URL(path.slice("/v3.6".length), http.origin)
    const [, kind, id] = /^\/(\w+)(?:\/([\w-]+))?$/.exec(url.pathname) ?? []
    switch (`${method} ${kind}${id === undefined ? "" : "/"}`) {
      case "POST applicants": {
        const parsed = newApplicant.safeParse(json)
        if (!parsed.success) return refused(422, parsed.error.issues[0]!.message)
        const made = randomUUID()
        applicants.set(made, parsed.data)
        return { status: 201, json: { id: made, ...parsed.data, sandbox: true } }
      }
      case "DELETE applicants/":
        if (!applicants.has(id!)) return refused(404, "Applicant not found")
        if (leaving.has(id!)) return refused(422, "The applicant is scheduled for deletion")
        // Onfido deletes the applicant and its runs after some days.
        leaving.add(id!)
        for (const run of runs.values()) if (run.applicant_id === id) deleted.add(run.id)
        return { status: 204 }
      case "GET applicants/": {
        const found = applicants.get(id!)
        if (found === undefined) return refused(404, "Applicant not found")
        return {
          status: 200,
          json: { id, ...found, delete_at: leaving.has(id!) ? "2026-12-24T00:00:00Z" : null },
        }
      }
      case "POST workflow_runs": {
        const parsed = newRun.safeParse(json)
        if (!parsed.success) return refused(422, parsed.error.issues[0]!.message)
        if (!applicants.has(parsed.data.applicant_id)) return refused(422, "There is no such applicant")
        if (new Date(parsed.data.link.expires_at) <= new Date()) return refused(422, "expires_at is in the past")
        const made: Run = {
          ...parsed.data,
          id: randomUUID(),
          status: "awaiting_input",
          updated_at: new Date().toISOString(),
          output: null,
          reasons: [],
        }
        runs.set(made.id, made)
        return { status: 201, json: shown(made) }
      }
      case "GET workflow_runs": {
        const [tags, applicant] = [url.searchParams.get("tags"), url.searchParams.get("applicant_id")]
        const found = [...runs.values()].filter(
          (run) =>
            (tags === null || tags.split(",").every((tag) => run.tags.includes(tag))) &&
            (applicant === null || run.applicant_id === applicant),
        )
        return { status: 200, json: found.reverse().slice(0, 20).map(shown) }
      }
      case "GET workflow_runs/": {
        const found = runs.get(id!)
        return found ? { status: 200, json: shown(found) } : refused(404, "Workflow run not found")
      }
      case "GET watchlist_monitors/": {
        const applicant_id = monitors.get(id!)
        if (applicant_id === undefined) return refused(404, "Monitor not found")
        return { status: 200, json: { id, applicant_id, report_name: "watchlist_aml", is_sandbox: true } }
      }
      default:
        return refused(404, "Not found")
    }
  }

  const webhook = (action: string, id: string, status: string, resource: object = {}, at: Date = new Date()) =>
    JSON.stringify({
      payload: {
        resource_type: action.split(".")[0],
        action,
        object: {
          id,
          status,
          completed_at_iso8601: at.toISOString(),
          href: `https://api.eu.onfido.com/v3.6/workflow_runs/${id}`,
        },
        resource: { id, ...resource },
      },
    })

  const watch = (reference: string, at?: Date) => {
    const monitor = randomUUID()
    monitors.set(monitor, runs.get(reference)!.applicant_id)
    return webhook("watchlist_monitor.matches_updated", monitor, "complete", {}, at)
  }

  return {
    ...http,
    settings: {
      VOUCH_ONFIDO_REGION: "eu",
      VOUCH_ONFIDO_URL: http.origin,
      VOUCH_ONFIDO_API_TOKEN: API_TOKEN,
      VOUCH_ONFIDO_WEBHOOK_TOKEN: WEBHOOK_TOKEN,
      VOUCH_ONFIDO_WORKFLOWS: `${WORKFLOW}, accredited_investor_v1=${ACCREDITED}`,
    },
    wrongSettings: {
      VOUCH_ONFIDO_REGION: "eu",
      VOUCH_ONFIDO_URL: http.origin,
      VOUCH_ONFIDO_API_TOKEN: "api_sandbox.another-token",
      VOUCH_ONFIDO_WEBHOOK_TOKEN: WEBHOOK_TOKEN,
      VOUCH_ONFIDO_WORKFLOWS: WORKFLOW,
    },
    secrets: [API_TOKEN, WEBHOOK_TOKEN],
    personal: ["Jane", "1990-01-01", "999999999"],
    opened: ({ investorId }) => [...runs.values()].filter((run) => run.customer_user_id === investorId).length,
    applicants: (investorId) => [...applicants.values()].filter(({ last_name }) => last_name === investorId).length,
    decide({ reference }, outcome, at = new Date()) {
      const found = runs.get(reference!)!
      const status = statuses[outcome]!
      found.status = status
      found.updated_at = at.toISOString()
      found.reasons = status === "declined" ? ["Fraudulent document"] : []
      found.output = {
        date_of_birth: "1990-01-01",
        document_number: "999999999",
        first_name: "Jane",
        issuing_country: "GBR",
        last_name: "Doe",
        ...(found.workflow_id === ACCREDITED ? { accredited: true } : {}),
      }
      return webhook("workflow_run.completed", found.id, status, shown(found))
    },
    submit({ reference }) {
      runs.get(reference!)!.status = "processing"
      const task = `document_check_${randomUUID().slice(0, 8)}`
      return webhook("workflow_task.started", task, "started", { workflow_run_id: reference })
    },
    signal: ({ reference }, _signal, at) => [watch(reference!, at)],
    silent({ reference }) {
      const id = reference ?? randomUUID()
      return [
        webhook("workflow_task.started", "profile_1eb92", "started", { workflow_run_id: id }),
        webhook("workflow_task.completed", "document_check_1", "completed", { workflow_run_id: id }),
        webhook("check.completed", id, "complete"),
        webhook("workflow_run_evidence_folder.created", id, "created"),
        webhook("workflow_run.something_new", id, "approved"),
        // About a run that the API shows as waiting for the investor.
        webhook("workflow_run.completed", id, "approved", { status: "approved" }),
      ]
    },
    sign: (body, { secret = WEBHOOK_TOKEN } = {}) => ({
      "content-type": "application/json",
      "x-sha2-signature": createHmac("sha256", secret).update(body).digest("hex"),
    }),
    redacted: (reference) => deleted.has(reference),
    setStatus(reference, status) {
      runs.get(reference)!.status = status
    },
    watch,
  }
}
