import type { Holder, Lock, TransferContext } from "./define.ts"
import { allRules } from "./rules.ts"

/** `nextUnlockAt`: when the next of the locked tokens unlock. Null if none are locked, or if no one knows. */
export type Locked = { amount: bigint; nextUnlockAt: Date | null }

/**
 * How much of a wallet's available tokens no transfer may take now. Rules can lock the same tokens, so the rule that
 * locks the most decides. A wallet without tokens learns the time that would apply if it had some.
 */
export function lockedOf(
  { rules, now, from = null }: Pick<TransferContext, "rules" | "now"> & { from?: Partial<Holder> | null },
  available: bigint,
): Locked {
  const units = available > 0n ? available : 1n
  const byRule = allRules
    .filter(({ needs }) => needs.every((name) => rules[name] !== undefined))
    .map((rule) => rule.locks?.({ ...from, rules, available: units }) ?? [])
  const lockedAt = (time: Date) => greatest(byRule.map((locks) => sumAfter(time, locks)))
  const locked = lockedAt(now)
  const ends = byRule.flat().flatMap(({ until }) => until ?? [])
  const nextUnlockAt = ends.toSorted((a, b) => a.getTime() - b.getTime()).find((end) => lockedAt(end) < locked) ?? null
  return { amount: locked < available ? locked : available, nextUnlockAt }
}

const sumAfter = (time: Date, locks: readonly Lock[]): bigint =>
  locks.reduce((sum, { amount, until }) => (until === null || until > time ? sum + amount : sum), 0n)

const greatest = (amounts: readonly bigint[]): bigint => amounts.reduce((most, one) => (one > most ? one : most), 0n)
