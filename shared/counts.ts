const numbers = new Intl.NumberFormat("en-GB")

/** `1 review`, `1,200 reviews`. */
export const countOf = (count: number, what: string): string =>
  `${numbers.format(count)} ${what}${count === 1 ? "" : "s"}`

/** A count. `atLeast` if counting stopped there. */
export type Count = { count: number; atLeast: boolean }

/** `12`, `1,000+`. */
export const shortCount = ({ count, atLeast }: Count): string => `${numbers.format(count)}${atLeast ? "+" : ""}`

/** The sum of counts. */
export const sumOf = (counts: readonly Count[]): Count => ({
  count: counts.reduce((sum, { count }) => sum + count, 0),
  atLeast: counts.some(({ atLeast }) => atLeast),
})

/** A rounded number of hours, or of minutes if it is less than one. */
export const hoursOf = (hours: number): string =>
  hours < 1 ? countOf(Math.max(1, Math.round(hours * 60)), "minute") : countOf(Math.round(hours), "hour")

/** A time to wait, in days if it is whole days. */
export const waitOf = (hours: number): string =>
  hours % 24 === 0 ? countOf(hours / 24, "day") : countOf(hours, "hour")
