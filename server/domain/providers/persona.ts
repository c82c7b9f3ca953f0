import { z } from "zod"
import { clock } from "#server/lib/time.ts"
import type { Claims } from "#shared/claims.ts"
import type { Decision } from "#shared/statuses.ts"
import { aboutOf, signalOf, signals, subject } from "./persona-signals.ts"
import { defineProvider, type SessionToVerify, SUBMITTED, type VendorSession } from "./provider.ts"
import { isSignedWithTime } from "./signatures.ts"
import { decide, decidedAt, linkTo, readBody } from "./vendor-answers.ts"
import { createOnce, vendorApi, vendorId } from "./vendor-api.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorSecret, vendorSecrets, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Persona"

/** Version of Persona's API and webhooks: https://docs.withpersona.com/versioning. */
const VERSION = "2025-12-08"

/** A one-time link works for a day: https://docs.withpersona.com/inquiry-one-time-links. */
const link = { seconds: 86_400, singleUse: true }

const ATTRIBUTES = "status,updated-at,decisioned-at,marked-for-review-at,failed-at,expired-at,fields"

const time = z.iso.datetime({ offset: true }).nullish()
const fieldName = z.string().regex(/^[a-z0-9-]{1,100}$/)
const field = z.object({ value: z.unknown() }).nullish()
const inquiry = z.object({
  data: z.object({
    id: z.string(),
    attributes: z.object({
      status: z.string(),
      "updated-at": time,
      "decisioned-at": time,
      "marked-for-review-at": time,
      "failed-at": time,
      "expired-at": time,
      fields: z.record(z.string(), field).nullish(),
    }),
  }),
})
type Inquiry = z.infer<typeof inquiry>["data"]["attributes"]

const linked = z.object({ data: z.object({ id: vendorId }), meta: z.object({ "one-time-link": z.string() }) })

const webhook = z.object({
  data: z.object({
    type: z.literal("event"),
    id: vendorId,
    attributes: z.object({
      name: z.string(),
      "created-at": z.iso.datetime({ offset: true }),
      payload: z.object({ data: subject }),
    }),
  }),
})

/** The status does not show a redaction: https://docs.withpersona.com/api-reference/webhooks/inquiry-events. */
const redacted = z.object({ data: z.object({ attributes: z.object({ "redacted-at": time }) }) })

const inquiries = z.object({ data: z.array(subject) })

/** What an inquiry's status decides. `completed` is not an approval: a workflow or a reviewer approves. */
const decisionOf: Record<string, Decision> = {
  approved: "approved",
  declined: "rejected",
  needs_review: "in_review",
  expired: "expired",
}

/** The investor has submitted; a workflow or a reviewer decides. */
const COMPLETED = "completed"

/** The events to subscribe to, and the status that each reports. */
const statusOf: Record<string, string> = {
  "inquiry.completed": COMPLETED,
  "inquiry.approved": "approved",
  "inquiry.declined": "declined",
  "inquiry.marked-for-review": "needs_review",
  "inquiry.failed": "failed",
  "inquiry.expired": "expired",
}

/** Statuses in which the investor can continue the same inquiry. */
const RESUMABLE = new Set(["created", "pending", "expired"])

function since(status: string, at: Inquiry): Date {
  const known = {
    needs_review: at["marked-for-review-at"],
    failed: at["failed-at"],
    expired: at["expired-at"],
  }[status]
  return new Date(known ?? at["updated-at"] ?? at["decisioned-at"] ?? clock.now())
}

