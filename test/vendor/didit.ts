import { createHmac, randomUUID } from "node:crypto"
import { z } from "zod"
import type { Signal } from "#server/domain/providers/provider.ts"
import type { OurSession, Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, startHttpDouble } from "./http-double.ts"

const API_KEY = "IEkd5wLkXgSample0123456789"
const SECRET = "YK8mSampleWebhookSecret0123456789"
const WORKFLOWS = {
  individual: "11111111-2222-3333-4444-555555555555",
  accredited: "66666666-7777-8888-9999-000000000000",
}

/** The fields that Didit accepts. It refuses others. */
const creation = z.strictObject({
  workflow_id: z.enum(Object.values(WORKFLOWS)),
  vendor_data: z.string().min(1).max(200),
  callback: z.url(),
  language: z.string().length(2).optional(),
})

/** Sessions with these statuses are returned again for the same person and workflow. */
const UNFINISHED = ["Not Started", "In Progress", "Resubmitted", "Awaiting User"]

type Session = {
  id: string
  vendorData: string
  workflow: string
  callback: string
  status: string
  isDeleted: boolean
  times: number
}

const statusOf: Record<Outcome, string> = {
  approved: "Approved",
  rejected: "Declined",
  withdrawn: "Kyc Expired",
  resubmission_requested: "Resubmitted",
  in_review: "In Review",
  expired: "Expired",
}

/**
 * Didit (https://docs.didit.me): an API key in a header, unfinished sessions returned again, webhooks with three
 * signatures.
 */
