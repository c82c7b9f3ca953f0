import { grouped } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"

export type Counts = { holders: number; unverified: number }

/** What the register counts: wallets, or the investors who have them. */
export type Counted = "holder" | "investor"

/** Where a sentence about a past moment ends. */
const when = (isNow: boolean) => (isNow ? "." : " at that moment.")

export function everyoneVerified({ holders }: Counts, isNow: boolean, counted: Counted = "holder"): string {
  const verb = holders === 1 ? (isNow ? "is" : "was") : isNow ? "are" : "were"
  return `${holders === 1 ? `The only ${counted}` : `All ${countOf(holders, counted)}`} ${verb} verified${when(isNow)}`
}

export function someUnverified({ holders, unverified }: Counts, isNow: boolean, counted: Counted = "holder"): string {
  const verb = unverified === 1 ? (isNow ? "is" : "was") : isNow ? "are" : "were"
  return `${grouped(String(unverified))} of ${countOf(holders, counted)} ${verb} not verified${when(isNow)}`
}

/** What a holder who is not verified can still do, and what a member does about it. */
export const whatToDo = ({ unverified }: Counts): string =>
  unverified === 1
    ? "They keep their tokens, but can neither receive nor send any until they are verified. Start a session for them, or redeem what they hold."
    : "They keep their tokens, but can neither receive nor send any until they are verified. Start a session for each, or redeem what they hold."
