import { clock, secondsBetween } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { TOLERANCE_SECONDS } from "./timed-signature.ts"

/** When a vendor says that it decided: one from the future would hide all that comes until then. Errors: validation_failed. */
export function decidedAt(label: string, time: Date): Date {
  if (!(time.getTime() >= 0)) return fail("validation_failed", `The time of ${label}'s event is before 1970.`)
  if (secondsBetween(clock.now(), time) > TOLERANCE_SECONDS)
    return fail("validation_failed", `The time of ${label}'s event is more than 300 seconds in the future.`)
  return time
}
