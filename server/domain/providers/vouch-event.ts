import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import { logger } from "#server/lib/log.ts"
import { foreignText } from "#server/lib/text.ts"
import { clock, secondsBetween } from "#server/lib/time.ts"
import { type ClaimKind, type ClaimName, type Claims, type claims, mapClaims } from "#shared/claims.ts"
import { fail } from "#shared/errors.ts"
import { isPublicReason, type PublicReason, publicReasons } from "#shared/public-reasons.ts"
import { decisions } from "#shared/statuses.ts"
import { EVENT_TYPE } from "#shared/webhook-event.ts"
import type { ProviderDecision, ProviderEvent } from "./provider.ts"
import { TOLERANCE_SECONDS } from "./signatures.ts"
import { readBody } from "./vendor-answers.ts"
import { countryFrom, countryOf, isWithoutCountry } from "./vendor-person.ts"

/** A country that rules can name, or a passport's code without a country. Others are mistakes of the bridge. */
const countryCode = z
  .string()
  .refine(
    (code) => code === code.toUpperCase() && (countryOf(code) !== undefined || isWithoutCountry(code)),
    "must be a country code: ISO 3166-1 with two or three letters, such as US or USA, or a passport's code",
  )
  .meta({
    description:
      "ISO 3166-1 alpha-2 or alpha-3, XK for Kosovo, or a passport code such as `D` or `XXA`. Stored as alpha-2. A passport code that does not stand for a country is shown to members and satisfies no country rule.",
    example: "US",
  })

const claimReaders = { country: countryCode, flag: z.boolean() } as const satisfies Record<ClaimKind, z.ZodType>
type ClaimFields = {
  [Name in ClaimName]: z.ZodOptional<(typeof claimReaders)[(typeof claims)[Name]["kind"]]>
}

/** A decision, as a bridge reports it and as it answers when asked. Vendors may add fields. */
export const decisionFields = z.object({
  decision: z.enum(decisions).meta({
    description:
      "`resubmission_requested` and `in_review` leave the attestation pending; `rejected` after `approved` revokes",
  }),
  occurred_at: z.iso.datetime({ offset: true }).meta({
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
    description: "Time of the decision. Events older than the last applied one are ignored",
  }),
  claims: z
    .object(mapClaims(({ kind }) => claimReaders[kind].optional()) as ClaimFields)
    .optional()
    .meta({ description: "Facts that rules may use. Nothing else about a person is stored." }),
  reason: foreignText(500).optional().meta({
    description: "Internal reason, shown in the attestation's record and never to the investor",
  }),
  // A vendor may have its own codes. An unknown one counts as missing.
  public_reason: z
    .unknown()
    .optional()
    .meta({
      type: "string",
      enum: [...publicReasons],
      description: "Reason code shown to the investor. An unknown code becomes `unverifiable`.",
    }),
})

/** What a provider reports. Unknown fields are ignored here. */
export const webhookEvent = z
  .object({
    type: z.literal(EVENT_TYPE),
    data: z.object({
      session_id: z.string().meta({ description: "Session of this event. Events of unknown sessions are ignored." }),
      ...decisionFields.shape,
    }),
  })
  .meta({ description: "A provider's decision about a session. Unknown fields are ignored." })

export type WebhookEvent = z.input<typeof webhookEvent>

/** Reads a signed event in Vouch's format. Errors: malformed_json, malformed_request, validation_failed. */
export function readVouchEvent(headers: IncomingHttpHeaders, body: Buffer): ProviderEvent {
  const { session_id, ...decision } = readBody(webhookEvent, body).data
  return {
    eventId: String(headers["webhook-id"]),
    about: { sessionId: session_id },
    says: { kind: "decision", ...readVouchDecision(decision) },
  }
}

/** Reads a decision in Vouch's format. Errors: validation_failed. */
export function readVouchDecision(fields: z.infer<typeof decisionFields>): ProviderDecision {
  const { decision, occurred_at, claims, reason, public_reason } = fields
  const occurredAt = new Date(occurred_at)
  // No decision is older than Unix time, and the database has no year 0.
  if (occurredAt.getTime() < 0) return fail("validation_failed", "data.occurred_at: must not be before 1970.")
  if (secondsBetween(clock.now(), occurredAt) > TOLERANCE_SECONDS) {
    return fail("validation_failed", "data.occurred_at: must not be more than 300 seconds in the future.")
  }
  return {
    decision,
    occurredAt,
    claims: readClaims(claims ?? {}),
    reason: reason || null,
    publicReason: readPublicReason(public_reason),
  }
}

function readPublicReason(value: unknown): PublicReason | null {
  if (isPublicReason(value)) return value
  // Don't log the value: it may be free text of the vendor.
  if (value !== undefined && value !== null) logger.warn("unknown public_reason in a webhook; using the default")
  return null
}

const readClaims = ({ country, ...others }: Claims): Claims => ({ ...others, ...countryFrom(country) })
