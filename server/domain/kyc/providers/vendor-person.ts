import { isCountry } from "#shared/countries.ts"
import { alpha2Of } from "./alpha3.ts"

/** A vendor's country code, ISO 3166-1 alpha-2 or alpha-3, as alpha-2; undefined where it is none. */
export function countryOf(code: string | null | undefined): string | undefined {
  const upper = code?.toUpperCase() ?? ""
  const alpha2 = upper.length === 3 ? alpha2Of(upper) : upper
  return alpha2 !== undefined && isCountry(alpha2) ? alpha2 : undefined
}

/** Whether somebody born on a day (`YYYY-MM-DD`) is 18 by now, in UTC; undefined where it is no day. */
export function isOver18(born: string | null | undefined, now: Date): boolean | undefined {
  const [, year, monthAndDay] = /^(\d{4})-(\d{2}-\d{2})$/.exec(born ?? "") ?? []
  if (year === undefined || Number.isNaN(Date.parse(`${born}T00:00:00Z`))) return undefined
  // Texts of one form compare as days do; who is born on 29 February comes of age on 1 March.
  return `${Number(year) + 18}-${monthAndDay}` <= now.toISOString().slice(0, 10)
}
