import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import { defineProvider, type ProviderEvent, type ReadDecision, type SessionToVerify, SUBMITTED } from "./provider.ts"
import { digestOf, isHexHmac } from "./signatures.ts"
import { decide, linkTo, readBody, vendorTime } from "./vendor-answers.ts"
import { VendorTrouble, vendorApi } from "./vendor-api.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Veriff"
/** Veriff's sessions last seven days. Stop using an address a day earlier. */
const LINK_SECONDS = 6 * 86_400
/** An id that no session has. Asking about it shows whether the credentials are valid. */
const UNKNOWN_SESSION = "00000000-0000-4000-8000-000000000000"

/** Statuses with which other plans may refuse the Full Auto address. */
const REFUSALS = [400, 401, 403, 405, 422]

const KEY = /^[\w-]{8,200}$/
/** Several during a rotation: all are valid, and the first one signs. */
const SECRETS = /^[\w-]{8,200}(?: [\w-]{8,200}){0,3}$/
const id = z.string().regex(/^[\w-]{1,100}$/)

/** Read the status, not the code: Veriff's documents disagree on the meaning of codes. */
const decisions = new Map<string, Decision>([
  ["approved", "approved"],
  ["declined", "rejected"],
  ["resubmission_requested", "resubmission_requested"],
  ["expired", "expired"],
  // The investor left, and nothing more will follow.
  ["abandoned", "expired"],
  ["review", "in_review"],
])

/** The reason codes that an investor may see. They never see codes of fraud. */
const publicReasons = new Map<string, PublicReason>(
  ["201", "204", "205", "206", "207"].map((code) => [code, "documents_unreadable"]),
)

const optional = <T extends z.ZodType>(type: T) => type.nullish()
/** An unreadable time counts as missing. Vouch then uses the time of its request. */
const time = vendorTime.nullish().catch(null)
/** A value, or an object with the value, its source and confidence, as in the Full Auto plan. */
const value = z
  .union([z.string(), z.object({ value: z.string().nullish() }).transform((field) => field.value)])
  .nullish()
  .catch(null)

const person = {
  person: optional(z.object({ dateOfBirth: value })),
  document: optional(z.object({ country: value })),
}

/** What we read of a decision. Everything else stays with Veriff. */
const verification = z.object({
  id,
  status: z.string(),
  reason: optional(z.string()),
  reasonCode: optional(z.union([z.string(), z.number()])),
  decisionTime: time,
  acceptanceTime: time,
  ...person,
})

/** The decision of a Full Auto plan, in its webhook and in its API's answer. */
const automatic = z
  .object({
    sessionId: id,
    acceptanceTime: time,
    data: z.object({ verification: z.object({ decision: z.string(), ...person }) }),
  })
  .transform(({ sessionId, acceptanceTime, data: { verification } }) => ({
    ...verification,
    id: sessionId,
    status: verification.decision,
    acceptanceTime,
  }))

/**
 * The webhooks that Veriff documents: decision, step of the session, Full Auto, search in lists (`matchStatus`, or the
 * newer `reviewStatus`), and a status that the customer defines.
 */
const event = z.object({
  verification: optional(z.object({ id })),
  /** For a step of the session: the session's id and the step. */
  id: id.optional().catch(undefined),
  action: optional(z.string()),
  eventType: optional(z.string()),
  sessionId: optional(id),
  matchStatus: optional(z.string()),
  reviewStatus: optional(z.string()),
  searchDate: time,
})

/** Whether a list search found the person. `reviewed` follows a match that was already reported. */
const screenings = new Map([
  ["no_match", false],
  ["reviewed", false],
  ["possible_match", true],
  ["potential_match", true],
])

/** Events that never decide anything: the first step of a session, and statuses that customers define. */
const silent = { action: "started", eventType: /^user-status\./ }

/** An integration in Veriff's portal, with its own keys. The portal sets what it checks. */
type Integration = { key: string; secrets: string[] }

