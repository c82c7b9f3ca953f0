import { afterEach, expect, test } from "vitest"
import { NOW } from "#test/fixtures/rules.ts"
import type { Lock } from "./define.ts"
import type { Rules } from "./fields.ts"
import { lockUp } from "./lock-up.ts"
import { lockedOf } from "./locked.ts"
import { allRules } from "./rules.ts"

const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000)
const locked = (available: bigint, rules: Rules = {}) => lockedOf({ rules, now: NOW }, available)
const until = (seconds: number) => ({ transfers_locked_until: at(seconds) })

/** Gives other rules locks, as a rule about holding periods has them. */
function alsoLocking(...byRule: Lock[][]): void {
  const others = allRules.filter((rule) => rule.code !== lockUp.code && rule.needs.length === 0)
  for (const [i, locks] of byRule.entries()) {
    const rule = others[i]!
    rule.locks = () => locks
    undo.push(() => delete rule.locks)
  }
}
const undo: (() => void)[] = []
afterEach(() => {
  for (const one of undo.splice(0)) one()
})

test("without a lock-up nothing is locked", () => {
  expect(locked(100n)).toEqual({ amount: 0n, nextUnlockAt: null })
})

test("a lock-up locks everything until it ends, to the second", () => {
  expect(locked(100n, until(1))).toEqual({ amount: 100n, nextUnlockAt: at(1) })
  expect(locked(100n, until(0))).toEqual({ amount: 0n, nextUnlockAt: null })
})

test("a wallet without available tokens has none locked, and learns when the lock-up ends", () => {
  expect(locked(0n, until(60))).toEqual({ amount: 0n, nextUnlockAt: at(60) })
})

test("locks of one rule add up, and unlock one after the other", () => {
  const lots = [
    { amount: 30n, until: at(20) },
    { amount: 10n, until: at(10) },
    { amount: 5n, until: at(-10) },
  ]
  alsoLocking(lots)
  expect(locked(100n)).toEqual({ amount: 40n, nextUnlockAt: at(10) })
})

test("tokens that two rules lock unlock when the later one ends", () => {
  alsoLocking([
    { amount: 30n, until: at(20) },
    { amount: 70n, until: at(40) },
  ])
  expect(locked(100n, until(10))).toEqual({ amount: 100n, nextUnlockAt: at(20) })
  expect(locked(100n, until(30))).toEqual({ amount: 100n, nextUnlockAt: at(30) })
  expect(locked(100n, until(50))).toEqual({ amount: 100n, nextUnlockAt: at(50) })
})

test("no more than what is available is locked", () => {
  alsoLocking([{ amount: 300n, until: at(20) }])
  expect(locked(100n)).toEqual({ amount: 100n, nextUnlockAt: at(20) })
})
