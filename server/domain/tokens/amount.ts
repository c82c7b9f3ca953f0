import { z } from "zod"
import { failsWith } from "#server/lib/fields.ts"

/** Most base units that a token account holds: 2^64 − 1. */
export const MAX_BASE_UNITS = 2n ** 64n - 1n

const GRAMMAR = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/
const MAX_DIGITS = 40

/**
 * Base units of a decimal text, such as 2505000n of `2.505` with 6 decimals. Null when it is not of the grammar
 * `(0|[1-9][0-9]*)(\.[0-9]+)?`, has more digits after the point than there are decimals, or is out of range.
 */
export function toBaseUnits(text: string, decimals: number): bigint | null {
  const parts = GRAMMAR.exec(text)
  if (!parts) return null
  const [, whole = "", fraction = ""] = parts
  // Longer ones are out of range, and need not be turned into a number to say so.
  if (fraction.length > decimals || whole.length > 20) return null
  const units = BigInt(whole + fraction.padEnd(decimals, "0"))
  return units <= MAX_BASE_UNITS ? units : null
}

/** What an amount must keep to, in words. */
export const limitsOf = (decimals: number): string =>
  decimals === 0
    ? `must be a whole number of at most ${MAX_BASE_UNITS}`
    : `must be at most ${fromBaseUnits(MAX_BASE_UNITS, decimals)}, with at most ${decimals} digits after the point`

/** Decimal text of base units, without trailing zeros: `2.505` of 2505000n with 6 decimals. */
export function fromBaseUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}

/**
 * An amount in a request, in whole tokens: a decimal string, or a JSON number. The number comes here as its source text
 * (`server/lib/json.ts`), never through a double. Errors: invalid_amount.
 */
export const amountField = z
  .unknown()
  .refine(
    (sent) =>
      typeof sent === "string" && sent.length <= MAX_DIGITS && GRAMMAR.test(sent) && /[1-9]/.test(sent),
    {
      error: "must be more than zero, in at most 40 digits with at most one point, such as 250.5",
      ...failsWith("invalid_amount"),
    },
  )
  .pipe(z.string())
  .meta({
    oneOf: [
      { type: "string", minLength: 1, maxLength: MAX_DIGITS, pattern: GRAMMAR.source },
      { type: "number", format: "double", exclusiveMinimum: 0 },
    ],
    description:
      "Whole tokens, more than zero. A decimal string is always exact; a number is read from its digits as sent",
    example: "250.5",
  })

/** Base units as JSON keeps them: a text of digits, as a double would lose some. */
export const storedAmount = z.codec(z.string().regex(/^[0-9]+$/), z.bigint(), {
  decode: BigInt,
  encode: String,
})
