import { AMOUNT } from "./amount.ts"

/** What a distribution pays for each unit held: payment base units per held base unit, as an exact fraction. */
export type Rate = { numerator: bigint; denominator: bigint }

/** A wallet and the base units of the token that it held at the record date. */
export type Share = { wallet: string; units: bigint }

/** `total`: hand out this many base units in proportion. `per`: pay this much for each unit. */
export type Terms = ({ total: bigint } | { per: Rate }) & {
  /** Payouts below this many base units are not paid. */
  minimum: bigint
}

export type Allocation = {
  /** In the order of the shares. 0 for a share that gets nothing. */
  amounts: bigint[]
  total: bigint
  /** What no one gets: the payouts below the minimum, and all of it if no one holds anything. */
  remainder: bigint
}

/**
 * The rate of a decimal text such as `0.25`: whole payment tokens for each whole token held. Null if it is not a
 * decimal number above zero.
 */
export function rateOf(text: string, decimals: { held: number; payment: number }): Rate | null {
  const parts = AMOUNT.exec(text)
  if (!parts) return null
  const [, whole = "", fraction = ""] = parts
  const numerator = BigInt(whole + fraction) * 10n ** BigInt(decimals.payment)
  if (numerator === 0n) return null
  return { numerator, denominator: 10n ** BigInt(fraction.length + decimals.held) }
}

/**
 * Allocates base units by the largest remainder: each share gets its quota rounded down, and the units that are left go
 * to the largest fractions, one each. Of equal fractions, the wallet that comes first in byte order wins. The amounts and
 * the remainder add up to the total. What is below the minimum goes to the remainder and to no other share.
 */
export function allocate(shares: readonly Share[], terms: Terms): Allocation {
  const held = shares.reduce((sum, { units }) => sum + units, 0n)
  const { numerator, denominator } = "per" in terms ? terms.per : { numerator: terms.total, denominator: held }
  if (held === 0n) {
    const total = "per" in terms ? 0n : terms.total
    return { amounts: shares.map(() => 0n), total, remainder: total }
  }
  const total = (held * numerator) / denominator
  const amounts: bigint[] = []
  const fractions: { at: number; fraction: bigint }[] = []
  let left = total
  for (const [at, { units }] of shares.entries()) {
    const exact = units * numerator
    const amount = exact / denominator
    const fraction = exact - amount * denominator
    amounts.push(amount)
    left -= amount
    if (fraction > 0n) fractions.push({ at, fraction })
  }
  fractions.sort((one, other) => {
    if (one.fraction !== other.fraction) return one.fraction > other.fraction ? -1 : 1
    return shares[one.at]!.wallet < shares[other.at]!.wallet ? -1 : 1
  })
  for (const { at } of fractions.slice(0, Number(left))) amounts[at]! += 1n
  let remainder = 0n
  for (const [at, amount] of amounts.entries()) {
    if (amount >= terms.minimum) continue
    remainder += amount
    amounts[at] = 0n
  }
  return { amounts, total, remainder }
}
