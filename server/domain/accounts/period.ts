import { endOfMonth, secondsBetween, startOfMonth, toTimestamp } from "#server/lib/time.ts"

export const periodStart = (time: Date): string => toTimestamp(startOfMonth(time))
export const periodEnd = (time: Date): string => toTimestamp(endOfMonth(time))

/** Seconds until the quota resets: the `Retry-After` of `quota_exceeded`. */
export const secondsLeftIn = (time: Date): number => Math.ceil(secondsBetween(time, endOfMonth(time)))
