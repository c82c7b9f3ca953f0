import { createHmac, randomUUID } from "node:crypto"
import { z } from "zod"
import type { Signal } from "#server/domain/providers/provider.ts"
import type { OurSession, Outcome, VendorDouble } from "./fixture.ts"
import { type Answered, type Asked, startHttpDouble } from "./http-double.ts"
import { keyedAnswers } from "./keyed-answers.ts"
import { caseOf, newId, report } from "./persona-subjects.ts"

const API_KEY = "persona_sandbox_0f6f8f5e-2f9d-4f3e"
const SECRET = "wbhsec_5c5a3d1b-3b0e-4a2e"
const VERSION = "2025-12-08"
const TEMPLATES = {
  individual: "itmpl_Ygs16MKTkA6obnF8C3Rb17dm",
  accredited: "itmpl_W5aEXNiXk4YUu6Kp3Bw2qDyr",
}

/** The fields that Persona accepts. It refuses others. */
const creation = z.strictObject({
  data: z.strictObject({
    attributes: z.strictObject({
      "inquiry-template-id": z.enum(Object.values(TEMPLATES)),
      "redirect-uri": z.url(),
    }),
  }),
  meta: z.strictObject({
    "auto-create-account": z.literal(true),
    "auto-create-account-reference-id": z.string().min(1).max(255),
    "auto-create-one-time-link": z.literal(true),
  }),
})

type Inquiry = {
  id: string
  referenceId: string
  accountId: string
  templateId: string
  status: string
  times: Record<string, string | null>
  isRedacted: boolean
}

const statusOf: Record<Outcome, string> = {
  approved: "approved",
  rejected: "declined",
  withdrawn: "declined",
  resubmission_requested: "failed",
  in_review: "needs_review",
  expired: "expired",
}
const eventOf: Record<string, string> = {
  approved: "inquiry.approved",
  declined: "inquiry.declined",
  failed: "inquiry.failed",
  needs_review: "inquiry.marked-for-review",
  expired: "inquiry.expired",
}

/**
 * Persona (https://docs.withpersona.com): requires a Bearer key, an API version and kebab-case. It stores responses by
 * idempotency key, failures too. Its links open once, and its webhooks sign the time.
 */
