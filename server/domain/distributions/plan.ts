import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { holdersOf, type RecordDate, readySnapshot } from "#domain/snapshots"
import { ownAmong } from "#domain/token-accounts"
import { readConfig } from "#domain/tokens"
import { readTreasury } from "#domain/treasury"
import type { Address } from "#shared/address.ts"
import { limitsOf, MAX_BASE_UNITS, toBaseUnits } from "#shared/amount.ts"
import { allocate, rateOf, type Share, type Terms } from "#shared/distribution.ts"
import type { Settlement } from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"

export type DistributionTerms = {
  snapshotId: string
  settlement: Settlement
  paymentMint: Address | null
  /** For `external` only. */
  decimals: number
  /** Whole payment tokens, as sent: either of them. */
  total: string | null
  perUnit: string | null
  minimum: string | null
  exclude: readonly Address[]
}

export type PlannedPayout = { wallet: Address; units: bigint; amount: bigint }

/**
 * What each holder in a snapshot gets. Errors: snapshot_not_found, snapshot_not_ready, payment_mint_refused,
 * treasury_shared, invalid_amount, validation_failed, chain_not_configured, chain_unavailable.
 */
export async function planDistribution(principal: Principal, request: DistributionTerms) {
  const { workspaceId } = principal
  const { mint_config: mintConfig, record_at } = await readySnapshot(workspaceId, request.snapshotId, "snapshot_id")
  const config = await readConfig(workspaceId, mintConfig)
  const decimals = await decimalsOf(principal, request, config.decimals)
  const terms = termsOf(request, { held: config.decimals, payment: decimals })
  const shares = await readShares({ workspaceId, mintConfig, recordAt: record_at }, request.exclude)
  const { amounts, total, remainder } = allocate(shares, terms)
  const payouts = shares.flatMap(({ wallet, units }, i): PlannedPayout[] =>
    amounts[i]! > 0n ? [{ wallet: wallet as Address, units, amount: amounts[i]! }] : [],
  )
  const field = request.total === null ? "per_unit" : "total"
  if (total > MAX_BASE_UNITS) fail("validation_failed", `${field}: the sum ${limitsOf(decimals)}.`)
  if (payouts.length === 0)
    fail("validation_failed", `${field}: no wallet would get anything. Check the snapshot, the minimum and exclude.`)
  const held = shares.reduce((sum, { units }) => sum + units, 0n)
  return { mintConfig, decimals, held, heldDecimals: config.decimals, terms, payouts, total, remainder }
}

/** What the holders in a snapshot held. Vouch's own addresses get nothing. */
async function readShares(about: RecordDate, exclude: readonly Address[]): Promise<Share[]> {
  const shares: Share[] = []
  const excluded = new Set(exclude)
  for await (const part of holdersOf(about)) {
    const wallets = part.map(({ wallet }) => wallet)
    const own = new Set((await ownAmong(sql, about.workspaceId, wallets)).map(({ address }) => address))
    for (const { wallet, balance } of part)
      if (!excluded.has(wallet) && !own.has(wallet)) shares.push({ wallet, units: BigInt(balance) })
  }
  return shares
}

/** Decimals of the amounts. Errors: payment_mint_refused, treasury_shared, chain_not_configured, chain_unavailable. */
async function decimalsOf(principal: Principal, request: DistributionTerms, held: number): Promise<number> {
  const { settlement, paymentMint } = request
  if (settlement === "in_kind") return held
  if (settlement === "external") return request.decimals
  const { balances } = await readTreasury(principal)
  const found = balances.find(({ mint }) => mint === paymentMint)
  const refused = found ? found.refused : "the deployment's settings do not list it"
  if (!found || found.decimals === null)
    return fail("payment_mint_refused", `payment_mint: Vouch does not pay with ${paymentMint}: ${refused}.`)
  return found.decimals
}

/** Errors: invalid_amount. */
function termsOf({ total, perUnit, minimum }: DistributionTerms, decimals: { held: number; payment: number }): Terms {
  const units = (field: string, text: string) =>
    toBaseUnits(text, decimals.payment) ?? fail("invalid_amount", `${field}: ${limitsOf(decimals.payment)}.`)
  const least = minimum === null ? 0n : units("minimum", minimum)
  if (total !== null) return { total: units("total", total), minimum: least }
  const rate = rateOf(perUnit!, decimals)
  return rate ? { per: rate, minimum: least } : fail("invalid_amount", "per_unit: must be more than zero.")
}
