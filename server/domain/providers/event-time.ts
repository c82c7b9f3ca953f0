import { z } from "zod"
import { clock, secondsBetween } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { TOLERANCE_SECONDS } from "./timed-signature.ts"

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
