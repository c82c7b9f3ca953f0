import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { parse } from "#server/lib/validation.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import { vendorTime } from "./event-time.ts"
import { digestOf, isHexHmac } from "./hex-signature.ts"
import {
  defineProvider,
  type ProviderEvent,
  type ReadDecision,
  type SessionToVerify,
  SUBMITTED,
  type VendorSession,
} from "./provider.ts"
import { callVendor, findAtVendor, requireAbout, type VendorCall, VendorTrouble } from "./vendor-call.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Veriff"
/** A session of Veriff lives seven days; an address is given out for less. */
const LINK_SECONDS = 6 * 86_400
/** No session has it: asking about it tells valid credentials from others. */
const NOBODY = "00000000-0000-4000-8000-000000000000"

/** How other plans may refuse the address of Full Auto. */
const REFUSALS = [400, 401, 403, 405, 422]

const KEY = /^[\w-]{8,200}$/
/** Several while one rotates: all are believed, and the first one signs. */
const SECRETS = /^[\w-]{8,200}(?: [\w-]{8,200}){0,3}$/
const id = z.string().regex(/^[\w-]{1,100}$/)

/** The status is read, not the code: its documents differ on what codes mean. */
const decisions = new Map<string, Decision>([
  ["approved", "approved"],
  ["declined", "rejected"],
  ["resubmission_requested", "resubmission_requested"],
  ["expired", "expired"],
  // Begun and left: there is nothing more to come.
  ["abandoned", "expired"],
  ["review", "in_review"],
])

/** What of its reason codes an investor may be told; fraud is told to nobody. */
const publicReasons: Record<string, PublicReason> = {
  "201": "documents_unreadable",
  "204": "documents_unreadable",
  "205": "documents_unreadable",
  "206": "documents_unreadable",
  "207": "documents_unreadable",
}

const optional = <T extends z.ZodType>(type: T) => type.nullish()
/** A time that cannot be read is none: Vouch then takes the time of the question. */
const time = vendorTime.nullish().catch(null)
/** A value, or one with where it was read and how surely, as the plan with Full Auto has it. */
const value = z
  .union([z.string(), z.object({ value: z.string().nullish() }).transform((field) => field.value)])
  .nullish()
  .catch(null)

const person = {
  person: optional(z.object({ dateOfBirth: value })),
  document: optional(z.object({ country: value })),
}

/** What is read of a decision; all else stays at Veriff. */
const verification = z.object({
  id,
  status: z.string(),
  reason: optional(z.string()),
  reasonCode: optional(z.union([z.string(), z.number()])),
  decisionTime: time,
  acceptanceTime: time,
  ...person,
})

/** The decision of a plan with Full Auto, in its webhook and in the answer of its API. */
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
 * The webhooks that it documents: decision, step of the session, Full Auto, search in lists (`matchStatus`, or the newer
 * `reviewStatus`), and a status of the customer's own.
 */
const event = z.object({
  verification: optional(z.object({ id })),
  /** Of a step of the session: its id, and what was done. */
  id: id.optional().catch(undefined),
  action: optional(z.string()),
  eventType: optional(z.string()),
  sessionId: optional(id),
  matchStatus: optional(z.string()),
  reviewStatus: optional(z.string()),
  searchDate: time,
})

/** Whether a search in lists found the person. `reviewed` follows a match that was reported before. */
const screenings = new Map([
  ["no_match", false],
  ["reviewed", false],
  ["possible_match", true],
  ["potential_match", true],
])

/** Known to say nothing about a decision: the first step of a session, and what a member notes in its portal. */
const silent = { action: "started", eventType: /^user-status\./ }

