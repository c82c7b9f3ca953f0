import { z } from "zod"
import type { Claims } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import {
  defineProvider,
  type ProviderDecision,
  type SessionToVerify,
  SUBMITTED,
  type VendorSession,
} from "./provider.ts"
import { isSignedWithTime } from "./signatures.ts"
import { decide, decidedAt, linkTo, readBody } from "./vendor-answers.ts"
import { createOnce, VendorTrouble, vendorApi, vendorId } from "./vendor-api.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorSecrets, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Stripe Identity"

/** Version of Stripe's API, the same as the official library's in our tests. */
const VERSION = "2026-10-28.endive"

/** An address works once, within two days: https://docs.stripe.com/identity/verification-sessions. */
const link = { seconds: 48 * 3600, singleUse: true }

const lastError = z
  .object({
    code: z
      .string()
      .regex(/^\w{1,60}$/)
      .nullish()
      .catch(null),
  })
  .nullish()
const opened = z.object({ id: vendorId, status: z.string(), url: z.string().nullish() })
const verification = z.object({
  id: z.string(),
  status: z.string(),
  created: z.number(),
  last_error: lastError,
  last_verification_report: z
    .object({
      created: z.number(),
      document: z.object({ issuing_country: z.string().nullish() }).nullish(),
    })
    .nullish(),
  verified_outputs: z
    .object({
      address: z.object({ country: z.string().nullish() }).nullish(),
      dob: z.object({ year: z.number().nullish(), month: z.number().nullish(), day: z.number().nullish() }).nullish(),
    })
    .nullish(),
})
type Verification = z.infer<typeof verification>

/** Null if no one requested a redaction. One in progress completes by itself. */
const redacted = z.object({ redaction: z.object({ status: z.string() }).nullable().default(null) })

const webhook = z.object({
  id: vendorId,
  type: z.string(),
  created: z.number(),
  data: z.object({ object: z.object({ id: vendorId, last_error: lastError }) }),
})

const EVENT = "identity.verification_session."
/** The events to subscribe to. */
const EVENTS = ["processing", "verified", "requires_input", "canceled", "redacted"] as const

/** Codes that mean that nothing was checked, so the investor may continue. */
const NOTHING_CHECKED = new Set(["abandoned", "consent_declined"])

const publicReasonOf: Record<string, PublicReason> = {
  document_expired: "documents_unreadable",
  document_type_not_supported: "documents_unreadable",
  document_unverified_other: "documents_unreadable",
  selfie_document_missing_photo: "documents_unreadable",
  selfie_face_mismatch: "information_mismatch",
  id_number_mismatch: "information_mismatch",
  country_not_supported: "not_eligible",
  under_supported_age: "not_eligible",
}

