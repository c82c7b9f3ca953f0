import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { holdersOf, type RecordDate, readySnapshot } from "#domain/snapshots"
import { ownAmong } from "#domain/token-accounts"
import { readConfig, recipientRefusals } from "#domain/tokens"
import { readTreasury } from "#domain/treasury"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, limitsOf, MAX_BASE_UNITS, toBaseUnits, withoutTrailingZeros } from "#shared/amount.ts"
import { allocate, rateOf, type Share, type Terms } from "#shared/distribution.ts"
import type { Settlement } from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"
import type { ReasonCode } from "#shared/movements.ts"
import type { DistributionRecord } from "./distribution.ts"
import { readDistribution } from "./read.ts"

export type DistributionRequest = Command & {
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
  reasonCode: ReasonCode
  reference: string
}

/** How many payouts to write in one statement, and to check who may receive. */
const BATCH = 1000

type Payout = { id: string; wallet: Address; units: bigint; amount: bigint }

/**
 * Drafts a distribution: computes what each holder in a snapshot gets, and who may not receive now. Nothing is paid before
 * it is started. Errors: snapshot_not_found, snapshot_not_ready, payment_mint_refused, treasury_shared, invalid_amount,
 * validation_failed, server_busy, chain_not_configured, chain_unavailable.
 */
export async function createDistribution(request: DistributionRequest): Promise<DistributionRecord> {
  const { principal, requestId, idempotency, snapshotId, settlement, exclude, reasonCode, reference } = request
  const { workspaceId } = principal
  if (idempotency?.begun) return readDistribution(principal, idempotency.begun)
  const { mint_config: mintConfig, record_at: recordAt } = await readySnapshot(workspaceId, snapshotId, "snapshot_id")
  const config = await readConfig(workspaceId, mintConfig)
  const decimals = await decimalsOf(principal, request, config.decimals)
  const terms = termsOf(request, { held: config.decimals, payment: decimals })
  const shares = await readShares({ workspaceId, mintConfig, recordAt }, exclude)
  const { amounts, total, remainder } = allocate(shares, terms)
  const payouts = shares.flatMap(({ wallet, units }, i): Payout[] =>
    amounts[i]! > 0n ? [{ id: newId("pay"), wallet: wallet as Address, units, amount: amounts[i]! }] : [],
  )
  const field = request.total === null ? "per_unit" : "total"
  if (total > MAX_BASE_UNITS) fail("validation_failed", `${field}: the sum ${limitsOf(decimals)}.`)
  if (payouts.length === 0)
    fail("validation_failed", `${field}: no wallet would get anything. Check the snapshot, the minimum and exclude.`)
  const id = newId("dist")
  await sql.begin(async (sql) => {
    if (payouts.length > BATCH) await draftAlone(sql, workspaceId, snapshotId)
    if (idempotency) await claimKey(sql, idempotency, id)
    await sql`
      insert into distributions (workspace_id, id, snapshot_id, mint_config, settlement, payment_mint, decimals, per_unit,
        minimum, exclude, total, allocated, remainder, units, payouts, reason_code, reference, state, created_at)
      values (${workspaceId}, ${id}, ${snapshotId}, ${mintConfig}, ${settlement}, ${request.paymentMint}, ${decimals},
        ${request.perUnit && withoutTrailingZeros(request.perUnit)}, ${String(terms.minimum)}, ${exclude as Address[]}, ${String(total)},
        ${String(total - remainder)}, ${String(remainder)},
        ${String(payouts.reduce((sum, { units }) => sum + units, 0n))}, ${payouts.length}, ${reasonCode}, ${reference},
        'draft', ${clock.now()})`
    for (let at = 0; at < payouts.length; at += BATCH) {
      const batch = payouts.slice(at, at + BATCH)
      const wallets = batch.map(({ wallet }) => wallet)
      const refusals = await recipientRefusals(sql, workspaceId, mintConfig, wallets)
      await insertPayouts(
        sql,
        workspaceId,
        id,
        batch.map((one) => ({ ...one, refusal: refusals.get(one.wallet) })),
      )
    }
    await recordChange(sql, workspaceId, {
      author: { principal, requestId },
      action: "distribution.created",
      subject: id,
      detail: {
        ...{ snapshot_id: snapshotId, mint_config: mintConfig, settlement, payouts: payouts.length },
        ...{ reason_code: reasonCode, reference },
        ...(request.paymentMint && { payment_mint: request.paymentMint }),
        total: fromBaseUnits(total, decimals),
      },
    })
  })
  publishActivity(workspaceId)
  return readDistribution(principal, id)
}

/**
 * A large draft takes seconds of a connection. Several at once would take all connections that one workspace may have.
 * Errors: server_busy.
 */
async function draftAlone(sql: Queryable, workspaceId: string, snapshotId: string): Promise<void> {
  const held = await sql`
    select from snapshots where workspace_id = ${workspaceId} and id = ${snapshotId} for no key update skip locked`
  if (held.length === 0)
    fail("server_busy", "Another distribution of this snapshot is being drafted. Retry in 5 s.", {
      retryAfterSeconds: 5,
    })
}

async function insertPayouts(
  sql: Queryable,
  workspaceId: string,
  distributionId: string,
  payouts: readonly (Payout & { refusal: { code: string; detail: string } | undefined })[],
): Promise<void> {
  await sql`
    insert into payouts
      (workspace_id, id, distribution_id, wallet, investor_id, units, amount, withheld_code, withheld_detail)
    select ${workspaceId}, t.id, ${distributionId}, t.wallet, o.investor_id, t.units::numeric, t.amount::numeric, t.code,
      t.detail
    from unnest(${payouts.map(({ id }) => id)}::text[], ${payouts.map(({ wallet }) => wallet)}::text[],
      ${payouts.map(({ units }) => String(units))}::text[], ${payouts.map(({ amount }) => String(amount))}::text[],
      ${payouts.map(({ refusal }) => refusal?.code ?? null)}::text[],
      ${payouts.map(({ refusal }) => refusal?.detail ?? null)}::text[]) as t(id, wallet, units, amount, code, detail)
    cross join lateral wallet_owner(${workspaceId}, t.wallet) o`
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
async function decimalsOf(principal: Principal, request: DistributionRequest, held: number): Promise<number> {
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
function termsOf({ total, perUnit, minimum }: DistributionRequest, decimals: { held: number; payment: number }): Terms {
  const units = (field: string, text: string) =>
    toBaseUnits(text, decimals.payment) ?? fail("invalid_amount", `${field}: ${limitsOf(decimals.payment)}.`)
  const least = minimum === null ? 0n : units("minimum", minimum)
  if (total !== null) return { total: units("total", total), minimum: least }
  const rate = rateOf(perUnit!, decimals)
  return rate ? { per: rate, minimum: least } : fail("invalid_amount", "per_unit: must be more than zero.")
}