/** One integration of Veriff's portal: what is checked is set there, and each has its own keys. */
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
    { where: "… > Webhook watchlist screening URL, if it screens", enter: webhook },
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
          message: `must name the same schemas as VERIFF_API_KEY; ${schema} is in one of them alone`,
        })
    }),
  create: ({ VERIFF_URL, VERIFF_API_KEY: keys, VERIFF_SECRET: secrets }) => {
    const integrationOf = (schemaId: string): Integration => ({
      key: keys.of(schemaId),
      secrets: secrets.of(schemaId).split(" "),
    })
    const schemas = ["", ...keys.schemas]
    const integrations = schemas.map(integrationOf)

    /** A call; POST signs the body, all others the id of the session. */
    function signed<Answer extends z.ZodType>(
      { key, secrets }: Integration,
      call: { method: "GET" | "POST" | "DELETE"; path: string; covered: string; answer: Answer },
    ): VendorCall<Answer> {
      const { method, path, covered, answer } = call
      return {
        label: LABEL,
        method,
        url: `${VERIFF_URL}/v1/sessions${path}`,
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          "x-auth-client": key,
          "x-hmac-signature": createHmac("sha256", secrets[0]!).update(covered).digest("hex"),
        },
        ...(method === "POST" ? { body: covered } : {}),
        answer,
      }
    }

    async function open({
      investorId,
      schemaId,
      returnUrl,
      language,
    }: SessionToVerify): Promise<VendorSession> {
      const asked = clock.now()
      const body = {
        verification: {
          callback: returnUrl,
          vendorData: investorId,
          ...(language === null ? {} : { lang: language }),
        },
      }
      const opened = await callVendor(
        signed(integrationOf(schemaId), {
          method: "POST",
          path: "",
          covered: JSON.stringify(body),
          answer: z.object({ verification: z.object({ id, url: z.string() }) }),
        }),
      )
      const { id: reference, url } = opened.verification
      return { reference, url, usableUntil: addSeconds(asked, LINK_SECONDS), singleUse: false }
    }

    const decisionAt = <Answer extends z.ZodType>(
      integration: Integration,
      reference: string,
      path: string,
      answer: Answer,
    ) =>
      findAtVendor(
        signed(integration, {
          method: "GET",
          path: `/${encodeURIComponent(reference)}/decision${path}`,
          covered: reference,
          answer,
        }),
      )

    /** A plan with Full Auto keeps its decisions at an address of their own, which other plans refuse. */
    async function readAutomatic(integration: Integration, reference: string) {
      try {
        return await decisionAt(
          integration,
          reference,
          "/fullauto?version=1.0.0",
          automatic.nullish().catch(null),
        )
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
        // The address of a session is told once: when its time is over, another session takes the submission.
        resumeSession: open,
        takesResubmission: true,
        async readDecision({ schemaId }, reference) {
          const integration = integrationOf(schemaId)
          const answer = z.object({ verification: optional(verification) })
          const usual = await decisionAt(integration, reference, "", answer)
          // Null means no decision yet, or one of a plan with Full Auto.
          const found = usual?.verification ?? (await readAutomatic(integration, reference))
          if (!found) return null
          requireAbout(LABEL, reference, found.id)
          return decisionOf(found)
        },
        async redact(reference) {
          // Whose integration it was is known by the session, which may be forgotten by now: the others know nothing of it.
          for (const integration of integrations) {
            const answer = z.unknown()
            const path = `/${encodeURIComponent(reference)}`
            await findAtVendor(signed(integration, { method: "DELETE", path, covered: reference, answer }))
          }
        },
        async probe() {
          for (const integration of integrations)
            await findAtVendor(
              signed(integration, {
                method: "GET",
                path: `/${NOBODY}/decision`,
                covered: NOBODY,
                answer: z.unknown(),
              }),
            )
        },
      },
      isSigned({ "x-auth-client": client, "x-hmac-signature": signature }, body) {
        // Every integration is tried, so that the time taken tells nothing.
        const held = integrations.map(
          ({ key, secrets }) => isSame(client, key) && isHexHmac(signature, body, { secrets }),
        )
        return held.includes(true)
      },
      readEvent(_headers, body): ProviderEvent | null {
        const { verification, id, action, eventType, sessionId, ...search } = parse(
          event,
          plainJson(readJsonObject(body)),
        )
        const eventId = digestOf(body)
        const decided = verification?.id ?? (eventType === "fullauto" ? sessionId : null)
        if (decided) return { eventId, about: { reference: decided }, says: { kind: "changed" } }
        if (action === SUBMITTED && id)
          return { eventId, about: { reference: id }, says: { kind: SUBMITTED } }
        if (action === silent.action || silent.eventType.test(eventType ?? "")) return null
        const status = search.matchStatus ?? search.reviewStatus
        const isFound = screenings.get(status ?? "")
        if (!status || isFound === undefined || !sessionId)
          return fail("validation_failed", "body: none of the webhooks that Veriff documents.")
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
  const isApproved = decision === "approved"
  return {
    decision,
    // What merely expires has no time of its own.
    occurredAt: decisionTime ?? acceptanceTime ?? null,
    claims: isApproved
      ? { ...countryFrom(document?.country), age_over_18: isOver18(person?.dateOfBirth, clock.now()) }
      : {},
    // One of a list of theirs; never what somebody has written.
    reason: !isApproved && reason && /^[\w ,.'/()-]{1,200}$/.test(reason) ? reason : null,
    publicReason: publicReasons[String(reasonCode)] ?? null,
  }
}

/** Whether a header is a key, compared in constant time. */
function isSame(header: string | string[] | undefined, key: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest()
  return typeof header === "string" && timingSafeEqual(hash(header), hash(key))
}
