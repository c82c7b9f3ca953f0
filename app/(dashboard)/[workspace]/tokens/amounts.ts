// Amounts come as decimal texts, and stay texts: no double holds every one of them.

/** As many digits behind the point as any token has. */
const DECIMALS = 9

/** An amount with its thousands apart: `1,000,000.5`. */
export function grouped(amount: string): string {
  const [whole = "", fraction] = amount.split(".")
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return fraction === undefined ? groups : `${groups}.${fraction}`
}

function toUnits(amount: string): bigint {
  const [whole = "", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(DECIMALS, "0"))
}

/** How much of `whole` a part is, in thousandths: enough to draw a bar with. */
export function perMilleOf(part: string, whole: string): number {
  const all = toUnits(whole)
  return all === 0n ? 1000 : Number((toUnits(part) * 1000n) / all)
}
