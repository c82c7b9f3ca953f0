import { fromBaseUnits } from "../amount.ts"
import type { Claims } from "../claims.ts"
import { toTimestamp } from "../timestamp.ts"
import { AGENT_ONLY, defineRule, type RegionDays } from "./define.ts"
import { isOneInvestor } from "./investors.ts"

const DAY_MS = 86_400_000
/** A hundred years. */
const MOST_DAYS = 36_525

/** Whether an investor is from the United States; null if no one knows. */
export const isFromUs = (claims: Claims | null): boolean | null =>
  claims?.country === undefined ? null : claims.country === "US"

const daysFor = (period: RegionDays, claims: Claims | null): number | null => {
  const isUs = isFromUs(claims)
  // Without a country, it is not known which period binds.
  return isUs === null ? null : isUs ? period.us : period.non_us
}

/** The newest date of acquisition whose units can be transferred now; null if none can. */
export const unlockedUpTo = (period: RegionDays, claims: Claims | null, now: Date): Date | null => {
  const days = daysFor(period, claims)
  return days === null ? null : new Date(now.getTime() - days * DAY_MS)
}

/** When units can be transferred. `never`: their date or their holder's country is missing. */
export function unlockOf(
  period: RegionDays,
  claims: Claims | null,
  acquiredAt: Date | null,
  now: Date,
): Date | "unlocked" | "never" {
  const days = daysFor(period, claims)
  if (days === null || acquiredAt === null) return "never"
  const until = new Date(acquiredAt.getTime() + days * DAY_MS)
  return until > now ? until : "unlocked"
}

export const holdingPeriod = defineRule({
  code: "holding_period",
  name: "Holding period",
  fields: {
    holding_period_days: {
      type: "regionDays",
      min: 0,
      max: MOST_DAYS,
      description:
        "Days for which a holder must have had tokens before transferring them: `us` for investors from the United States, `non_us` for all others",
      example: { us: 365, non_us: 40 },
      label: "Holding period in days",
      hint: "Refuses transfers of tokens that their holder has had for less time. A day is 24 hours. Refuses all transfers of holders whose country is unknown.",
      summary: ({ us, non_us }) => `Holding period: ${us} days for US investors, ${non_us} for others.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["holding_period_days"],
  on: ["transfer"],
  checked: "request",
  isSetAside: true,
  readsClaims: true,
  remedy: null,
  // No one acquires anything.
  applies: ({ from, to }) => !isOneInvestor(from, to),
  check({ from, amount, config: { decimals }, namesClaims }) {
    const { unlocked = 0n, next = null } = from.lots ?? {}
    // Moves in progress take the oldest units, too. Held units may be locked ones, so they are not taken off again.
    const movable = unlocked - from.outgoing
    if (movable >= amount) return null
    const most = fromBaseUnits(movable > 0n ? movable : 0n, decimals)
    const later =
      next !== null
        ? ` next_unlock_at: ${toTimestamp(next)}.`
        : namesClaims && isFromUs(from.claims) === null
          ? " Its verification contains no country."
          : ""
    return `amount: ${from.wallet} can transfer ${most} at most under the holding period.${later}`
  },
  locks({ available, lots, outgoing = 0n }) {
    if (!lots) return []
    const movable = lots.unlocked > outgoing ? lots.unlocked - outgoing : 0n
    return movable < available ? [{ amount: available - movable, until: lots.next }] : []
  },
  passed: () => "The wallet has held enough tokens for long enough.",
})
