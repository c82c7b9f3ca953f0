import { endOfMonth, secondsBetween, startOfMonth, toTimestamp } from "#server/lib/time.ts"

/** The calendar month (UTC) that quota is counted in, named by its first day: `YYYY-MM-01`. */
export const periodOf = (time: Date): string => startOfMonth(time).toISOString().slice(0, 10)

export const periodStart = (time: Date): string => toTimestamp(startOfMonth(time))
export const periodEnd = (time: Date): string => toTimestamp(endOfMonth(time))

/** Until quota is counted anew: what `Retry-After` says of `quota_exceeded`. */
export const secondsLeftIn = (time: Date): number => Math.ceil(secondsBetween(time, endOfMonth(time)))