/** https://docs.stripe.com/identity. Stripe does not reject people: a setting says what a failed check means. */
export const stripe = defineProvider({
  name: "stripe",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook, origin }) => [
    { where: "Dashboard > Developers > Webhooks > Add destination > Endpoint URL", enter: webhook },
    { where: "… > Events", enter: EVENTS.map((event) => `${EVENT}${event}`).join(", ") },
    { where: "… > API version", enter: VERSION },
    {
      where: "Developers > API keys > Create restricted key",
      enter: "Identity: write; recent detailed verification results: read",
    },
    { where: "Settings > Identity > Use case, website", enter: origin },
  ],
  settings: z.object({
    STRIPE_SECRET_KEY: z
      .string()
      .regex(/^(sk|rk)_(live|test)_[A-Za-z0-9]{8,300}$/, "must be a secret or restricted key (sk_… or rk_…)"),
    STRIPE_WEBHOOK_SECRET: vendorSecrets().refine((secrets) => secrets.every((one) => one.startsWith("whsec_")), {
      error: "must be the signing secret of the webhook endpoint (whsec_…)",
    }),
    STRIPE_FLOWS: perSchema({
      what: "a verification flow (vf_…), document or id_number",
      pattern: /^(vf_[A-Za-z0-9]{1,100}|document|id_number)$/,
    }).prefault("document"),
    STRIPE_FAILED: z
      .enum(["resubmission_requested", "rejected"], { error: "must be resubmission_requested or rejected" })
      .default("resubmission_requested"),
    STRIPE_URL: vendorUrl.default("https://api.stripe.com"),
  }),
  create: (settings) => {
    const api = vendorApi({
      label: LABEL,
      origin: `${settings.STRIPE_URL}/v1/identity/verification_sessions`,
      headers: { authorization: `Bearer ${settings.STRIPE_SECRET_KEY}`, "stripe-version": VERSION },
    })
    const form = { "content-type": "application/x-www-form-urlencoded" }
    // Only a restricted key can have permission to read a date of birth:
    // https://docs.stripe.com/identity/access-verification-results.
    const mayReadBirthDate = settings.STRIPE_SECRET_KEY.startsWith("rk_")
    const at = (reference: string) => `/${encodeURIComponent(reference)}`

    const open = (session: SessionToVerify, key: string): Promise<VendorSession> =>
      createOnce(key, async (idempotencyKey) => {
        const body = new URLSearchParams({
          ...checksOf(settings.STRIPE_FLOWS.of(session.schemaId)),
          client_reference_id: session.investorId,
          return_url: session.returnUrl,
        }).toString()
        const headers = { ...form, "idempotency-key": idempotencyKey }
        const answer = opened.extend({ url: z.string() })
        const { id, url } = await api.call({ method: "POST", path: "", headers, body, answer })
        return linkTo(id, url, link)
      })

    const read = async (reference: string, expand: string[]): Promise<Verification> => {
      const query = expand.map((one) => `expand[]=${one}`).join("&")
      const found = await api.call({ path: `${at(reference)}?${query}`, answer: verification })
      api.requireAbout(reference, found.id)
      return found
    }

    /** Reads everything allowed. Stripe refuses the date of birth to a restricted key without the permission. */
    const readAll = async (reference: string): Promise<Verification> => {
      const expand = ["verified_outputs", "last_verification_report"]
      if (!mayReadBirthDate) return read(reference, expand)
      try {
        return await read(reference, [...expand, "verified_outputs.dob"])
      } catch (error) {
        if (!(error instanceof VendorTrouble) || (error.status !== 400 && error.status !== 403)) throw error
        return read(reference, expand)
      }
    }

    const reject = (code: string | null | undefined, occurredAt: Date): ProviderDecision => {
      const isChecked = !NOTHING_CHECKED.has(code ?? "")
      const publicReason = (isChecked && publicReasonOf[code ?? ""]) || null
      const reason = `${LABEL}: ${code ?? "not verified"}`
      return decide(isChecked ? settings.STRIPE_FAILED : "resubmission_requested", occurredAt, { reason, publicReason })
    }

    return {
      credentials: /^.._live_/.test(settings.STRIPE_SECRET_KEY) ? "live" : "test",
      flow: {
        kind: "redirect",
        createSession: (session) => open(session, session.sessionId),
        async resumeSession(session, reference) {
          const { id, status, url } = await api.call({ path: at(reference), answer: opened })
          api.requireAbout(reference, id)
          if (status === "requires_input" && url) return linkTo(reference, url, link)
          if (status === "canceled") return open(session, `${session.sessionId} after ${reference}`)
          // The session is submitted, so an investor who returns waits on our page.
          return linkTo(reference, session.returnUrl, link)
        },
        async readDecision(_session, reference) {
          const found = await readAll(reference)
          const { status, last_error, last_verification_report: report } = found
          const occurredAt = new Date((report?.created ?? found.created) * 1000)
          if (status === "processing") return SUBMITTED
          if (status === "canceled") return decide("expired", null, canceled)
          if (status === "verified") return decide("approved", occurredAt, { claims: claimsOf(found, occurredAt) })
          return status === "requires_input" && last_error ? reject(last_error.code, occurredAt) : null
        },
        redact: (reference) =>
          api.remove({ method: "POST", path: `${at(reference)}/redact`, headers: form, body: "" }, async () => {
            const found = await api.find({ path: at(reference), answer: redacted })
            return found?.redaction !== null
          }),
        async probe() {
          await api.call({ path: "?limit=1", answer: z.object({ data: z.array(z.unknown()) }) })
        },
      },
      isSigned: (headers, body) => isSignedWithTime(headers["stripe-signature"], body, settings.STRIPE_WEBHOOK_SECRET),
      readEvent(_headers, body) {
        const { id: eventId, type, created, data } = readBody(webhook, body)
        const about = { reference: data.object.id }
        const occurredAt = decidedAt(LABEL, new Date(created * 1000))
        switch (type) {
          case `${EVENT}processing`:
            return { eventId, about, says: { kind: SUBMITTED } }
          // The event does not contain the facts.
          case `${EVENT}verified`:
            return { eventId, about, says: { kind: "changed" } }
          case `${EVENT}requires_input`:
            return { eventId, about, says: { kind: "decision", ...reject(data.object.last_error?.code, occurredAt) } }
          case `${EVENT}canceled`:
            return { eventId, about, says: { kind: "decision", ...decide("expired", occurredAt, canceled) } }
          case `${EVENT}redacted`:
            return { eventId, about, says: { kind: "signal", signal: "data_deleted", occurredAt, reason: type } }
          default:
            return null
        }
      },
    }
  },
})

/** What to check: a flow of the dashboard, or the default checks with a live selfie. */
function checksOf(flow: string): Record<string, string> {
  if (flow.startsWith("vf_")) return { verification_flow: flow }
  if (flow !== "document") return { type: flow }
  return {
    type: flow,
    "options[document][require_live_capture]": "true",
    "options[document][require_matching_selfie]": "true",
  }
}

const canceled = { reason: `${LABEL}: canceled` }

function claimsOf({ verified_outputs: found, last_verification_report: report }: Verification, at: Date): Claims {
  const { year, month, day } = found?.dob ?? {}
  const two = (n: number | null | undefined) => String(n ?? "").padStart(2, "0")
  return {
    ...countryFrom(found?.address?.country, report?.document?.issuing_country),
    age_over_18: isOver18(`${year ?? ""}-${two(month)}-${two(day)}`, at),
  }
}
