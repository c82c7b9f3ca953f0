import { endOfMonth, secondsBetween, startOfMonth, toTimestamp } from "#server/lib/time.ts"

/** Attestations included per calendar month; null means a number agreed with the customer. */
export const plans = { free: 500, growth: 10_000, enterprise: null } as const satisfies Record<string, number | null>

export type PlanName = keyof typeof plans

/** What a plan includes: its fixed number or, for `enterprise`, the agreed one (null: no limit). */
export const includedIn = (plan: PlanName, quota: number | null): number | null => plans[plan] ?? quota

export const periodStart = (time: Date): string => toTimestamp(startOfMonth(time))
export const periodEnd = (time: Date): string => toTimestamp(endOfMonth(time))

/** Seconds until the quota resets: the `Retry-After` of `quota_exceeded`. */
export const secondsLeftIn = (time: Date): number => Math.ceil(secondsBetween(time, endOfMonth(time)))
