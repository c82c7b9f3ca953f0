import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Claims } from "#shared/claims.ts"
import { defineProvider, type ProviderEvent, type SessionToVerify, type Signal } from "./provider.ts"
import { isHexHmac, isNow } from "./signatures.ts"
import { decide, decidedAt, linkTo, readBody } from "./vendor-answers.ts"
import { vendorApi, vendorId } from "./vendor-api.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorSecret, vendorSecrets, vendorUrl } from "./vendor-settings.ts"

/**
 * Whether Didit signed a webhook just now (https://docs.didit.me/integration/webhooks). `X-Signature` covers the exact
 * bytes. `X-Signature-V2` covers a canonical form of the JSON, in case a proxy has rewritten it. `X-Signature-Simple`
 * is ignored, because it does not cover the decision. A webhook without a signature is refused.
 */
function isSignedByDidit(headers: IncomingHttpHeaders, body: Buffer, secrets: readonly string[]): boolean {
  // Only the time in the body is signed, not the one in the header. Each attempt sends new ones.
  const at = headers["x-timestamp"]
  if (!isNow(at)) return false
  const event = read(body)
  // A body without a time would stay valid indefinitely. `readEvent` refuses it.
  if (event?.timestamp !== undefined && !(typeof event.timestamp === "number" && isNow(event.timestamp))) return false
  if (isHexHmac(headers["x-signature"], body, { secrets })) return true
  const meaning = headers["x-signature-v2"]
  if (meaning === undefined || event === null) return false
  const text = canonical(event)
  if (text === null) return false
  // Didit documents two forms, with and without the header's time in front. An older form escapes everything but ASCII.
  const forms = [text, escaped(text)].flatMap((form) => [`${at}:${form}`, form])
  return forms.some((form) => isHexHmac(meaning, form, { secrets }))
}

/** Parses the body, to read its time; null if it is not an object. */
function read(body: Buffer): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(body.toString("utf8"))
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** The deepest nesting that `canonical` serializes. A deeper body counts as not signed. */
const MAX_DEPTH = 32

/** JSON with sorted members and without spaces; 5.0 becomes 5. Null if it is nested too deeply. */
function canonical(value: unknown, depth = 0): string | null {
  if (depth > MAX_DEPTH) return null
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    const elements = value.map((one) => canonical(one, depth + 1))
    return elements.includes(null) ? null : `[${elements.join(",")}]`
  }
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => [JSON.stringify(name), canonical(one, depth + 1)] as const)
  if (members.some(([, text]) => text === null)) return null
  return `{${members.map(([name, text]) => `${name}:${text}`).join(",")}}`
}

const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches everything but ASCII
  text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const LABEL = "Didit"

/** How long a stored address is reused. After that Vouch requests the session again, and gets the same one. */
const LINK_SECONDS = 86_400

/** Exact texts: https://docs.didit.me/integration/verification-statuses. Other statuses decide nothing yet. */
const decisions = new Map([
  ["Approved", decide("approved", null)],
  ["Declined", decide("rejected", null, { reason: "Didit: declined" })],
  ["In Review", decide("in_review", null, { reason: "Didit: in review" })],
  ["Resubmitted", decide("resubmission_requested", null, { reason: "Didit: resubmission requested" })],
  ["Expired", decide("expired", null, { reason: "Didit: expired" })],
  ["Abandoned", decide("expired", null, { reason: "Didit: abandoned" })],
  // A person approved before whose document has expired.
  ["Kyc Expired", decide("rejected", null, { reason: "Didit: the document has expired", publicReason: "withdrawn" })],
])

const STATUS_UPDATED = "status.updated"
const USER_STATUS_UPDATED = "user.status.updated"

/** Status of a person, separate from that of their sessions: https://docs.didit.me/entities/lifecycle. */
const signalOf: ReadonlyMap<string, Signal> = new Map([
  ["FLAGGED", "case_opened"],
  ["BLOCKED", "person_deactivated"],
])

const opened = z.object({ session_id: vendorId, url: z.string() })

const state = z.string().nullish()
const found = z.object({
  session_id: z.string(),
  status: z.string(),
  id_verifications: z.array(z.object({ status: state, issuing_state: state, date_of_birth: state })).nullish(),
  poa_verifications: z.array(z.object({ status: state, issuing_state: state })).nullish(),
})

/** `timestamp` is when this attempt was sent, in seconds. */
const webhook = z.object({ webhook_type: z.string(), event_id: vendorId.nullish(), timestamp: z.number() })
const ofSession = z.object({
  session_id: vendorId,
  status: z.string(),
  /** When the status changed, in seconds. If an event lacks it, `timestamp` counts, which is signed too. */
  created_at: z.number().nullish(),
  decision: z
    .object({ aml_screenings: z.array(z.object({ status: state })).nullish() })
    .nullish()
    .catch(null),
})
const ofUser = z.object({ vendor_data: z.string().nullish(), status: z.string(), created_at: z.number().nullish() })

