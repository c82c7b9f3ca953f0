import { describe, expect, test } from "vitest"
import type { Address } from "#shared/address.ts"
import { firstViolation } from "#shared/rules/check.ts"
import type { Holder, TransferContext } from "#shared/rules/define.ts"
import type { Rules } from "#shared/rules/fields.ts"
import type { RuleCode } from "#shared/rules/rules.ts"

export const NOW = new Date("2026-06-01T00:00:00Z")

const holder = (name: string, more: Partial<Holder> = {}): Holder => ({
  wallet: name as Address,
  claims: { country: "US", accredited: true },
  balance: 0n,
  incoming: 0n,
  outgoing: 0n,
  hasSlot: false,
  ...more,
})
/** Has 100 units, which she gives. */
export const alice = (more?: Partial<Holder>) => holder("alice", { balance: 100n, hasSlot: true, ...more })
/** Has none, and receives. */
export const bob = (more?: Partial<Holder>) => holder("bob", more)

export type Changes = {
  amount?: bigint
  from?: Holder
  to?: Holder
  rules?: Rules
  config?: Partial<TransferContext["config"]>
}

export const contextOf = (
  from: Holder | null,
  { amount = 10n, to = bob(), rules = {}, config = {} }: Changes,
): TransferContext => ({
  amount,
  from,
  to,
  now: NOW,
  rules,
  config: {
    decimals: 0,
    requiredSchema: "kyc_individual_v1",
    paused: false,
    issued: 100n,
    holders: 1,
    knowsBalances: true,
    ...config,
  },
})
/** What no rule objects to, but for the changes: 10 units to bob, and of a transfer from alice. */
export const mint = (changes: Changes = {}) => contextOf(null, changes)
export const transfer = (changes: Changes = {}) => contextOf(changes.from ?? alice(), changes)

type Named = [name: string, context: TransferContext][]

/** A rule alone: what it refuses, and what comes through it and all others. */
export function describeRule(code: RuleCode, { refuses, admits }: { refuses: Named; admits: Named }): void {
  describe(code, () => {
    test.each(refuses)("refuses: %s", (_name, context) => {
      expect(firstViolation(context)?.code).toBe(code)
    })
    test.each(admits)("admits: %s", (_name, context) => {
      expect(firstViolation(context)).toBeNull()
    })
  })
}
