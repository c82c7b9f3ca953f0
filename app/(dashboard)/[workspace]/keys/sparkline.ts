import { countOf } from "#shared/counts.ts"

type Usage = { days: readonly string[]; requests: readonly number[]; errors: readonly number[] }

/** The smallest bar, so that one request next to thousands is visible. */
const LEAST = 2

/** The height of each day's bar, and of the part that had errors. */
export function sparkline({ requests, errors }: Usage, height: number): { height: number; errors: number }[] {
  const most = Math.max(...requests, 1)
  const scaled = (count: number) => (count === 0 ? 0 : Math.max(LEAST, Math.round((count / most) * height)))
  return requests.map((count, n) => ({ height: scaled(count), errors: scaled(errors[n] ?? 0) }))
}

/** The share of requests that failed, in words. */
export function shareOf(errors: number, requests: number): string {
  if (errors === 0) return "no errors"
  const percent = (errors / requests) * 100
  // A few errors are not none, and a few successes are not none either.
  if (percent < 1) return "<1% errors"
  return `${percent > 99 && errors < requests ? 99 : Math.round(percent)}% errors`
}

const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

/** The same in words. */
export function summaryOf({ days, requests, errors }: Usage): string {
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)
  const most = Math.max(...requests)
  const busiest = dayFormat.format(new Date(days[requests.indexOf(most)]!))
  return `${countOf(sum(requests), "request")} in the last ${days.length} days, ${shareOf(sum(errors), sum(requests))}, most on ${busiest}: ${most}`
}
