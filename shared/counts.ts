const numbers = new Intl.NumberFormat("en-GB")

/** `1 review`, `1,200 reviews`. */
export const countOf = (count: number, what: string): string =>
  `${numbers.format(count)} ${what}${count === 1 ? "" : "s"}`

/** About so many hours, or minutes where it is less than one. */
export const hoursOf = (hours: number): string =>
  hours < 1 ? countOf(Math.max(1, Math.round(hours * 60)), "minute") : countOf(Math.round(hours), "hour")