export async function startPersona() {
  const inquiries = new Map<string, Inquiry>()
  /** Accounts by their reference. */
  const accounts = new Map<string, string>()
  const links = new Map<string, { inquiry: string; isUsed: boolean }>()
  const keyed = keyedAnswers()
  let count = 0

  const http = await startHttpDouble((asked) => problemOf(asked) ?? answer(asked))

  function answer({ method, path, headers, body, json }: Asked): Answered {
    const { pathname, searchParams } = new URL(path, http.origin)
    if (pathname === "/api/v1/inquiries") {
      if (method === "GET" && searchParams.get("page[size]") === "1")
        return { status: 200, json: { data: [], links: {} } }
      const owners = searchParams.get("filter[account-id]")?.split(",")
      if (method === "GET" && owners !== undefined) {
        if (!owners.every((owner) => /^act_\w+$/.test(owner))) return refused(400, "Invalid account id")
        const found = [...inquiries.values()].filter(({ accountId }) => owners.includes(accountId))
        return { status: 200, json: { data: found.map(shown), links: { next: null } } }
      }
      if (method !== "POST") return refused(404, "Record not found")
      return keyed.answer(headers["idempotency-key"], body, () => create(json))
    }
    const [, id, action] = /^\/api\/v1\/inquiries\/(inq_\w+)(\/generate-one-time-link)?$/.exec(pathname) ?? []
    const inquiry = id === undefined ? undefined : inquiries.get(id)
    if (inquiry === undefined) return refused(404, "Record not found")
    if (action !== undefined && method === "POST") {
      if (!["created", "pending", "expired"].includes(inquiry.status))
        return refused(422, `The inquiry is ${inquiry.status}`)
      if (inquiry.status === "expired") inquiry.status = "pending"
      return { status: 200, json: { data: shown(inquiry), meta: linkTo(inquiry) } }
    }
    if (method === "DELETE") {
      // Persona does not document its response to a repeat. The double refuses it.
      if (inquiry.isRedacted) return refused(409, "The inquiry is redacted")
      inquiry.isRedacted = true
      return { status: 200, json: { data: { ...shown(inquiry), attributes: { status: inquiry.status } } } }
    }
    if (method !== "GET") return refused(404, "Record not found")
    const fields = searchParams.get("fields[inquiry]")?.split(",") ?? []
    const { attributes } = shown(inquiry)
    const asked = Object.fromEntries(Object.entries(attributes).filter(([name]) => fields.includes(name)))
    return { status: 200, json: { data: { ...shown(inquiry), attributes: asked } } }
  }

  function create(json: unknown): Answered {
    const parsed = creation.safeParse(json)
    if (!parsed.success) return refused(400, parsed.error.issues[0]!.message)
    const { data, meta } = parsed.data
    const referenceId = meta["auto-create-account-reference-id"]
    const accountId = accounts.get(referenceId) ?? newId("act")
    accounts.set(referenceId, accountId)
    const inquiry: Inquiry = {
      id: newId("inq"),
      referenceId,
      accountId,
      templateId: data.attributes["inquiry-template-id"],
      status: "created",
      times: {},
      isRedacted: false,
    }
    inquiries.set(inquiry.id, inquiry)
    return { status: 201, json: { data: shown(inquiry), meta: linkTo(inquiry) } }
  }

  function linkTo({ id }: Inquiry) {
    const code = `us1-${randomUUID()}`
    links.set(code, { inquiry: id, isUsed: false })
    return { "one-time-link": http.pageUrl(`verify?code=${code}`), "one-time-link-short": null }
  }

  /** Sets an inquiry's status. */
  function bring(reference: string, status: string, at = new Date()): void {
    const inquiry = inquiries.get(reference)!
    const since = {
      needs_review: "marked-for-review-at",
      failed: "failed-at",
      expired: "expired-at",
      completed: "completed-at",
    }[status]
    inquiry.status = status
    inquiry.times = {
      ...inquiry.times,
      "updated-at": at.toISOString(),
      [since ?? "decisioned-at"]: at.toISOString(),
    }
  }

  /** The body of any webhook about an inquiry. */
  function event(
    name: string,
    id: string,
    { at = new Date(), eventId = `evt_${randomUUID()}`, type = "inquiry" } = {},
  ) {
    const { status = "created", referenceId = null } = inquiries.get(id) ?? {}
    const attributes = { status, "reference-id": referenceId, tags: [] }
    return eventAbout(name, { type, id, attributes }, { at, eventId })
  }

  /** The body of any webhook. */
  function eventAbout(name: string, data: object, { at = new Date(), eventId = `evt_${randomUUID()}` } = {}) {
    return JSON.stringify({
      data: {
        type: "event",
        id: eventId,
        attributes: {
          name,
          payload: { data, included: [] },
          "created-at": at.toISOString(),
          context: { "ip-address": "203.0.113.7", message: "José" },
          "redacted-at": null,
        },
      },
    })
  }

  return {
    ...http,
    settings: {
      VOUCH_PERSONA_URL: http.origin,
      VOUCH_PERSONA_API_KEY: API_KEY,
      VOUCH_PERSONA_WEBHOOK_SECRET: SECRET,
      VOUCH_PERSONA_TEMPLATES: `${TEMPLATES.individual}, accredited_investor_v1=${TEMPLATES.accredited}`,
      VOUCH_PERSONA_FAILED: "resubmission_requested",
    } as Record<string, string>,
    wrongSettings: {
      VOUCH_PERSONA_URL: http.origin,
      VOUCH_PERSONA_API_KEY: "persona_sandbox_of-someone-else",
      VOUCH_PERSONA_WEBHOOK_SECRET: SECRET,
      VOUCH_PERSONA_TEMPLATES: TEMPLATES.individual,
    },
    secrets: [API_KEY, SECRET, "code=us1-"],
    personal: ["Ada", "Lovelace", "1990-12-10", "Main St"],
    secret: SECRET,
    templates: TEMPLATES,
    inquiries: (investorId: string) => [...inquiries.values()].filter((one) => one.referenceId === investorId),
    opened: ({ investorId }: OurSession) =>
      [...inquiries.values()].filter((one) => one.referenceId === investorId).length,
    /** A browser opens a link: true once. */
    visit(url: string): boolean {
      const link = links.get(new URL(url).searchParams.get("code") ?? "")
      if (link === undefined || link.isUsed) return false
      link.isUsed = true
      return true
    },
    /** An outage whose responses are stored under the requests' idempotency keys, like Persona's. */
    breakDown: keyed.breakDown,
    bring,
    event,
    eventAbout,
    accountOf: (referenceId: string) => accounts.get(referenceId)!,
    decide({ reference }: OurSession, outcome: Outcome, at = new Date()): string {
      const status = statusOf[outcome]
      bring(reference!, status, at)
      return event(eventOf[status]!, reference!, { at })
    },
    submit({ reference }: OurSession): string {
      bring(reference!, "completed")
      return event("inquiry.completed", reference!)
    },
    signal({ reference, investorId }: OurSession, signal: Signal, at = new Date()): string[] {
      const account = accounts.get(investorId)!
      const person = (referenceId: string | null) => ({
        type: "account",
        id: account,
        attributes: { "reference-id": referenceId, "account-status": "Default" },
      })
      switch (signal) {
        case "watchlist_match":
          return [
            eventAbout("report/watchlist.matched", report({ account, inquiry: reference! }), { at }),
            // A report that names only the inquiry, not the account.
            eventAbout("report/adverse-media.matched", report({ inquiry: reference! }), { at }),
            eventAbout("report/politically-exposed-person.matched", report({ account }), { at }),
            eventAbout("report/crypto-address-watchlist.matched", report({ account }), { at }),
          ]
        case "case_opened":
          return [
            eventAbout("case.created", caseOf({ accounts: [account], inquiries: [] }), { at }),
            eventAbout("case.reopened", caseOf({ accounts: [], inquiries: [reference!] }), { at }),
            event("inquiry.marked-for-review", reference!, { at }),
          ]
        case "person_deactivated":
          return [
            eventAbout("account.archived", person(investorId), { at }),
            // As if the reference were on the webhook's blocklist.
            eventAbout("account.archived", person(null), { at }),
          ]
        case "data_deleted":
          return [eventAbout("account.redacted", person(investorId), { at })]
      }
    },
    silent({ reference, investorId }: OurSession): string[] {
      const id = reference ?? "inq_of_nobody"
      const approved = reference === null ? [event("inquiry.approved", id), event("inquiry.declined", id)] : []
      return [
        ...approved,
        event("inquiry.created", id),
        event("inquiry.started", id),
        ...(reference === null ? [event("inquiry.completed", id)] : []),
        event("inquiry.transitioned", id),
        event("verification.passed", `ver_${++count}`, { type: "verification/government-id" }),
        event("inquiry.approved", `case_${++count}`, { type: "case" }),
        event("something.new-of-next-year", id),
        // About an unknown person, or about no one.
        eventAbout("report/watchlist.matched", report({ account: newId("act") })),
        eventAbout("report/watchlist.matched", report({})),
        // Reports that are not list matches, searches without a match, and scheduled deletions.
        eventAbout("report/email-address.matched", report({ account: accounts.get(investorId) })),
        eventAbout("report/watchlist.ready", report({ account: accounts.get(investorId) })),
        event("case.resolved", newId("case"), { type: "case" }),
        event("inquiry.redacted", id),
        event("account.redacted", newId("act"), { type: "account" }),
        event("constructor", id),
      ]
    },
    sign(body: string, { secret = SECRET, at = new Date() } = {}) {
      return { "content-type": "application/json", "persona-signature": pair(body, secret, at) }
    },
    redacted: (reference: string) => inquiries.get(reference)!.isRedacted,
  } satisfies VendorDouble & Record<string, unknown>
}