/** https://devdocs.veriff.com/docs/hmac-authentication-and-endpoint-security */
export const veriff = defineProvider({
  name: "veriff",
  label: LABEL,
  testOnly: null,
  setup: ({ webhook }) => [
    { where: "Integrations > (yours) > Settings > Webhook decisions URL", enter: webhook },
    { where: "… > Webhook events URL", enter: webhook },
    { where: "… > Webhook Full Auto URL, if your plan has Full Auto", enter: webhook },
    { where: "… > Webhook watchlist screening URL, if you use screening", enter: webhook },
  ],
  settings: z
    .object({
      VERIFF_URL: vendorUrl.default("https://stationapi.veriff.com"),
      VERIFF_API_KEY: perSchema({ what: "an integration's API key", pattern: KEY }),
      VERIFF_SECRET: perSchema({ what: "an integration's shared secret key", pattern: SECRETS }),
    })
    .superRefine(({ VERIFF_API_KEY: keys, VERIFF_SECRET: secrets }, context) => {
      const alone = [
        ...keys.schemas.filter((schema) => !secrets.schemas.includes(schema)),
        ...secrets.schemas.filter((schema) => !keys.schemas.includes(schema)),
      ]
      for (const schema of alone)
        context.addIssue({
          code: "custom",
          path: ["VERIFF_SECRET"],
          message: `must name the same schemas as VERIFF_API_KEY; ${schema} is in only one of them`,
        })
    }),
  create: ({ VERIFF_URL, VERIFF_API_KEY: keys, VERIFF_SECRET: secrets }) => {
    const integrationOf = (schemaId: string): Integration => ({
      key: keys.of(schemaId),
      secrets: secrets.of(schemaId).split(" "),
    })
    const integrations = ["", ...keys.schemas].map(integrationOf)

    /** The API with an integration's keys. POST signs the body, other methods the id of the session. */
    const apiOf = ({ key, secrets }: Integration) =>
      vendorApi({
        label: LABEL,
        origin: `${VERIFF_URL}/v1/sessions`,
        headers({ url, body }) {
          const covered = body ?? decodeURIComponent(new URL(url).pathname.split("/")[3]!)
          return {
            "content-type": "application/json",
            "x-auth-client": key,
            "x-hmac-signature": createHmac("sha256", secrets[0]!).update(covered).digest("hex"),
          }
        },
      })
    const at = (reference: string) => `/${encodeURIComponent(reference)}`

    async function open({ investorId, schemaId, returnUrl, language }: SessionToVerify) {
      const asked = clock.now()
      const verification = { callback: returnUrl, vendorData: investorId, lang: language ?? undefined }
      const answer = z.object({ verification: z.object({ id, url: z.string() }) })
      const api = apiOf(integrationOf(schemaId))
      const opened = await api.call({ method: "POST", path: "", body: { verification }, answer })
      return linkTo(opened.verification.id, opened.verification.url, { seconds: LINK_SECONDS, asked })
    }

    /** Reads a decision of a Full Auto plan from its separate address, which other plans refuse. */
    async function readAutomatic(api: ReturnType<typeof apiOf>, reference: string) {
      try {
        const path = `${at(reference)}/decision/fullauto?version=1.0.0`
        return await api.find({ path, answer: automatic.nullish().catch(null) })
      } catch (error) {
        const isRefused = error instanceof VendorTrouble && REFUSALS.includes(error.status ?? 0)
        if (isRefused) return null
        throw error
      }
    }

    return {
      flow: {
        kind: "redirect",
        createSession: open,
        // Veriff returns a session's address only once. After it expires, the investor submits in another session.
        resumeSession: open,
        takesResubmission: true,
        async readDecision({ schemaId }, reference) {
          const api = apiOf(integrationOf(schemaId))
          const answer = z.object({ verification: optional(verification) })
          const usual = await api.find({ path: `${at(reference)}/decision`, answer })
          // Null means no decision yet, or a decision of a Full Auto plan.
          const found = usual?.verification ?? (await readAutomatic(api, reference))
          if (!found) return null
          api.requireAbout(reference, found.id)
          return decisionOf(found)
        },
        async redact(reference) {
          // The session that names the integration may be erased, so try all. The others do not know the reference.
          for (const integration of integrations)
            await apiOf(integration).find({ method: "DELETE", path: at(reference), answer: z.unknown() })
        },
        async probe() {
          for (const integration of integrations)
            await apiOf(integration).find({ path: `${at(UNKNOWN_SESSION)}/decision`, answer: z.unknown() })
        },
      },
      isSigned({ "x-auth-client": client, "x-hmac-signature": signature }, body) {
        // Try every integration, so that the time taken reveals nothing.
        const held = integrations.map(
          ({ key, secrets }) => isSame(client, key) && isHexHmac(signature, body, { secrets }),
        )
        return held.includes(true)
      },
      readEvent(_headers, body): ProviderEvent | null {
        const { verification, id, action, eventType, sessionId, ...search } = readBody(event, body)
        const eventId = digestOf(body)
        const decided = verification?.id ?? (eventType === "fullauto" ? sessionId : null)
        if (decided) return { eventId, about: { reference: decided }, says: { kind: "changed" } }
        if (action === SUBMITTED && id) return { eventId, about: { reference: id }, says: { kind: SUBMITTED } }
        if (action === silent.action || silent.eventType.test(eventType ?? "")) return null
        const status = search.matchStatus ?? search.reviewStatus
        const isFound = screenings.get(status ?? "")
        if (!status || isFound === undefined || !sessionId)
          return fail("validation_failed", "body: not one of the webhooks that Veriff documents.")
        if (!isFound) return null
        const occurredAt = search.searchDate ?? clock.now()
        const says = { kind: "signal", signal: "watchlist_match", occurredAt, reason: status } as const
        return { eventId, about: { reference: sessionId }, says }
      },
    }
  },
})

type Found = Pick<z.infer<typeof verification>, "status" | "acceptanceTime" | "person" | "document"> &
  Partial<z.infer<typeof verification>>

function decisionOf(found: Found): ReadDecision | null {
  const { status, reason, reasonCode, decisionTime, acceptanceTime, person, document } = found
  const decision = decisions.get(status)
  if (decision === undefined) return null
  // An expiry has no time.
  const occurredAt = decisionTime ?? acceptanceTime ?? null
  const publicReason = publicReasons.get(String(reasonCode)) ?? null
  if (decision === "approved") {
    const claims = { ...countryFrom(document?.country), age_over_18: isOver18(person?.dateOfBirth, clock.now()) }
    return decide(decision, occurredAt, { claims, publicReason })
  }
  // Only standard reasons, never free text that a person wrote.
  const standard = reason && /^[\w ,.'/()-]{1,200}$/.test(reason) ? reason : null
  return decide(decision, occurredAt, { reason: standard, publicReason })
}

/** Whether a header is a key, compared in constant time. */
function isSame(header: string | string[] | undefined, key: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  return typeof header === "string" && timingSafeEqual(hash(header), hash(key))
}
