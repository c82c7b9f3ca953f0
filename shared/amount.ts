// Amounts of tokens. People and the API use whole tokens as decimal text: `2.505`. The chain counts base units:
// 2505000n with 6 decimals. A double cannot hold all of them, so amounts are never numbers.

declare const unit: unique symbol
/** The parsed base units of an amount. Sums are plain bigints, because they may exceed the maximum amount. */
export type BaseUnits = bigint & { readonly [unit]: "base units" }

/** The most base units that a token account can hold: 2^64 − 1. */
export const MAX_BASE_UNITS = (2n ** 64n - 1n) as BaseUnits

/** The most decimals that a token can have. */
const MAX_DECIMALS = 9

export const AMOUNT = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/

/**
 * Base units of a decimal text, such as 2505000n of `2.505` with 6 decimals. Null if it does not match
 * `(0|[1-9][0-9]*)(\.[0-9]+)?`, has more digits after the point than there are decimals, or is out of range.
 */
export function toBaseUnits(text: string, decimals: number): BaseUnits | null {
  const parts = AMOUNT.exec(text)
  if (!parts) return null
  const [, whole = "", fraction = ""] = parts
  // Longer text is out of range in any case.
  if (fraction.length > decimals || whole.length > 20) return null
  const units = BigInt(whole + fraction.padEnd(decimals, "0"))
  return units <= MAX_BASE_UNITS ? (units as BaseUnits) : null
}

/** Base units from their stored digits. */
export const readBaseUnits = (digits: string): BaseUnits => BigInt(digits) as BaseUnits

/** Decimal text of base units, without trailing zeros: `2.505` of 2505000n with 6 decimals. */
export function fromBaseUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}

/** The same amount without trailing zeros: `2.5` of `2.500`. */
export const withoutTrailingZeros = (amount: string): string =>
  amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount

/** A lamport is the base unit of SOL. */
const SOL_DECIMALS = 9

/** Lamports as decimal text of SOL, and back. */
export const solOf = (lamports: string): string => fromBaseUnits(BigInt(lamports), SOL_DECIMALS)
export const toLamports = (sol: string): BaseUnits | null => toBaseUnits(sol, SOL_DECIMALS)

/** The limits of an amount, in words. */
export const limitsOf = (decimals: number): string =>
  decimals === 0
    ? `must be a whole number of at most ${MAX_BASE_UNITS}`
    : `must be at most ${fromBaseUnits(MAX_BASE_UNITS, decimals)}, with at most ${decimals} digits after the point`

/** An amount as people write it, never with just one digit after the point: `1,000,000.50`. */
export function grouped(amount: string): string {
  const [whole = "", fraction] = amount.split(".")
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? groups : `${groups}.${fraction.padEnd(2, "0")}`
}

/** The most digits after the point among amounts as people write them, so never just one. */
export function placesOf(amounts: readonly string[]): number {
  const most = Math.max(0, ...amounts.map((amount) => amount.split(".")[1]?.length ?? 0))
  return most === 1 ? 2 : most
}

/** An amount with at least so many digits after the point, so that a column of them lines up: `6,000.50`. */
export function groupedTo(places: number, amount: string): string {
  const [whole = "", fraction = ""] = amount.split(".")
  return grouped(places === 0 ? amount : `${whole}.${fraction.padEnd(places, "0")}`)
}

/**
 * A part as a percentage of the whole, as decimal text, rounded down to so many places: `33.3333`. `<0.0001` if it is
 * greater than zero but too small to show. Null if the whole is zero.
 */
export function percentOf(part: bigint, whole: bigint, places: number): string | null {
  if (whole <= 0n) return null
  const scale = 10n ** BigInt(places)
  const scaled = ((part > 0n ? part : 0n) * 100n * scale) / whole
  return scaled === 0n && part > 0n ? `<${fromBaseUnits(1n, places)}` : fromBaseUnits(scaled, places)
}

/** The percentage as the dashboard shows it, always with two decimals: `4.00`, `<0.01`. */
export function shareOf(part: bigint, whole: bigint): string | null {
  const percent = percentOf(part, whole, 2)
  if (percent === null) return null
  const [units, fraction = ""] = percent.split(".")
  return `${units}.${fraction.padEnd(2, "0")}`
}

/** A part of `whole` in thousandths, for drawing a bar. 1000 if `whole` is zero. */
export function perMilleOf(part: string, whole: string): number {
  const [units, all] = [part, whole].map((amount) => {
    const [digits = "", fraction = ""] = amount.split(".")
    return BigInt(digits + fraction.padEnd(MAX_DECIMALS, "0"))
  }) as [bigint, bigint]
  return all === 0n ? 1000 : Number((units * 1000n) / all)
}