/** One signature, in the header's form. */
export function pair(body: string, secret: string, at = new Date()): string {
  const seconds = Math.floor(at.getTime() / 1000)
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`
}

const shown = ({ id, referenceId, accountId, templateId, status, times, isRedacted }: Inquiry) => ({
  type: "inquiry",
  id,
  attributes: {
    status,
    "reference-id": referenceId,
    "redacted-at": isRedacted ? "2026-11-01T00:00:00.000Z" : null,
    "reviewer-comment": "Ada Lovelace looks well",
    "name-first": "Ada",
    "updated-at": null,
    "decisioned-at": null,
    "marked-for-review-at": null,
    "failed-at": null,
    "expired-at": null,
    ...times,
    fields: isRedacted
      ? {}
      : {
          "name-first": { type: "string", value: "Ada" },
          "name-last": { type: "string", value: "Lovelace" },
          birthdate: { type: "date", value: "1990-12-10" },
          "address-street-1": { type: "string", value: "123 Main St" },
          "address-country-code": { type: "string", value: "DE" },
          "selected-country-code": { type: "string", value: "FR" },
          "is-accredited": { type: "boolean", value: true },
          "identification-number": null,
        },
  },
  relationships: {
    account: { data: { type: "account", id: accountId } },
    "inquiry-template": { data: { type: "inquiry-template", id: templateId } },
  },
})

function problemOf({ method, headers, body }: Asked): Answered | null {
  if (headers.authorization !== `Bearer ${API_KEY}`) return refused(401, "Must be authenticated")
  if (headers["persona-version"] !== VERSION) return refused(400, "Invalid Persona-Version")
  if (headers["key-inflection"] !== "kebab") return refused(400, "Invalid Key-Inflection")
  if (method === "POST" && headers["content-type"] !== "application/json") return refused(415, "JSON, please")
  if (method !== "POST" && body.length > 0) return refused(400, "Unexpected body")
  return null
}

/** Errors are lists: https://docs.withpersona.com/errors. */
const refused = (status: number, title: string): Answered => ({ status, json: { errors: [{ title }] } })
