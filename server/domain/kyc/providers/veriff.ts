import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { z } from "zod"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import { parse } from "#server/lib/validation.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"
import { digestOf, isHexHmac } from "./hex-signature.ts"
import {
  defineProvider,
  type ProviderEvent,
  type ReadDecision,
  type SessionToVerify,
  SUBMITTED,
  type VendorSession,
} from "./provider.ts"
import { callVendor, findAtVendor, requireAbout, type VendorCall } from "./vendor-call.ts"
import { countryFrom, isOver18 } from "./vendor-person.ts"
import { perSchema, vendorUrl } from "./vendor-settings.ts"

const LABEL = "Veriff"
/** A session of Veriff lives seven days; an address is given out for less. */
const LINK_SECONDS = 6 * 86_400
/** No session has it: asking about it tells valid credentials from others. */
const NOBODY = "00000000-0000-4000-8000-000000000000"

const KEY = /^[\w-]{8,200}$/
/** Several while one rotates: all are believed, and the first one signs. */
const SECRETS = /^[\w-]{8,200}(?: [\w-]{8,200}){0,3}$/
const id = z.string().regex(/^[\w-]{1,100}$/)

/** The status is read, not the code: its documents differ on what codes mean. */
const decisions: Record<string, Decision> = {
  approved: "approved",
  declined: "rejected",
  resubmission_requested: "resubmission_requested",
  expired: "expired",
  // Begun and left: there is nothing more to come.
  abandoned: "expired",
  review: "in_review",
}

/** What of its reason codes an investor may be told; fraud is told to nobody. */
const publicReasons: Record<string, PublicReason> = {
  "201": "documents_unreadable",
  "204": "documents_unreadable",
  "205": "documents_unreadable",
  "206": "documents_unreadable",
  "207": "documents_unreadable",
}

const optional = <T extends z.ZodType>(type: T) => type.nullish()
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text))

/** What is read of a decision; all else stays at Veriff. */
const verification = z.object({
  id,
  status: z.string(),
  reason: optional(z.string()),
  reasonCode: optional(z.union([z.string(), z.number()])),
  decisionTime: optional(time),
  acceptanceTime: optional(time),
  person: optional(z.object({ dateOfBirth: optional(z.string()) })),
  document: optional(z.object({ country: optional(z.string()) })),
})

/** What it reports: a decision, a step of the session, or the result of a search in lists. */
const event = z
  .object({
    verification: optional(z.object({ id })),
    /** Of a step of the session: its id, and what was done. */
    id: id.optional().catch(undefined),
    action: z.string().optional(),
    matchStatus: z.string().optional(),
    sessionId: id.optional(),
    searchDate: optional(time),
  })
  .refine(({ verification, action, matchStatus }) => verification ?? action ?? matchStatus, {
    error: "verification: required",
  })

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

    return {
      flow: {
        kind: "redirect",
        createSession: open,
        // The address of a session is told once; another session takes another submission.
        resumeSession: open,
        async readDecision({ schemaId }, reference) {
          const found = await findAtVendor(
            signed(integrationOf(schemaId), {
              method: "GET",
              path: `/${encodeURIComponent(reference)}/decision`,
              covered: reference,
              answer: z.object({ verification: optional(verification) }),
            }),
          )
          // Null is that there is no decision yet.
          if (!found?.verification) return null
          requireAbout(LABEL, reference, found.verification.id)
          return decisionOf(found.verification)
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
        const { verification, id, action, matchStatus, sessionId, searchDate } = parse(
          event,
          plainJson(readJsonObject(body)),
        )
        const eventId = digestOf(body)
        if (verification) return { eventId, about: { reference: verification.id }, says: { kind: "changed" } }
        if (action === SUBMITTED && id)
          return { eventId, about: { reference: id }, says: { kind: SUBMITTED } }
        if (matchStatus !== "possible_match" || sessionId === undefined) return null
        return {
          eventId,
          about: { reference: sessionId },
          says: {
            kind: "signal",
            signal: "watchlist_match",
            occurredAt: searchDate ?? clock.now(),
            reason: "possible_match",
          },
        }
      },
    }
  },
})

function decisionOf(found: z.infer<typeof verification>): ReadDecision | null {
  const { status, reason, reasonCode, decisionTime, acceptanceTime, person, document } = found
  const decision = decisions[status]
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
