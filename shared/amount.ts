// Amounts of tokens. People and the API have whole tokens, as decimal texts: `2.505`. The chain counts base units:
// 2505000n with 6 decimals. No double holds every one of them, so they never are numbers.

declare const unit: unique symbol
/** Base units that an amount was read as. Sums of them are plain bigints: they may be more than one amount can be. */
export type BaseUnits = bigint & { readonly [unit]: "base units" }

/** Most base units that a token account holds: 2^64 − 1. */
export const MAX_BASE_UNITS = (2n ** 64n - 1n) as BaseUnits

/** As many digits after the point as a token can have. */
const MAX_DECIMALS = 9

export const AMOUNT = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/

/**
 * Base units of a decimal text, such as 2505000n of `2.505` with 6 decimals. Null when it is not of the grammar
 * `(0|[1-9][0-9]*)(\.[0-9]+)?`, has more digits after the point than there are decimals, or is out of range.
 */
export function toBaseUnits(text: string, decimals: number): BaseUnits | null {
  const parts = AMOUNT.exec(text)
  if (!parts) return null
  const [, whole = "", fraction = ""] = parts
  // Longer ones are out of range, and need not be turned into a number to say so.
  if (fraction.length > decimals || whole.length > 20) return null
  const units = BigInt(whole + fraction.padEnd(decimals, "0"))
  return units <= MAX_BASE_UNITS ? (units as BaseUnits) : null
}

/** Base units as they were stored, in digits. */
export const readBaseUnits = (digits: string): BaseUnits => BigInt(digits) as BaseUnits

/** Decimal text of base units, without trailing zeros: `2.505` of 2505000n with 6 decimals. */
export function fromBaseUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}

/** A lamport is the base unit of SOL. */
const SOL_DECIMALS = 9

/** SOL of lamports, as decimal text, and back. */
export const solOf = (lamports: string): string => fromBaseUnits(BigInt(lamports), SOL_DECIMALS)
export const toLamports = (sol: string): BaseUnits | null => toBaseUnits(sol, SOL_DECIMALS)

/** What an amount must keep to, in words. */
export const limitsOf = (decimals: number): string =>
  decimals === 0
    ? `must be a whole number of at most ${MAX_BASE_UNITS}`
    : `must be at most ${fromBaseUnits(MAX_BASE_UNITS, decimals)}, with at most ${decimals} digits after the point`

/** An amount with its thousands apart: `1,000,000.5`. */
export function grouped(amount: string): string {
  const [whole = "", fraction] = amount.split(".")
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

/**
 * A part in percent of the whole, as decimal text, rounded down to so many places: `33.3333`. `<0.0001` for what is there and
 * too little to show. Null where the whole is nothing.
 */
export function percentOf(part: bigint, whole: bigint, places = 4): string | null {
  if (whole <= 0n) return null
  const scale = 10n ** BigInt(places)
  const scaled = ((part > 0n ? part : 0n) * 100n * scale) / whole
  return scaled === 0n && part > 0n ? `<${fromBaseUnits(1n, places)}` : fromBaseUnits(scaled, places)
}

/** How much of `whole` a part is, in thousandths: enough to draw a bar with. All of it where `whole` is nothing. */
export function perMilleOf(part: string, whole: string): number {
  const [units, all] = [part, whole].map((amount) => {
    const [digits = "", fraction = ""] = amount.split(".")
    return BigInt(digits + fraction.padEnd(MAX_DECIMALS, "0"))
  }) as [bigint, bigint]
  return all === 0n ? 1000 : Number((units * 1000n) / all)
}
