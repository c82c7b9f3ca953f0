import { grouped } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"

export type Counts = { holders: number; unverified: number }

/** Where a sentence about a past moment ends. */
const when = (isNow: boolean) => (isNow ? "." : " at that moment.")

export function everyoneVerified({ holders }: Counts, isNow: boolean): string {
  const verb = holders === 1 ? (isNow ? "is" : "was") : isNow ? "are" : "were"
  return `${holders === 1 ? "The only holder" : `All ${countOf(holders, "holder")}`} ${verb} verified${when(isNow)}`
}

export function someUnverified({ holders, unverified }: Counts, isNow: boolean): string {
  const verb = unverified === 1 ? (isNow ? "is" : "was") : isNow ? "are" : "were"
  return `${grouped(String(unverified))} of ${countOf(holders, "holder")} ${verb} not verified${when(isNow)}`
}
