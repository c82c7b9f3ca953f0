import fc from "fast-check"
import { expect, test } from "vitest"
import { MAX_BASE_UNITS } from "./amount.ts"
import { allocate, rateOf, type Share } from "./distribution.ts"

const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const units = fc.oneof(
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 20n }) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: MAX_BASE_UNITS }) },
  fc.constantFrom(0n, 1n, MAX_BASE_UNITS),
)
const wallet = fc.string({ unit: fc.constantFrom(...BASE58), minLength: 1, maxLength: 6 })
const shares: fc.Arbitrary<Share[]> = fc.uniqueArray(fc.record({ wallet, units }), {
  selector: (share) => share.wallet,
  maxLength: 40,
})
const minimum = fc.oneof(fc.constant(0n), units)
const rate = fc.record({
  numerator: fc.bigInt({ min: 1n, max: 1000n }),
  denominator: fc.bigInt({ min: 1n, max: 1000n }),
})

/** Hands out one unit at a time to the share that is furthest below its quota. Slow, and simple. */
function naive(given: readonly Share[], { numerator, denominator }: { numerator: bigint; denominator: bigint }) {
  const held = given.reduce((sum, one) => sum + one.units, 0n)
  const total = (held * numerator) / denominator
  const amounts = given.map((one) => (one.units * numerator) / denominator)
  const gotExtra = new Set<number>()
  while (amounts.reduce((sum, one) => sum + one, 0n) < total) {
    let best = -1
    for (const [i, one] of given.entries()) {
      if (gotExtra.has(i)) continue
      const lacks = (at: number) => given[at]!.units * numerator - amounts[at]! * denominator
      if (best < 0 || lacks(i) > lacks(best) || (lacks(i) === lacks(best) && one.wallet < given[best]!.wallet)) best = i
    }
    amounts[best]! += 1n
    gotExtra.add(best)
  }
  return { amounts, total }
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n)

test("amounts and the remainder add up to the total, and no amount is below the minimum", () => {
  fc.assert(
    fc.property(shares, units, minimum, (given, total, minimum) => {
      const allocation = allocate(given, { total, minimum })
      expect(allocation.total).toBe(total)
      expect(sum(allocation.amounts) + allocation.remainder).toBe(total)
      expect(allocation.amounts.every((amount) => amount === 0n || amount >= minimum)).toBe(true)
      expect(given.every((share, i) => share.units > 0n || allocation.amounts[i] === 0n)).toBe(true)
    }),
  )
})

test("without a minimum a total is handed out to the last unit, if anyone holds anything", () => {
  fc.assert(
    fc.property(shares, units, (given, total) => {
      const isHeld = given.some((share) => share.units > 0n)
      expect(allocate(given, { total, minimum: 0n }).remainder).toBe(isHeld ? 0n : total)
    }),
  )
})

test("amounts equal those of a model that hands out one unit at a time", () => {
  fc.assert(
    fc.property(
      shares,
      fc.oneof(
        units.map((total) => ({ total })),
        rate.map((per) => ({ per })),
      ),
      minimum,
      (given, terms, minimum) => {
        const held = sum(given.map((one) => one.units))
        fc.pre(held > 0n)
        const model = naive(given, "per" in terms ? terms.per : { numerator: terms.total, denominator: held })
        const { amounts, total } = allocate(given, { ...terms, minimum })
        expect(total).toBe(model.total)
        expect(amounts).toEqual(model.amounts.map((one) => (one < minimum ? 0n : one)))
      },
    ),
  )
})

test("amounts do not depend on the order of the shares", () => {
  const permuted = shares.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
  )
  fc.assert(
    fc.property(permuted, units, minimum, ([given, shuffled], total, minimum) => {
      const byWallet = (some: Share[]) => {
        const { amounts } = allocate(some, { total, minimum })
        return new Map(some.map((one, i) => [one.wallet, amounts[i]]))
      }
      expect(byWallet(shuffled)).toEqual(byWallet(given))
    }),
  )
})

