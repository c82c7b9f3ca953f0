import { z } from "zod"
import { ADDRESS, SIGNATURE } from "#shared/address.ts"
import { isCountry } from "#shared/countries.ts"
import type { ErrorCode } from "#shared/errors.ts"
import { type IdPrefix, idPattern } from "./ids.ts"
import { plainText } from "./text.ts"
import { toTimestamp } from "./time.ts"

/** Lets a field's schema answer with its own code instead of validation_failed. */
export const failsWith = (code: ErrorCode) => ({ params: { code } })

/** A string with a pattern, which is both checked and documented. */
export const matching = (pattern: RegExp, error: string, code?: ErrorCode) =>
  z
    .string()
    .refine((text) => pattern.test(text), { error, ...(code && failsWith(code)) })
    .meta({ pattern: pattern.source })

/** The ids in the API document's examples. */
const exampleIds: { readonly [prefix in IdPrefix]?: string } = {
  att: "att_4f8NqYcTzHkLwR2sVbJm9X",
  sess: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
  inv: "inv_7YbVnQ2tKxWcR5sMpLd8Hf",
  era: "era_9XsVbJm4f8NqYcTzHkLwR2",
  op: "op_9sXcVbNmQwErTyUiPaSdFg",
  rev: "rev_2sVbJm9X4f8NqYcTzHkLwR",
  evt: "evt_9tQmW3vXcKpLzR5sYbH2Ga",
  whe: "whe_4kTzQm8RbWx2LpYs6VdHcN",
  key: "key_3mNbR5tYw2Lc7HdZKx8vPq",
  ws: "ws_8vPq3mNbR5tYw2Lc7HdZKx",
  hold: "hold_2Lc7HdZKx8vPq3mNbR5tYw",
  rec: "rec_7QmVt2LhXw9KcRz4NpYb3s",
  snap: "snap_9sXcVbNmQwErTyUiPaSdFg",
  pay: "pay_8RbWx2LpYs6VdHcN4kTzQm",
  dist: "dist_4kTzQm8RbWx2LpYs6VdHcN",
  apr: "apr_5sYbH2Ga9tQmW3vXcKpLzR",
  apol: "apol_6VdHcN4kTzQm8RbWx2LpYs",
}

/** An id. Its format is documentation only: an id in another format does not exist. */
export const idOf = (prefix: IdPrefix) =>
  z.string().meta({ pattern: idPattern(prefix), ...(exampleIds[prefix] && { example: exampleIds[prefix] }) })

/** An id to filter a list by. An unknown id gives an empty list. */
export const filterId = (prefix: IdPrefix) => plainText(100).meta({ pattern: idPattern(prefix) })

/** Ids that customers give to schemas and mint configurations, in requests and in answers. */
export const NAME = /^[a-z0-9][a-z0-9_]{0,63}$/
export const named = z.string().meta({ pattern: NAME.source })

/** An address and a transaction's signature in an answer. */
export const address = z.string().meta({ pattern: ADDRESS.source })
export const signature = z.string().meta({ pattern: SIGNATURE.source })

/** A wallet and a schema's id in an answer. */
export const wallet = address.meta({
  description: "Wallet address, base58",
  example: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
})
export const schemaName = named.meta({ description: "The schema's id", example: "kyc_individual_v1" })

/** A stored address, which was parsed before. */
export const storedAddress = z.string().brand<"address">()

/** An amount in an answer: whole tokens. */
export const amountText = z.string().meta({
  pattern: "^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$",
  description: "Whole tokens, without trailing zeros",
})

/** An amount of SOL in an answer. */
export const lamports = z.string().meta({
  pattern: "^(0|[1-9][0-9]*)$",
  description: "Lamports: a billion of them are one SOL",
})

const countryMeta = { pattern: "^[A-Z]{2}$", description: "ISO 3166-1 alpha-2, or XK for Kosovo", example: "US" }

/** A country in a request, and one in an answer, which may have been recorded before codes were checked. */
const anyCountry = z
  .string()
  .refine(isCountry, "must be an ISO 3166-1 alpha-2 country code, such as US, or XK for Kosovo")
export const country = anyCountry.meta(countryMeta)
export const recordedCountry = z.string().meta(countryMeta)
/** The same as the name of a field, where OpenAPI has no example. */
export const countryName = anyCountry.meta({ pattern: countryMeta.pattern })
export const recordedCountryName = z.string().meta({ pattern: countryMeta.pattern })

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/

/** A time in a request that is stored and returned unchanged. */
export const time = z
  .string()
  .refine(isTime, "must be a time such as 2027-01-01T00:00:00Z")
  .meta({ format: "date-time", pattern: TIME.source })

function isTime(text: string): boolean {
  if (!TIME.test(text)) return false
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && toTimestamp(time) === text && hasYear(text)
}

/** Neither Postgres nor the usual calendar has a year 0. */
const hasYear = (text: string): boolean => !text.startsWith("0000")

const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$/

/** A time used only for comparison. Many languages write it with fractions of a second. */
export const instant = z
  .string()
  .refine(
    (text) => INSTANT.test(text) && isTime(`${text.slice(0, 19)}Z`),
    "must be a time such as 2027-01-01T00:00:00Z or 2027-01-01T00:00:00.000Z",
  )
  .meta({ format: "date-time", pattern: INSTANT.source })

/** A time in an answer. */
export const timestamp = z.string().meta({
  format: "date-time",
  pattern: TIME.source,
  description: "UTC, ISO 8601, to the second",
  example: "2026-01-02T03:04:05Z",
})

/** A whole number within bounds. A refusal names both. */
export function wholeNumber(min: number, max: number) {
  const error = ({ input }: { input?: unknown }) =>
    input === undefined ? "required" : `must be a whole number between ${min} and ${max}`
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

/** The time span of a list of `what`. Its end is exclusive. */
export const createdSpanOf = (what: string) => ({
  created_after: instant
    .optional()
    .meta({ description: `${what} at this time or later`, example: "2026-01-01T00:00:00Z" }),
  created_before: instant.optional().meta({ description: `${what} before this time`, example: "2026-02-01T00:00:00Z" }),
})
export const createdSpan = createdSpanOf("Only entries")

/** Rows of a page, and the cursor of the newest row that a member counted. */
export const rowsUpTo = z
  .object({ ids: z.array(z.string().max(100)).max(100), up_to: z.string().max(100) })
  .transform(({ ids, up_to }) => ({ ids, upTo: up_to }))

/** The rows that a member counted, as the count returned them. */
export const countedRows = z.string().min(1).max(60_000)

/** `limit` and `cursor` of a list. */
export const page = {
  limit: wholeNumber(1, 100).default(20).meta({ description: "Maximum number of results per page" }),
  cursor: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "next_cursor of the previous page; without it, the first page" }),
}

/** The answer of a list: newest first, with the cursor of the next page, or null at the end. */
export const listOf = <T extends z.ZodType>(record: T) =>
  z.object({
    data: z.array(record),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: "Send as cursor to get the next page; null on the last page" }),
  })
