import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { readWalletParts } from "#server/solana/addresses.ts"

/** Rows that match a text: from an index of `attestations`, or by a condition on each row. */
export type Match = { lookup: Fragment; each: Fragment }

/** Shorter parts of a wallet match too many rows. The index of wallet endings has this many characters. */
const LEAST_PART = 4

// The indexes compare bytes, and this character sorts after all others.
const LAST = "\u{10ffff}"

/** Wallets that begin or end like this, or both if the middle is left out. */
export function walletsLike(q: string, wallet: Fragment = sql`wallet`): Match[] {
  const parts = readWalletParts(q)
  if (parts === null || Math.min(...Object.values(parts).map((part) => part.length)) < LEAST_PART) return []
  if ("either" in parts) return [begins(wallet, parts.either), ends(wallet, parts.either)]
  const [start, end] = [begins(wallet, parts.start), ends(wallet, parts.end)]
  return [{ lookup: sql`${start.lookup} and ${end.each}`, each: sql`${start.each} and ${end.each}` }]
}

const begins = (wallet: Fragment, start: string): Match => ({
  lookup: sql`${wallet} ~>=~ ${start} and ${wallet} ~<~ ${start + LAST}`,
  each: sql`left(${wallet}, ${start.length}) = ${start}`,
})

function ends(wallet: Fragment, end: string): Match {
  const each = sql`right(${wallet}, ${end.length}) = ${end}`
  return { lookup: sql`right(${wallet}, 4) = ${end.slice(-LEAST_PART)} and ${each}`, each }
}