test("no amount differs from its quota by a whole unit", () => {
  fc.assert(
    fc.property(shares, units, (given, total) => {
      const held = sum(given.map((one) => one.units))
      fc.pre(held > 0n)
      const { amounts } = allocate(given, { total, minimum: 0n })
      for (const [i, amount] of amounts.entries()) {
        const off = amount * held - given[i]!.units * total
        expect(off > -held && off < held).toBe(true)
      }
    }),
  )
})

test("of equal fractions the wallet that comes first in byte order wins", () => {
  const given = ["b", "a", "Z"].map((wallet) => ({ wallet, units: 1n }))
  expect(allocate(given, { total: 1n, minimum: 0n }).amounts).toEqual([0n, 0n, 1n])
  expect(allocate(given, { total: 2n, minimum: 0n }).amounts).toEqual([0n, 1n, 1n])
})

test("payouts below the minimum are the remainder, and the others get no more for it", () => {
  const given = [
    { wallet: "a", units: 98n },
    { wallet: "b", units: 2n },
  ]
  expect(allocate(given, { total: 1000n, minimum: 20n })).toEqual({ amounts: [980n, 20n], total: 1000n, remainder: 0n })
  expect(allocate(given, { total: 1000n, minimum: 21n })).toEqual({ amounts: [980n, 0n], total: 1000n, remainder: 20n })
})

test("if no one holds anything, all of a total remains, and a rate pays nothing", () => {
  const given = [{ wallet: "a", units: 0n }]
  expect(allocate(given, { total: 5n, minimum: 0n })).toEqual({ amounts: [0n], total: 5n, remainder: 5n })
  expect(allocate([], { total: 5n, minimum: 0n })).toEqual({ amounts: [], total: 5n, remainder: 5n })
  const per = rateOf("1", { held: 0, payment: 6 })!
  expect(allocate(given, { per, minimum: 0n })).toEqual({ amounts: [0n], total: 0n, remainder: 0n })
})

test("the largest balances and totals are exact", () => {
  const given = ["a", "b", "c"].map((wallet) => ({ wallet, units: MAX_BASE_UNITS as bigint }))
  const { amounts, remainder } = allocate(given, { total: MAX_BASE_UNITS, minimum: 0n })
  expect(amounts).toEqual([MAX_BASE_UNITS / 3n, MAX_BASE_UNITS / 3n, MAX_BASE_UNITS / 3n])
  expect(remainder).toBe(0n)
})

test("100,000 holders are allocated, whatever the fractions", () => {
  const given = Array.from({ length: 100_000 }, (_, i) => ({ wallet: `w${i}`, units: BigInt(i % 997) + 1n }))
  const { amounts, remainder } = allocate(given, { total: 10n ** 18n + 1n, minimum: 0n })
  expect(sum(amounts)).toBe(10n ** 18n + 1n)
  expect(remainder).toBe(0n)
})

test.each([
  ["0.25", { held: 0, payment: 6 }, 250_000n, 1n],
  ["0.25", { held: 6, payment: 6 }, 25n, 100n],
  ["1.0000001", { held: 0, payment: 6 }, 10_000_001n, 10n],
  ["3", { held: 9, payment: 0 }, 3n, 1_000_000_000n],
])("%s for each whole token, with %o decimals, is an exact fraction", (text, decimals, numerator, denominator) => {
  const rate = rateOf(text, decimals)!
  expect(rate.numerator * denominator).toBe(numerator * rate.denominator)
})

test.each(["", "0", "0.00", "-1", "1e3", ".5", "01"])("%j is not a rate", (text) => {
  expect(rateOf(text, { held: 0, payment: 6 })).toBeNull()
})

test("a rate pays each unit the same, and rounds the whole down", () => {
  const given = ["a", "b", "c"].map((wallet) => ({ wallet, units: 1n }))
  // Half a base unit for each: one and a half in all.
  const per = rateOf("0.0000005", { held: 0, payment: 6 })!
  expect(allocate(given, { per, minimum: 0n })).toEqual({ amounts: [1n, 0n, 0n], total: 1n, remainder: 0n })
})