/** https://docs.withpersona.com. An inquiry is a session; an account is a person, known by our id of the investor. */
export const persona = defineProvider({
  name: "persona",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook, origin }) => [
    { where: "Dashboard > Webhooks > Create webhook > URL", enter: webhook },
    { where: "… > Enabled events", enter: [...Object.keys(statusOf), ...signals].join(", ") },
    { where: "… > API version", enter: VERSION },
    { where: "… > Key inflection", enter: "kebab" },
    {
      where: "… > Attribute blocklist",
      enter: "fields and everything personal, because Vouch does not read it from webhooks",
    },
    {
      where: "Inquiries > Templates > your template > Configure > Security > Allowed domains",
      enter: new URL(origin).host,
    },
    {
      where: "Workflows",
      enter: "one that approves or declines completed inquiries: without it, Persona leaves them undecided",
    },
  ],
  settings: z.object({
    PERSONA_API_KEY: vendorSecret(),
    PERSONA_WEBHOOK_SECRET: vendorSecrets(),
    PERSONA_TEMPLATES: perSchema({ what: "an inquiry template (itmpl_…)", pattern: /^itmpl_[A-Za-z0-9]{1,100}$/ }),
    PERSONA_FAILED: z
      .enum(["rejected", "resubmission_requested"], { error: "must be rejected or resubmission_requested" })
      .default("rejected"),
    PERSONA_COUNTRY_FIELD: fieldName.default("address-country-code"),
    PERSONA_ACCREDITED_FIELD: fieldName.optional(),
    PERSONA_URL: vendorUrl.default("https://api.withpersona.com"),
  }),
  create: (settings) => {
    const api = vendorApi({
      label: LABEL,
      origin: `${settings.PERSONA_URL}/api/v1`,
      headers: {
        authorization: `Bearer ${settings.PERSONA_API_KEY}`,
        "persona-version": VERSION,
        "key-inflection": "kebab",
      },
    })
    const at = (id: string) => `/inquiries/${encodeURIComponent(id)}`
    const environment = environmentOf(settings.PERSONA_API_KEY)
    const decided = (status: string): Decision | undefined =>
      status === "failed" ? settings.PERSONA_FAILED : decisionOf[status]

    const read = async (id: string): Promise<Inquiry> => {
      const { data } = await api.call({ path: `${at(id)}?fields[inquiry]=${ATTRIBUTES}`, answer: inquiry })
      api.requireAbout(id, data.id)
      return data.attributes
    }
    const open = ({ schemaId, investorId, returnUrl }: SessionToVerify, key: string): Promise<VendorSession> =>
      createOnce(key, async (idempotencyKey) => {
        const body = {
          data: {
            attributes: {
              "inquiry-template-id": settings.PERSONA_TEMPLATES.of(schemaId),
              "redirect-uri": returnUrl,
            },
          },
          meta: {
            "auto-create-account": true,
            "auto-create-account-reference-id": investorId,
            "auto-create-one-time-link": true,
          },
        }
        const headers = { "idempotency-key": idempotencyKey }
        const { data, meta } = await api.call({ method: "POST", path: "/inquiries", headers, body, answer: linked })
        return linkTo(data.id, meta["one-time-link"], link)
      })

    const claimsOf = ({ fields }: Inquiry, at: Date): Claims => {
      const value = (name: string) => fields?.[name]?.value
      const text = (name: string) => z.string().optional().catch(undefined).parse(value(name))
      const accredited = value(settings.PERSONA_ACCREDITED_FIELD ?? "")
      return {
        ...countryFrom(text(settings.PERSONA_COUNTRY_FIELD), text("selected-country-code")),
        age_over_18: isOver18(text("birthdate"), at),
        accredited: typeof accredited === "boolean" ? accredited : undefined,
      }
    }

    return {
      ...(environment === null ? {} : { credentials: environment }),
      // Persona's help, "Workflows Slack integration".
      pageOf: (inquiry) => `https://app.withpersona.com/dashboard/inquiries/${encodeURIComponent(inquiry)}`,
      flow: {
        kind: "redirect",
        createSession: (session) => open(session, session.sessionId),
        async resumeSession(session, reference) {
          const { status } = await read(reference)
          if (RESUMABLE.has(status)) {
            const path = `${at(reference)}/generate-one-time-link`
            const { data, meta } = await api.call({ method: "POST", path, body: {}, answer: linked })
            api.requireAbout(reference, data.id)
            return linkTo(reference, meta["one-time-link"], link)
          }
          if (decided(status) === "resubmission_requested")
            return open(session, `${session.sessionId} after ${reference}`)
          // The inquiry is submitted, so an investor who returns waits on our page.
          return linkTo(reference, session.returnUrl, link)
        },
        async readDecision(_session, reference) {
          const inquiry = await read(reference)
          if (inquiry.status === COMPLETED) return SUBMITTED
          const decision = decided(inquiry.status)
          if (decision === undefined) return null
          const occurredAt = since(inquiry.status, inquiry)
          if (decision === "approved") return decide(decision, occurredAt, { claims: claimsOf(inquiry, occurredAt) })
          return decide(decision, occurredAt, { reason: reasonOf(inquiry.status) })
        },
        async findReferences(accounts) {
          const query = `filter[account-id]=${encodeURIComponent(accounts)}&page[size]=100&fields[inquiry]=status`
          const { data } = await api.call({ path: `/inquiries?${query}`, answer: inquiries })
          const asked = new Set(accounts.split(","))
          return data.flatMap(({ id, relationships }) =>
            asked.has(relationships?.account?.data?.id ?? "") ? [id] : [],
          )
        },
        redact: (reference) =>
          api.remove({ method: "DELETE", path: at(reference) }, async () => {
            const path = `${at(reference)}?fields[inquiry]=redacted-at`
            const found = await api.find({ path, answer: redacted })
            return found === null || Boolean(found.data.attributes["redacted-at"])
          }),
        async probe() {
          const path = "/inquiries?page[size]=1&fields[inquiry]=status"
          await api.call({ path, answer: z.object({ data: z.array(z.unknown()) }) })
        },
      },
      isSigned: (headers, body) =>
        isSignedWithTime(headers["persona-signature"], body, settings.PERSONA_WEBHOOK_SECRET),
      readEvent(_headers, body) {
        const { id: eventId, attributes } = readBody(webhook, body).data
        const { type, id } = attributes.payload.data
        const { name } = attributes
        const signal = signalOf(name)
        if (signal !== null) {
          const about = aboutOf(attributes.payload.data)
          const occurredAt = decidedAt(LABEL, new Date(attributes["created-at"]))
          return about && { eventId, about, says: { kind: "signal", signal, occurredAt, reason: name } }
        }
        const status = Object.hasOwn(statusOf, name) ? statusOf[name] : undefined
        if (type !== "inquiry" || status === undefined) return null
        const about = { reference: id }
        if (status === COMPLETED) return { eventId, about, says: { kind: SUBMITTED } }
        const decision = decided(status)
        if (decision === undefined) return null
        const occurredAt = decidedAt(LABEL, new Date(attributes["created-at"]))
        // Read the facts from the API, so that webhooks need not contain personal data.
        if (decision === "approved") return { eventId, about, says: { kind: "changed" } }
        const says = decide(decision, occurredAt, { reason: reasonOf(status) })
        return { eventId, about, says: { kind: "decision", afterApproval: "case_opened", ...says } }
      },
    }
  },
})

function environmentOf(key: string): "live" | "test" | null {
  if (key.startsWith("persona_sandbox_")) return "test"
  return key.startsWith("persona_production_") ? "live" : null
}

const reasonOf = (status: string): string => `${LABEL}: ${status.replace("_", " ")}`
