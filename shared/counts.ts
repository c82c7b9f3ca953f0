const numbers = new Intl.NumberFormat("en-GB")

/** `1 review`, `1,200 reviews`. */
export const countOf = (count: number, what: string): string =>
  `${numbers.format(count)} ${what}${count === 1 ? "" : "s"}`

/** How many there are; `atLeast` where no more were counted. */
export type Count = { count: number; atLeast: boolean }

/** `12`, `1,000+`. */
export const shortCount = ({ count, atLeast }: Count): string =>
  `${numbers.format(count)}${atLeast ? "+" : ""}`

/** As many as all of them together. */
export const sumOf = (counts: readonly Count[]): Count => ({
  count: counts.reduce((sum, { count }) => sum + count, 0),
  atLeast: counts.some(({ atLeast }) => atLeast),
})

/** About so many hours, or minutes where it is less than one. */
export const hoursOf = (hours: number): string =>
  hours < 1 ? countOf(Math.max(1, Math.round(hours * 60)), "minute") : countOf(Math.round(hours), "hour")
