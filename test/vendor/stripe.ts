import { createHmac, randomUUID } from "node:crypto"
import { z } from "zod"
import type { Signal } from "#server/domain/providers/provider.ts"
import type { OurSession, Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, startHttpDouble } from "./http-double.ts"
import { keyedAnswers } from "./keyed-answers.ts"

const KEY = "rk_test_51MxExampleExampleExample"
const SECRET = "whsec_1b3f0c1d2e3f405162738495a6b7c8d9"
const VERSION = "2026-10-28.endive"
const FLOW = "vf_1MxExampleFlow0123"

const common = { client_reference_id: z.string().min(1).max(200), return_url: z.url() }
/** The form fields that Stripe accepts. It refuses others. */
const creation = z.union([
  z.strictObject({ ...common, verification_flow: z.literal(FLOW) }),
  z.strictObject({
    ...common,
    type: z.enum(["document", "id_number"]),
    "options[document][require_live_capture]": z.literal("true").optional(),
    "options[document][require_matching_selfie]": z.literal("true").optional(),
  }),
])

const expandable = ["verified_outputs", "last_verification_report", "verified_outputs.dob"]

type Session = {
  id: string
  params: z.infer<typeof creation>
  status: "requires_input" | "processing" | "verified" | "canceled"
  lastError: { code: string; reason: string } | null
  reportedAt: number | null
  isRedacted: boolean
}

const results: Partial<Record<Outcome, { status: Session["status"]; code?: string; event: string }>> = {
  approved: { status: "verified", event: "verified" },
  rejected: { status: "requires_input", code: "document_unverified_other", event: "requires_input" },
  resubmission_requested: { status: "requires_input", code: "selfie_face_mismatch", event: "requires_input" },
  expired: { status: "canceled", event: "canceled" },
}

/**
 * Stripe Identity (https://docs.stripe.com/api/identity/verification_sessions): requires a Bearer key, an API version
 * and forms without unknown parameters. It stores responses by idempotency key, failures too. Its addresses open once,
 * and its webhooks sign the time.
 */
