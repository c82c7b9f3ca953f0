import { type Queryable, sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { recipientRefusals } from "#domain/tokens"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, withoutTrailingZeros } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import type { ReasonCode } from "#shared/movements.ts"
import type { DistributionRecord } from "./distribution.ts"
import { type DistributionTerms, type PlannedPayout, planDistribution } from "./plan.ts"
import { readDistribution } from "./read.ts"

export type DistributionRequest = Command & DistributionTerms & { reasonCode: ReasonCode; reference: string }

/** How many payouts to write in one statement, and to check who may receive. */
const BATCH = 1000

type Payout = PlannedPayout & { id: string }

/**
 * Drafts a distribution: computes what each holder in a snapshot gets, and who may not receive now. Nothing is paid before
 * it is started. Errors: snapshot_not_found, snapshot_not_ready, payment_mint_refused, treasury_shared, invalid_amount,
 * validation_failed, server_busy, chain_not_configured, chain_unavailable.
 */
export async function createDistribution(request: DistributionRequest): Promise<DistributionRecord> {
  const { principal, requestId, idempotency, snapshotId, settlement, exclude, reasonCode, reference } = request
  const { workspaceId } = principal
  if (idempotency?.begun) return readDistribution(principal, idempotency.begun)
  const plan = await planDistribution(principal, request)
  const { mintConfig, decimals, terms, total, remainder } = plan
  const payouts = plan.payouts.map((payout): Payout => ({ ...payout, id: newId("pay") }))
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
