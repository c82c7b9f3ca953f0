import { z } from "zod"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { addSeconds, clock, secondsBetween } from "#server/lib/time.ts"
import { parse } from "#server/lib/validation.ts"
import { fail } from "#shared/errors.ts"
import type { Decision } from "#shared/statuses.ts"
import type { ProviderDecision, VendorSession } from "./provider.ts"
import { TOLERANCE_SECONDS } from "./signatures.ts"

// What adapters make of a vendor's webhooks and answers.

/** Reads a webhook's body. Errors: malformed_json, malformed_request, validation_failed. */
export const readBody = <Schema extends z.ZodType>(schema: Schema, body: Buffer): z.infer<Schema> =>
  parse(schema, plainJson(readJsonObject(body)))

/** `2026-01-02 03:04:05` or `2026-01-02T03:04:05.678901Z`. Without an offset, the time is UTC. */
export const vendorTime = z.string().transform((text, context): Date => {
  const [, day, hours, offset] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? []
  const read = new Date(`${day}T${hours}${offset ?? "Z"}`)
  if (!Number.isNaN(read.getTime())) return read
  context.addIssue({ code: "custom", message: "must be a time" })
  return z.NEVER
})

/** Refuses a time in the future: it would hide later decisions until then. Errors: validation_failed. */
export function decidedAt(label: string, time: Date): Date {
  if (!(time.getTime() >= 0)) return fail("validation_failed", `The time of ${label}'s event is before 1970.`)
  if (secondsBetween(clock.now(), time) > TOLERANCE_SECONDS)
    return fail("validation_failed", `The time of ${label}'s event is more than 300 seconds in the future.`)
  return time
}

/** A decision. Claims are empty and reasons null unless `more` has them. */
export const decide = <At extends Date | null>(
  decision: Decision,
  occurredAt: At,
  more: Partial<Pick<ProviderDecision, "claims" | "reason" | "publicReason">> = {},
) => ({ decision, occurredAt, claims: {}, reason: null, publicReason: null, ...more })

/** A session whose address works for `seconds` after Vouch asked for it. */
export const linkTo = (
  reference: string,
  url: string,
  { seconds, singleUse = false, asked = clock.now() }: { seconds: number; singleUse?: boolean; asked?: Date },
): VendorSession => ({ reference, url, usableUntil: addSeconds(asked, seconds), singleUse })