export async function startDidit() {
  const sessions = new Map<string, Session>()

  const http = await startHttpDouble((asked) => problemOf(asked) ?? answer(asked))

  function answer({ method, path, json }: Asked): Answered {
    const { pathname } = new URL(path, http.origin)
    if (method === "GET" && pathname === "/v3/sessions/") return { status: 200, json: { count: 0, results: [] } }
    if (method === "POST" && pathname === "/v3/session/") return create(json)
    const [, id, action] = /^\/v3\/session\/([0-9a-f-]{36})\/(decision|delete)\/$/.exec(pathname) ?? []
    const session = id === undefined ? undefined : sessions.get(id)
    if (session === undefined || session.isDeleted) return refused(404, "Not found.")
    if (method === "GET" && action === "decision") return { status: 200, json: decisionOf(session) }
    if (method !== "DELETE" || action !== "delete") return refused(405, "Method not allowed.")
    session.isDeleted = true
    return { status: 204 }
  }

  function create(json: unknown): Answered {
    const parsed = creation.safeParse(json)
    if (!parsed.success) return refused(400, parsed.error.issues[0]!.message)
    const { workflow_id: workflow, vendor_data: vendorData, callback } = parsed.data
    const before = [...sessions.values()].find(
      (one) => one.vendorData === vendorData && one.workflow === workflow && UNFINISHED.includes(one.status),
    )
    const fresh = {
      id: randomUUID(),
      vendorData,
      workflow,
      callback,
      status: "Not Started",
      isDeleted: false,
      times: 0,
    }
    const session: Session = before ?? fresh
    session.callback = callback
    session.times += 1
    sessions.set(session.id, session)
    return {
      status: 201,
      json: {
        session_id: session.id,
        session_number: sessions.size,
        session_token: `token-${session.id}`,
        url: http.pageUrl(`session/token-${session.id}`),
        vendor_data: vendorData,
        status: session.status,
        callback,
        workflow_id: workflow,
      },
    }
  }

  function bring(reference: string, status: string): void {
    sessions.get(reference)!.status = status
  }

  /** The body of any event. */
  function event(
    id: string,
    status: string,
    {
      at = new Date(),
      sentAt = new Date(),
      eventId = randomUUID() as string,
      type = "status.updated",
      screening = "Approved",
    } = {},
  ): string {
    const { vendorData = null, workflow = WORKFLOWS.individual } = sessions.get(id) ?? {}
    return JSON.stringify({
      created_at: Math.floor(at.getTime() / 1000),
      decision: {
        aml_screenings: [{ node_id: "feature_aml", status: screening, hits: [{ caption: "José Pérez" }] }],
        id_verifications: [{ full_name: "José Pérez", score: 98.5 }],
        status,
      },
      environment: "sandbox",
      event_id: eventId,
      session_id: id,
      status,
      timestamp: Math.floor(sentAt.getTime() / 1000),
      vendor_data: vendorData,
      webhook_type: type,
      workflow_id: workflow,
    })
  }

  /** The body of an event about a person, not a session (https://docs.didit.me/entities/webhooks). */
  const userEvent = (vendorData: string | null, status: string, { at = new Date() } = {}): string =>
    JSON.stringify({
      created_at: Math.floor(at.getTime() / 1000),
      environment: "sandbox",
      event_id: randomUUID(),
      full_name: "José Pérez",
      previous_status: "ACTIVE",
      status,
      timestamp: Math.floor(Date.now() / 1000),
      vendor_data: vendorData,
      vendor_user_id: randomUUID(),
      webhook_type: "user.status.updated",
    })

  return {
    ...http,
    settings: {
      VOUCH_DIDIT_URL: http.origin,
      VOUCH_DIDIT_API_KEY: API_KEY,
      VOUCH_DIDIT_WEBHOOK_SECRET: SECRET,
      VOUCH_DIDIT_WORKFLOWS: `${WORKFLOWS.individual}, accredited_investor_v1=${WORKFLOWS.accredited}`,
    } as Record<string, string>,
    wrongSettings: {
      VOUCH_DIDIT_URL: http.origin,
      VOUCH_DIDIT_API_KEY: "a-key-of-someone-else",
      VOUCH_DIDIT_WEBHOOK_SECRET: SECRET,
      VOUCH_DIDIT_WORKFLOWS: WORKFLOWS.individual,
    },
    secrets: [API_KEY, SECRET, "session/token-"],
    personal: ["José", "Pérez", "1986-03-14", "Calle Mayor"],
    secret: SECRET,
    workflows: WORKFLOWS,
    sessions: (investorId: string) => [...sessions.values()].filter((one) => one.vendorData === investorId),
    opened: ({ investorId }: OurSession) =>
      [...sessions.values()].filter((one) => one.vendorData === investorId).length,
    bring,
    event,
    userEvent,
    decide({ reference }: OurSession, outcome: Outcome, at = new Date()): string {
      bring(reference!, statusOf[outcome])
      return event(reference!, statusOf[outcome], { at })
    },
    signal({ reference, investorId }: OurSession, signal: Signal, at = new Date()): string[] {
      switch (signal) {
        case "watchlist_match":
          return [event(reference!, "In Review", { at, screening: "In Review" })]
        case "case_opened":
          return [event(reference!, "In Review", { at }), userEvent(investorId, "FLAGGED", { at })]
        case "person_deactivated":
          return [userEvent(investorId, "BLOCKED", { at })]
        case "data_deleted":
          return []
      }
    },
    silent({ reference, investorId }: OurSession): string[] {
      const id = reference ?? randomUUID()
      const decided = reference === null ? [event(id, "Approved"), event(id, "Declined")] : []
      return [
        ...decided,
        event(id, "Not Started"),
        event(id, "In Progress"),
        event(id, "Awaiting User"),
        // Didit's statuses are case-sensitive.
        event(id, "APPROVED"),
        event(id, "KYC Expired"),
        event(id, "Approved", { type: "data.updated" }),
        // About another customer's people, and about an active person.
        userEvent("customer-17", "BLOCKED"),
        userEvent(null, "FLAGGED"),
        userEvent("inv_nobody", "BLOCKED"),
        userEvent(investorId, "ACTIVE"),
        event(id, "Something New"),
      ]
    },
    sign(body: string, { secret = SECRET, at = new Date() } = {}) {
      const seconds = Math.floor(at.getTime() / 1000)
      return {
        "content-type": "application/json",
        "x-signature": createHmac("sha256", secret).update(body).digest("hex"),
        "x-timestamp": String(seconds),
      }
    },
    redacted: (reference: string) => sessions.get(reference)!.isDeleted,
  } satisfies VendorDouble & Record<string, unknown>
}

/** The session's facts: a list for each feature. */
const decisionOf = ({ id, vendorData, workflow, status }: Session) => ({
  session_id: id,
  session_kind: "user",
  status,
  environment: "sandbox",
  workflow_id: workflow,
  vendor_data: vendorData,
  features: ["ID_VERIFICATION", "LIVENESS"],
  id_verifications:
    status === "Not Started"
      ? null
      : [
          {
            node_id: "feature_ocr",
            status: "Approved",
            document_type: "Passport",
            issuing_state: "ESP",
            full_name: "José Pérez",
            date_of_birth: "1986-03-14",
            address: "Calle Mayor 1",
          },
        ],
  poa_verifications: null,
  reviews: [],
})

function problemOf({ method, headers, body }: Asked): Answered | null {
  if (headers["x-api-key"] !== API_KEY) return refused(403, "You do not have permission to perform this action.")
  if (method === "POST" && headers["content-type"] !== "application/json") return refused(415, "JSON, please")
  if (method !== "POST" && body.length > 0) return refused(400, "Unexpected body")
  return null
}

const refused = (status: number, detail: string): Answered => ({ status, json: { detail } })
