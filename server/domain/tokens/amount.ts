import { z } from "zod"
import { failsWith } from "#server/lib/fields.ts"
import { AMOUNT, type BaseUnits, readBaseUnits } from "#shared/amount.ts"

const MAX_DIGITS = 40

/**
 * An amount in a request, in whole tokens: a decimal string or a JSON number. A number arrives as its source text
 * (`server/lib/json.ts`), never as a double. Errors: invalid_amount.
 */
export const amountField = z
  .unknown()
  .refine((sent) => sent !== undefined, { error: "required", abort: true })
  .refine((sent) => typeof sent === "string" && sent.length <= MAX_DIGITS && AMOUNT.test(sent) && /[1-9]/.test(sent), {
    error: "must be more than zero, in at most 40 digits with at most one point, such as 250.5",
    ...failsWith("invalid_amount"),
  })
  .pipe(z.string())
  .meta({
    id: "Amount",
    oneOf: [
      { type: "string", minLength: 1, maxLength: MAX_DIGITS, pattern: AMOUNT.source },
      { type: "number", format: "double", exclusiveMinimum: 0 },
    ],
    description:
      "Whole tokens, more than zero. A decimal string is always exact; a number is read from its digits as sent",
    example: "250.5",
  })

/** Base units in JSON: a string of digits, because a double would lose precision. */
export const storedAmount = z.codec(
  z.string().regex(/^[0-9]+$/),
  z.custom<BaseUnits>((value) => typeof value === "bigint"),
  { decode: readBaseUnits, encode: String },
)
