import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import { isId } from "#server/lib/ids.ts"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { parse } from "#server/lib/validation.ts"
import type { Claims } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import { decidedAt } from "./event-time.ts"
import { isHexHmac } from "./hex-signature.ts"
import {
  defineProvider,
  type ProviderEvent,
  type SessionToVerify,
  type Signal,
  type VendorSession,
} from "./provider.ts"
import { isNow } from "./timed-signature.ts"
import { callVendor, findAtVendor, requireAbout, vendorId } from "./vendor-call.ts"
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
  if (typeof at !== "string" || !/^[1-9][0-9]{0,11}$/.test(at) || !isNow(Number(at))) return false
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

type StatusDecision = { decision: Decision; reason: string | null; publicReason: PublicReason | null }

/** Exact texts: https://docs.didit.me/integration/verification-statuses. Other statuses decide nothing yet. */
const decisions: ReadonlyMap<string, StatusDecision> = new Map([
  ["Approved", { decision: "approved", reason: null, publicReason: null }],
  ["Declined", { decision: "rejected", reason: "Didit: declined", publicReason: null }],
  ["In Review", { decision: "in_review", reason: "Didit: in review", publicReason: null }],
  ["Resubmitted", { decision: "resubmission_requested", reason: "Didit: resubmission requested", publicReason: null }],
  ["Expired", { decision: "expired", reason: "Didit: expired", publicReason: null }],
  ["Abandoned", { decision: "expired", reason: "Didit: abandoned", publicReason: null }],
  // A person approved before whose document has expired.
  ["Kyc Expired", { decision: "rejected", reason: "Didit: the document has expired", publicReason: "withdrawn" }],
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
const webhook = z.object({
  webhook_type: z.string(),
  event_id: vendorId.nullish(),
  timestamp: z.number(),
})
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
const ofUser = z.object({
  vendor_data: z.string().nullish(),
  status: z.string(),
  created_at: z.number().nullish(),
})

/** https://docs.didit.me. `vendor_data` is our id of the investor: Didit identifies its users by it. */
export const didit = defineProvider({
  name: "didit",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Console > API & Webhooks > Add destination > URL", enter: webhook },
    { where: "… > Webhook version", enter: "v3" },
    { where: "… > Subscribed events", enter: `${STATUS_UPDATED}, ${USER_STATUS_UPDATED}` },
    {
      where: "Your firewall, if it filters by source address",
      enter: "allow 18.203.201.92, which Didit sends from",
    },
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
    const headers = { "x-api-key": settings.DIDIT_API_KEY, accept: "application/json" }
    const at = (reference: string, more: string) =>
      `${settings.DIDIT_URL}/v3/session/${encodeURIComponent(reference)}/${more}/`

    /** Didit returns an unfinished session of the same person and workflow again, so this can be repeated. */
    const open = async (session: SessionToVerify): Promise<VendorSession> => {
      const made = await callVendor({
        label: LABEL,
        method: "POST",
        url: `${settings.DIDIT_URL}/v3/session/`,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({
          workflow_id: settings.DIDIT_WORKFLOWS.of(session.schemaId),
          vendor_data: session.investorId,
          callback: session.returnUrl,
          ...(session.language === null ? {} : { language: session.language }),
        }),
        answer: opened,
      })
      return {
        reference: made.session_id,
        url: made.url,
        usableUntil: addSeconds(clock.now(), LINK_SECONDS),
        singleUse: false,
      }
    }

    return {
      flow: {
        kind: "redirect",
        createSession: open,
        resumeSession: open,
        async readDecision(_session, reference) {
          const url = at(reference, "decision")
          const decision = await callVendor({ label: LABEL, method: "GET", url, headers, answer: found })
          requireAbout(LABEL, reference, decision.session_id)
          const decided = decisions.get(decision.status)
          if (decided === undefined) return null
          const claims = decided.decision === "approved" ? claimsOf(decision, clock.now()) : {}
          return { ...decided, occurredAt: null, claims }
        },
        async redact(reference) {
          const url = at(reference, "delete")
          await findAtVendor({ label: LABEL, method: "DELETE", url, headers, answer: z.unknown() })
        },
        async probe() {
          const url = `${settings.DIDIT_URL}/v3/sessions/?limit=1`
          const answer = z.object({ results: z.array(z.unknown()) })
          await callVendor({ label: LABEL, method: "GET", url, headers, answer })
        },
      },
      isSigned: (headers, body) => isSignedByDidit(headers, body, settings.DIDIT_WEBHOOK_SECRET),
      readEvent(_headers, body) {
        const json = plainJson(readJsonObject(body))
        const { webhook_type, event_id, timestamp } = parse(webhook, json)
        if (webhook_type === USER_STATUS_UPDATED) return readUserEvent(parse(ofUser, json), event_id, timestamp)
        if (webhook_type !== STATUS_UPDATED) return null
        const { session_id, status, created_at, decision } = parse(ofSession, json)
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
        return {
          eventId,
          about,
          says: { kind: "decision", afterApproval, ...decided, occurredAt, claims: {} },
        }
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
  return {
    eventId: event_id ?? `${person} ${status} ${changed}`,
    about: { investorId: person },
    says: {
      kind: "signal",
      signal,
      occurredAt: decidedAt(LABEL, new Date(changed * 1000)),
      reason: `${LABEL}: ${status.toLowerCase()}`,
    },
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