/** https://docs.didit.me. `vendor_data` is our id of the investor: Didit identifies its users by it. */
export const didit = defineProvider({
  name: "didit",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Console > API & Webhooks > Add destination > URL", enter: webhook },
    { where: "… > Webhook version", enter: "v3" },
    { where: "… > Subscribed events", enter: `${STATUS_UPDATED}, ${USER_STATUS_UPDATED}` },
    { where: "Your firewall, if it filters by source address", enter: "allow 18.203.201.92, which Didit sends from" },
  ],
  settings: z.object({
    DIDIT_API_KEY: vendorSecret(),
    DIDIT_WEBHOOK_SECRET: vendorSecrets(),
    DIDIT_WORKFLOWS: perSchema({
      what: "a workflow's id",
      pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    }),
    DIDIT_URL: vendorUrl.default("https://verification.didit.me"),
  }),
  create: (settings) => {
    const headers = { "x-api-key": settings.DIDIT_API_KEY }
    const api = vendorApi({ label: LABEL, origin: settings.DIDIT_URL, headers })
    const at = (reference: string, more: string) => `/v3/session/${encodeURIComponent(reference)}/${more}/`

    /** Didit returns an unfinished session of the same person and workflow again, so this can be repeated. */
    const open = async ({ schemaId, investorId, returnUrl, language }: SessionToVerify) => {
      const body = {
        workflow_id: settings.DIDIT_WORKFLOWS.of(schemaId),
        vendor_data: investorId,
        callback: returnUrl,
        language: language ?? undefined,
      }
      const { session_id, url } = await api.call({ method: "POST", path: "/v3/session/", body, answer: opened })
      return linkTo(session_id, url, { seconds: LINK_SECONDS })
    }

    return {
      flow: {
        kind: "redirect",
        createSession: open,
        resumeSession: open,
        async readDecision(_session, reference) {
          const decision = await api.call({ path: at(reference, "decision"), answer: found })
          api.requireAbout(reference, decision.session_id)
          const decided = decisions.get(decision.status)
          if (decided?.decision !== "approved") return decided ?? null
          return { ...decided, claims: claimsOf(decision, clock.now()) }
        },
        async redact(reference) {
          await api.find({ method: "DELETE", path: at(reference, "delete"), answer: z.unknown() })
        },
        async probe() {
          await api.call({ path: "/v3/sessions/?limit=1", answer: z.object({ results: z.array(z.unknown()) }) })
        },
      },
      isSigned: (headers, body) => isSignedByDidit(headers, body, settings.DIDIT_WEBHOOK_SECRET),
      readEvent(_headers, body) {
        const { webhook_type, event_id, timestamp } = readBody(webhook, body)
        if (webhook_type === USER_STATUS_UPDATED) return readUserEvent(readBody(ofUser, body), event_id, timestamp)
        if (webhook_type !== STATUS_UPDATED) return null
        const { session_id, status, created_at, decision } = readBody(ofSession, body)
        const decided = decisions.get(status)
        if (decided === undefined) return null
        const changed = created_at ?? timestamp
        const occurredAt = decidedAt(LABEL, new Date(changed * 1000))
        const eventId = event_id ?? `${session_id} ${status} ${changed}`
        const about = { reference: session_id }
        // Didit's API has the final status of an approval, and the facts.
        if (decided.decision === "approved") return { eventId, about, says: { kind: "changed", occurredAt } }
        // Didit puts a person found on a list after the approval under review again, as a reviewer would.
        const isListed = decision?.aml_screenings?.some((one) => isHit(one.status)) ?? false
        const afterApproval = isListed ? "watchlist_match" : "case_opened"
        return { eventId, about, says: { kind: "decision", afterApproval, ...decided, occurredAt } }
      },
    }
  },
})

/** Whether a screening's score is above the threshold. */
const isHit = (status: string | null | undefined) => status === "In Review" || status === "Declined"

function readUserEvent(
  { vendor_data: person, status, created_at }: z.infer<typeof ofUser>,
  event_id: string | null | undefined,
  timestamp: number,
): ProviderEvent | null {
  const signal = signalOf.get(status)
  if (signal === undefined || !person || !isId("inv", person)) return null
  const changed = created_at ?? timestamp
  const occurredAt = decidedAt(LABEL, new Date(changed * 1000))
  const reason = `${LABEL}: ${status.toLowerCase()}`
  return {
    eventId: event_id ?? `${person} ${status} ${changed}`,
    about: { investorId: person },
    says: { kind: "signal", signal, occurredAt, reason },
  }
}

function claimsOf({ id_verifications, poa_verifications }: z.infer<typeof found>, at: Date): Claims {
  const document = id_verifications?.find(({ status }) => status === "Approved")
  const residence = poa_verifications?.find(({ status }) => status === "Approved")
  return {
    ...countryFrom(residence?.issuing_state, document?.issuing_state),
    age_over_18: isOver18(document?.date_of_birth, at),
  }
}
