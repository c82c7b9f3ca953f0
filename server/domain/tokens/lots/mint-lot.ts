import { z } from "zod"
import { time } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { exemptions } from "#shared/lots.ts"

export const exemptionField = z.enum(exemptions).meta({
  description: "The exemption from registration under which the tokens were issued",
  example: "reg_d_506c",
})

/** What a mint records about its units. */
export const lotField = z
  .strictObject({
    exemption: exemptionField.optional().meta({
      description: "The exemption from registration under which the tokens are issued; none if left out",
    }),
    acquired_at: time.optional().meta({
      description:
        "When the holder acquired them, if that is in the past. Such a request always needs an approval. Leave it out for the time at which they are minted",
      example: "2026-01-01T00:00:00Z",
    }),
  })
  .optional()
  .meta({ description: "Exemption and date to record, for holding periods", example: { exemption: "reg_d_506c" } })

/** What an operation stores of it. `acquired_at` is absent if that is when the units land. */
export const storedLot = z.object({ exemption: z.enum(exemptions), acquired_at: z.string().optional() })
export type StoredLot = z.output<typeof storedLot>

/** Errors: validation_failed for a date in the future. */
export function pastLot(lot: z.output<typeof lotField>): StoredLot | undefined {
  if (lot === undefined) return undefined
  const { exemption = "none", acquired_at } = lot
  if (acquired_at === undefined) return { exemption }
  if (new Date(acquired_at) > clock.now()) fail("validation_failed", "lot.acquired_at: must not be in the future.")
  return { exemption, acquired_at }
}
