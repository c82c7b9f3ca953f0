import type { Claims } from "../claims.ts"

/** How many investors hold a token: all of them, those of each country, and those who are not accredited. */
export type InvestorCounts = Readonly<Record<string, number>>

export const ALL_INVESTORS = "investors"
const NON_ACCREDITED = "non_accredited"
const countryKey = (country: string): string => `country:${country}`
/** Investors whose country is unknown. They count in every country, because they may be from there. */
const UNKNOWN_COUNTRY = countryKey("")

/** The counts in which an investor with these claims is included. */
export const countedAs = ({ country = "", accredited }: Claims): string[] => [
  ALL_INVESTORS,
  countryKey(country),
  ...(accredited === true ? [] : [NON_ACCREDITED]),
]

/** The limits of a token, as far as they are set. */
export type InvestorLimits = {
  max_investors?: number | undefined
  max_investors_by_country?: Readonly<Record<string, number>> | undefined
  max_non_accredited_investors?: number | undefined
}

/** One limit: what it counts, and the most that it allows. `country` is null if it is not about one. */
export type InvestorLimit = {
  field: keyof InvestorLimits
  country: string | null
  cap: number
  keys: readonly string[]
}

export const limitsOf = (rules: InvestorLimits): InvestorLimit[] => {
  const { max_investors, max_investors_by_country = {}, max_non_accredited_investors } = rules
  return [
    ...(max_investors === undefined
      ? []
      : [{ field: "max_investors" as const, country: null, cap: max_investors, keys: [ALL_INVESTORS] }]),
    ...Object.entries(max_investors_by_country).map(([country, cap]) => {
      const keys = [countryKey(country), UNKNOWN_COUNTRY]
      return { field: "max_investors_by_country" as const, country, cap, keys }
    }),
    ...(max_non_accredited_investors === undefined
      ? []
      : [
          {
            field: "max_non_accredited_investors" as const,
            country: null,
            cap: max_non_accredited_investors,
            keys: [NON_ACCREDITED],
          },
        ]),
  ]
}

export const countOf = (counts: InvestorCounts, { keys }: Pick<InvestorLimit, "keys">): number =>
  keys.reduce((sum, key) => sum + (counts[key] ?? 0), 0)

/** Counts before a change and after it. */
export type CountChange = { before: InvestorCounts; after: InvestorCounts }

/** The first limit that a change passes. One that was passed before does not refuse a change that adds nothing to it. */
export const firstPassed = (rules: InvestorLimits, { before, after }: CountChange): InvestorLimit | null =>
  limitsOf(rules).find((limit) => {
    const count = countOf(after, limit)
    return count > limit.cap && count > countOf(before, limit)
  }) ?? null
