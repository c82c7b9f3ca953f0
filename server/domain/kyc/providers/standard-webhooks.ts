import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { z } from "zod"
import { country } from "#server/lib/fields.ts"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { logger } from "#server/lib/log.ts"
import { plainText } from "#server/lib/text.ts"
import { clock, databaseTime_ms, secondsBetween } from "#server/lib/time.ts"
import { parse } from "#server/lib/validation.ts"
import { type ClaimKind, type ClaimName, type claims, mapClaims } from "#shared/claims.ts"
import { fail } from "#shared/errors.ts"
import { isPublicReason, type PublicReason, publicReasons } from "#shared/public-reasons.ts"
import { decisions } from "#shared/statuses.ts"
import { EVENT_TYPE } from "#shared/webhook-event.ts"
import type { ProviderEvent } from "./provider.ts"

/** How far a webhook's timestamp may be off, either way, in seconds: the standard's own figure. */
const TOLERANCE_SECONDS = 300
/** How far in the future an event may claim to lie, in seconds. */
const CLOCK_SKEW_SECONDS = 300

const claimReaders = { country, flag: z.boolean() } as const satisfies Record<ClaimKind, z.ZodType>
type ClaimFields = {
  [Name in ClaimName]: z.ZodOptional<(typeof claimReaders)[(typeof claims)[Name]["kind"]]>
}

/** What a provider reports. Vendors add fields of their own: unknown ones are ignored here. */
export const webhookEvent = z
  .object({
    type: z.literal(EVENT_TYPE),
    data: z.object({
      session_id: z.string().meta({ description: "Session of this event; an unknown session is ignored" }),
      decision: z.enum(decisions).meta({
        description:
          "`resubmission_requested` and `in_review` leave the attestation pending; `rejected` after `approved` revokes",
      }),
      occurred_at: z.iso.datetime({ offset: true }).meta({
        pattern:
          "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
        description: "When it was decided: events older than the last one applied are ignored",
      }),
      claims: z
        .object(mapClaims(({ kind }) => claimReaders[kind].optional()) as ClaimFields)
        .optional()
        .meta({ description: "Facts that rules may use. Nothing else about a person is stored." }),
      reason: plainText(500).optional().meta({
        description: "Internal reason, in the attestation's record; never shown to the wallet's holder",
      }),
      // A vendor may have its own codes: an unknown one is read as none.
      public_reason: z
        .unknown()
        .optional()
        .meta({
          type: "string",
          enum: [...publicReasons],
          description: "Reason code shown to the wallet's holder. An unknown code becomes `unverifiable`.",
        }),
    }),
  })
  .meta({ description: "A provider's decision about a session. Unknown fields are ignored." })

/** An event as it is sent. */
export type WebhookEvent = z.input<typeof webhookEvent>
/** Secrets of Standard Webhooks: `whsec_` and base64, several separated by spaces while they rotate. */
export const standardSecrets = z
  .string()
  .transform((text) => text.split(" ").filter((secret) => secret !== ""))
  .refine((secrets) => secrets.length > 0 && secrets.every(isSecret), {
    error: "must be whsec_ and base64 of 16 bytes or more",
  })

const isSecret = (secret: string): boolean =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && keyOf(secret).length >= 16

const keyOf = (secret: string): Buffer =>
  Buffer.from(secret.slice(secret.startsWith("whsec_") ? 6 : 0), "base64")

/**
 * Whether a webhook is signed by Standard Webhooks (https://www.standardwebhooks.com, symmetric, version 1) with
 * any one
 * of the secrets, and its time is not off by more than 300 seconds.
 */
export function isSignedByStandard(
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  body: Buffer,
): boolean {
  const signed = readSignature(headers)
  return signed !== null && secrets.some((secret) => holds(secret, signed, body))
}

type Signature = { id: string; timestamp: string; macs: Buffer[] }

/** SHA-256's 32 bytes in base64. */
const MAC = /^v1,([A-Za-z0-9+/]{43}=)$/
/** Signatures of one webhook that are looked at: while secrets rotate there are a few. */
const MAX_SIGNATURES = 8

/**
 * What a webhook says of its signature. Null when it cannot be right, whatever the body is: that costs nothing to
 * see.
 */
function readSignature(headers: IncomingHttpHeaders): Signature | null {
  const id = headers["webhook-id"]
  const timestamp = headers["webhook-timestamp"]
  const signature = headers["webhook-signature"]
  if (typeof id !== "string" || typeof timestamp !== "string" || typeof signature !== "string") return null
  // Digits only, in their one form.
  if (!/^[1-9][0-9]{0,11}$/.test(timestamp) || id === "" || id.length > 255) return null
  const age_s = Math.floor(databaseTime_ms() / 1000) - Number(timestamp)
  if (Math.abs(age_s) > TOLERANCE_SECONDS) return null
  const macs = signature
    .split(" ", MAX_SIGNATURES)
    .map((one) => MAC.exec(one)?.[1])
    .filter((mac) => mac !== undefined)
    .map((mac) => Buffer.from(mac, "base64"))
  return macs.length === 0 ? null : { id, timestamp, macs }
}

/** Whether the secret signed these very bytes. All signatures are as long, and each is compared in constant time. */
function holds(secret: string, { id, timestamp, macs }: Signature, body: Buffer): boolean {
  const key = keyOf(secret)
  if (key.length === 0) return false
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
  return macs.some((mac) => timingSafeEqual(mac, expected))
}

/**
 * Reads a webhook whose signature held. Errors: malformed_json, malformed_request, validation_failed.
 */
export function readStandardEvent(headers: IncomingHttpHeaders, body: Buffer): ProviderEvent {
  const json = plainJson(readJsonObject(body))
  const { session_id, decision, occurred_at, claims, reason, public_reason } = parse(webhookEvent, json).data
  const occurredAt = new Date(occurred_at)
  // Nothing was decided before Unix time began, and the database has no year 0.
  if (occurredAt.getTime() < 0) return fail("validation_failed", "data.occurred_at: must not be before 1970.")
  if (secondsBetween(clock.now(), occurredAt) > CLOCK_SKEW_SECONDS) {
    return fail("validation_failed", "data.occurred_at: must not be more than 300 seconds in the future.")
  }
  return {
    eventId: String(headers["webhook-id"]),
    sessionId: session_id,
    decision,
    occurredAt,
    claims: claims ?? {},
    reason: reason ?? null,
    publicReason: readPublicReason(public_reason),
  }
}

function readPublicReason(value: unknown): PublicReason | null {
  if (isPublicReason(value)) return value
  // Its value is not logged: it may be the vendor's own words.
  if (value !== undefined && value !== null)
    logger.warn("unknown public_reason in a webhook; using the default")
  return null
}