export async function startStripe({ mayReadBirthDate = true, failed = "resubmission_requested" } = {}) {
  const sessions = new Map<string, Session>()
  const links = new Map<string, { session: string; isUsed: boolean }>()
  const keyed = keyedAnswers()

  const http = await startHttpDouble((asked) => problemOf(asked) ?? answer(asked))

  function answer({ method, path, headers, body }: Asked): Answered {
    const { pathname, searchParams } = new URL(path, http.origin)
    if (pathname === "/v1/identity/verification_sessions") {
      if (method === "GET") return { status: 200, json: { object: "list", data: [], has_more: false } }
      return keyed.answer(headers["idempotency-key"], body, () => create(body.toString()))
    }
    const [, id, action] = /^\/v1\/identity\/verification_sessions\/(vs_\w+)(\/redact)?$/.exec(pathname) ?? []
    const session = id === undefined ? undefined : sessions.get(id)
    if (session === undefined) return refused(404, "No such verification session")
    if (action !== undefined) {
      if (method !== "POST") return refused(404, "Unrecognized request URL")
      if (session.status === "processing") return refused(400, "The session is processing")
      // "Redacted objects cannot be used for any purpose."
      if (session.isRedacted) return refused(400, "The session is redacted")
      session.isRedacted = true
      return { status: 200, json: shown(session, []) }
    }
    if (method !== "GET") return refused(404, "Unrecognized request URL")
    const expand = searchParams.getAll("expand[]")
    if (
      [...searchParams.keys()].some((name) => name !== "expand[]") ||
      !expand.every((one) => expandable.includes(one))
    )
      return refused(400, "This property cannot be expanded")
    if (expand.includes("verified_outputs.dob") && !mayReadBirthDate)
      return refused(403, "The provided key does not have the required permissions")
    return { status: 200, json: shown(session, expand) }
  }

  function create(text: string): Answered {
    const entries = [...new URLSearchParams(text)]
    const parsed = creation.safeParse(Object.fromEntries(entries))
    if (!parsed.success) return refused(400, "Received unknown parameter")
    const session: Session = {
      id: `vs_${randomUUID().replaceAll("-", "").slice(0, 24)}`,
      params: parsed.data,
      status: "requires_input",
      lastError: null,
      reportedAt: null,
      isRedacted: false,
    }
    sessions.set(session.id, session)
    return { status: 200, json: shown(session, []) }
  }

  /** A new address for each request, while something is left to submit. */
  function urlOf({ id, status }: Session): string | null {
    if (status !== "requires_input") return null
    const ticket = `test_${randomUUID()}`
    links.set(ticket, { session: id, isUsed: false })
    return http.pageUrl(`start/${ticket}`)
  }

  const shown = (session: Session, expand: string[]) => ({
    id: session.id,
    object: "identity.verification_session",
    client_reference_id: session.params.client_reference_id,
    client_secret: `${session.id}_secret_${randomUUID()}`,
    created: 1_790_000_000,
    last_error: session.lastError,
    livemode: false,
    redaction: session.isRedacted ? { status: "processing" } : null,
    status: session.status,
    type: "type" in session.params ? session.params.type : "document",
    url: urlOf(session),
    last_verification_report: !expand.includes("last_verification_report")
      ? session.reportedAt && "vr_1Mx"
      : session.reportedAt && {
          id: "vr_1Mx",
          object: "identity.verification_report",
          created: session.reportedAt,
          document: { status: "verified", issuing_country: "FR", first_name: "Grace", number: null },
        },
    ...(expand.includes("verified_outputs") &&
      session.status === "verified" && {
        verified_outputs: {
          first_name: "Grace",
          last_name: "Hopper",
          address: { line1: "1 Rue de Rivoli", city: "Paris", country: "FR" },
          ...(expand.includes("verified_outputs.dob") && { dob: { day: 9, month: 12, year: 1986 } }),
        },
      }),
  })

  function bring(reference: string, status: Session["status"], code: string | null = null, at = new Date()): void {
    const session = sessions.get(reference)!
    session.status = status
    session.lastError = code === null ? null : { code, reason: "The document of Grace Hopper is worn." }
    // An investor who gave up was not checked.
    if (code !== "abandoned" && code !== "consent_declined") session.reportedAt = Math.floor(at.getTime() / 1000)
  }

  /** The body of any event. */
  function event(
    type: string,
    id: string,
    {
      at = new Date(),
      eventId = `evt_${randomUUID()}`,
      code = null as string | null,
      object = "verification_session",
    } = {},
  ): string {
    const { client_reference_id } = sessions.get(id)?.params ?? { client_reference_id: null }
    return JSON.stringify({
      id: eventId,
      object: "event",
      api_version: VERSION,
      created: Math.floor(at.getTime() / 1000),
      data: {
        object: {
          id,
          object: `identity.${object}`,
          client_reference_id,
          last_error: code === null ? null : { code, reason: "The document of Grace Hopper could not be verified." },
          status: sessions.get(id)?.status ?? "requires_input",
        },
      },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    })
  }

  return {
    ...http,
    settings: {
      VOUCH_STRIPE_URL: http.origin,
      VOUCH_STRIPE_SECRET_KEY: KEY,
      VOUCH_STRIPE_WEBHOOK_SECRET: SECRET,
      VOUCH_STRIPE_FLOWS: `document, accredited_investor_v1=${FLOW}`,
      VOUCH_STRIPE_FAILED: failed,
    } as Record<string, string>,
    wrongSettings: {
      VOUCH_STRIPE_URL: http.origin,
      VOUCH_STRIPE_SECRET_KEY: "rk_test_OfSomebodyElse",
      VOUCH_STRIPE_WEBHOOK_SECRET: SECRET,
    },
    secrets: [KEY, SECRET, "/page/start/", "_secret_"],
    personal: ["Grace", "Hopper", "1986", "Rue de Rivoli"],
    secret: SECRET,
    flow: FLOW,
    version: VERSION,
    sessions: (investorId: string) =>
      [...sessions.values()].filter(({ params }) => params.client_reference_id === investorId),
    opened: ({ investorId }: OurSession) =>
      [...sessions.values()].filter(({ params }) => params.client_reference_id === investorId).length,
    /** A browser opens an address: true once. */
    visit(url: string): boolean {
      const link = links.get(new URL(url).pathname.split("/").at(-1)!)
      if (link === undefined || link.isUsed) return false
      link.isUsed = true
      return true
    },
    /** An outage whose responses are stored under the requests' idempotency keys, like Stripe's. */
    breakDown: keyed.breakDown,
    bring,
    event,
    decide({ reference }: OurSession, outcome: Outcome, at = new Date()): string {
      const result = results[outcome]
      if (result === undefined) throw new Error(`Stripe has no result for ${outcome}`)
      const { status, code = null, event: name } = result
      bring(reference!, status, code, at)
      return event(`identity.verification_session.${name}`, reference!, { at, code })
    },
    submit({ reference }: OurSession): string {
      bring(reference!, "processing", null, new Date())
      return event("identity.verification_session.processing", reference!)
    },
    signal: ({ reference }: OurSession, _signal: Signal, at = new Date()): string[] => [
      event("identity.verification_session.redacted", reference!, { at }),
    ],
    silent({ reference }: OurSession): string[] {
      const id = reference ?? "vs_of_nobody"
      const of = (name: string) => event(`identity.verification_session.${name}`, id)
      return [
        ...(reference === null ? [of("processing"), of("verified"), of("requires_input")] : []),
        of("created"),
        event("payment_intent.succeeded", "pi_1Mx", { object: "payment_intent" }),
        event("something.new_of_next_year", id),
      ]
    },
    sign(body: string, { secret = SECRET, at = new Date() } = {}) {
      const seconds = Math.floor(at.getTime() / 1000)
      const mac = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
      return { "content-type": "application/json", "stripe-signature": `t=${seconds},v1=${mac}` }
    },
    redacted: (reference: string) => sessions.get(reference)!.isRedacted,
  } satisfies VendorDouble & Record<string, unknown>
}

function problemOf({ method, headers, body }: Asked): Answered | null {
  if (headers.authorization !== `Bearer ${KEY}`) return refused(401, "Invalid API Key provided")
  if (headers["stripe-version"] !== VERSION) return refused(400, "Invalid Stripe API version")
  if (method === "POST" && headers["content-type"] !== "application/x-www-form-urlencoded")
    return refused(400, "Send a form")
  if (method !== "POST" && body.length > 0) return refused(400, "Unexpected body")
  return null
}

const refused = (status: number, message: string): Answered => ({
  status,
  json: { error: { type: "invalid_request_error", message } },
})
