import { z } from "zod"

/** A time in an answer. */
export const timestamp = z.string().meta({
  format: "date-time",
  description: "UTC, ISO 8601, to the second",
  example: "2026-01-02T03:04:05Z",
})

/** A whole number within bounds, refused with both of them. */
export function wholeNumber(min: number, max: number) {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? "is missing" : `must be a whole number between ${min} and ${max}`
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

/** `limit` and `cursor` of a list. */
export const page = {
  limit: wholeNumber(1, 100).default(20).meta({ description: "Most records in one answer" }),
  cursor: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "The next_cursor of the page before; newest first without it" }),
}

/** The answer of a list: newest first, with the cursor of the next page or null at the end. */
export const listOf = <T extends z.ZodType>(record: T) =>
  z.object({
    data: z.array(record),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Send it as cursor for the next page; null at the end" }),
  })
