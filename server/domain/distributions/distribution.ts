import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { amountText, idOf, listOf, named, timestamp, wallet } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { distributionStates, settlements } from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"
import { reasonCodes } from "#shared/movements.ts"
import { settled } from "./payout.ts"

export const settlement = z.enum(settlements).meta({
  description:
    "`in_kind`: new tokens of the same kind. `stablecoin`: a payment mint, out of the treasury. `external`: you pay elsewhere, and Vouch keeps the books",
  example: "stablecoin",
})

export const distributionState = z.enum(distributionStates).meta({
  description:
    "`draft`: nothing is paid, and the payouts show what would be. `completed`: nothing is left to begin; payouts that are withheld or failed stay owed and can be released or retried. `cancelled` is final",
  example: "paying",
})

const money = (description: string) => amountText.meta({ description, example: "1250" })

export const distributionRecord = z
  .object({
    distribution_id: idOf("dist").meta({ description: "The distribution's id" }),
    snapshot_id: idOf("snap").meta({ description: "The snapshot whose holders are paid" }),
    mint_config: named.meta({ description: "The snapshot's token", example: "us_real_estate_fund_v1" }),
    record_at: timestamp.meta({
      description: "The snapshot's record date: who held the token at the end of this second is paid",
    }),
    complete: z.boolean().meta({
      description: "False if it is not known what holders had moved themselves at the record date",
      example: true,
    }),
    settlement,
    payment_mint: wallet.nullable().meta({
      description: "Address of the payment mint; null unless the settlement is `stablecoin`",
      example: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v",
    }),
    decimals: z.number().int().meta({ description: "Decimals of the amounts", example: 6 }),
    per_unit: amountText.nullable().meta({
      description: "What each whole token gets, as requested; null if the request named a total",
      example: "0.25",
    }),
    minimum: amountText.nullable().meta({
      description: "Smaller payouts are not paid; null if the request named none",
      example: "0.01",
    }),
    exclude: z.array(wallet).meta({ description: "Wallets that get nothing" }),
    reason_code: z.enum(reasonCodes).meta({ description: "Why it is paid", example: "dividend" }),
    reference: z.string().meta({ description: "Your reference", example: "Q3 2026" }),
    state: distributionState,
    paused_because: z
      .object({
        error: z.string().meta({ example: "treasury_insufficient" }),
        detail: z.string().meta({ example: "The treasury lacks 250 of the payment mint." }),
      })
      .nullable()
      .meta({ description: "Why Vouch paused it; null otherwise", examples: [null] }),
    approval_id: idOf("apr").nullable().meta({
      description: "The approval that it waits for or was started with; null if no policy binds it",
      example: null,
    }),
    payouts: z.number().int().meta({ description: "Number of payouts", example: 214 }),
    units: amountText.meta({ description: "Whole tokens that the paid wallets held", example: "5000" }),
    total: money("What is distributed: `allocated` and `remainder`"),
    allocated: money("The sum of all payouts: the six sums below"),
    remainder: amountText.meta({
      description: "What no one gets, such as payouts below the minimum",
      example: "0",
    }),
    pending: amountText.meta({ description: "The sum of payouts that have not begun", example: "0" }),
    withheld: amountText.meta({ description: "The sum of payouts that are owed and cannot be paid now", example: "0" }),
    submitted: amountText.meta({ description: "The sum of payouts that are on their way", example: "0" }),
    paid: money("The sum of payouts that were paid on chain"),
    external_paid: amountText.meta({ description: "The sum of payouts that you paid elsewhere", example: "0" }),
    failed: amountText.meta({ description: "The sum of payouts whose operation failed; they are owed", example: "0" }),
    created_at: timestamp,
    started_at: timestamp.nullable().meta({ description: "When paying began; null before" }),
    ended_at: timestamp.nullable().meta({ description: "When it was completed or cancelled; null before" }),
  })
  .meta({ id: "Distribution" })
export type DistributionRecord = z.infer<typeof distributionRecord>

export const distributionList = listOf(distributionRecord).meta({ id: "DistributionList" })

const distributionColumns = columns(
  "distributions",
  "workspace_id, id, seq, snapshot_id, mint_config, settlement, payment_mint, decimals, per_unit, minimum",
  "exclude, total, allocated, remainder, units, payouts, reason_code, reference, approval_id, pause_code",
  "pause_detail, created_at, started_at, ended_at, state",
)
type Sums = Record<(typeof sums)[number], string>
const sums = ["pending", "withheld", "submitted", "paid", "external_paid", "failed"] as const

/**
 * A distribution, with its snapshot's record date and its token's decimals. A request for approval that came to nothing
 * leaves a draft.
 */
export type DistributionRow = RowOf<typeof distributionColumns> & {
  record_at: Date
  complete: boolean
  token_decimals: number
}

export const distributionRows = (sql: Queryable) => sql`
  select ${sql(
    qualified(
      "d",
      distributionColumns.filter((name) => name !== "state"),
    ),
  )}, s.record_at, s.complete, c.decimals as token_decimals, ${stateOf(sql)} as state
  from distributions d join snapshots s on s.workspace_id = d.workspace_id and s.id = d.snapshot_id
    join mint_configs c on c.workspace_id = d.workspace_id and c.id = d.mint_config
    left join approvals a on a.workspace_id = d.workspace_id and a.id = d.approval_id`

/** SQL: the state now. While the row says `awaiting_approval`, the approval decides. */
export const stateOf = (sql: Queryable) => sql`
  case when d.state = 'awaiting_approval' and (a.state <> 'pending' or a.expires_at <= ${clock.now()}) then 'draft'
    else d.state end`

const notFound = (id: string): never =>
  fail(
    "distribution_not_found",
    `id: this workspace has no distribution ${isId("dist", id) ? id : "with this id"}. List them with GET /distributions.`,
  )

/** Errors: distribution_not_found. */
export async function findDistribution(
  sql: Queryable,
  workspaceId: string,
  id: string,
  { lock = false } = {},
): Promise<DistributionRow> {
  if (!isId("dist", id)) return notFound(id)
  const [row] = await sql<DistributionRow[]>`
    ${distributionRows(sql)} where d.workspace_id = ${workspaceId} and d.id = ${id} ${lock ? sql`for update of d` : sql``}`
  return row ?? notFound(id)
}

/** The records of rows, in order, with what has become of their payouts. */
export async function recordsOf(
  sql: Queryable,
  workspaceId: string,
  rows: readonly DistributionRow[],
): Promise<DistributionRecord[]> {
  const ids = rows.map(({ id }) => id)
  const summed = await sql<({ id: string } & Sums)[]>`
    select p.distribution_id as id, ${sums.map(
      (name, i) => sql`${i === 0 ? sql`` : sql`, `}
      coalesce(sum(p.amount) filter (where p.status = ${name}), 0)::text as ${sql(name)}`,
    )}
    from (${settled(sql, workspaceId, sql`p.distribution_id = any(${ids})`)}) p group by p.distribution_id`
  const of = new Map(summed.map((one) => [one.id, one]))
  return rows.map((row) => toRecord(row, of.get(row.id)))
}

export const recordOf = async (sql: Queryable, row: DistributionRow): Promise<DistributionRecord> =>
  (await recordsOf(sql, row.workspace_id, [row]))[0]!

function toRecord(row: DistributionRow, summed: Sums | undefined): DistributionRecord {
  const amount = (units: string | undefined) => fromBaseUnits(BigInt(units ?? 0), row.decimals)
  return {
    distribution_id: row.id,
    snapshot_id: row.snapshot_id,
    mint_config: row.mint_config,
    record_at: toTimestamp(row.record_at),
    complete: row.complete,
    settlement: row.settlement,
    payment_mint: row.payment_mint,
    decimals: row.decimals,
    per_unit: row.per_unit,
    minimum: row.minimum === "0" ? null : amount(row.minimum),
    exclude: row.exclude,
    reason_code: row.reason_code,
    reference: row.reference,
    state: row.state,
    paused_because: row.pause_code === null ? null : { error: row.pause_code, detail: row.pause_detail! },
    approval_id: row.state === "draft" ? null : row.approval_id,
    payouts: row.payouts,
    units: fromBaseUnits(BigInt(row.units), row.token_decimals),
    total: amount(row.total),
    allocated: amount(row.allocated),
    remainder: amount(row.remainder),
    pending: amount(summed?.pending),
    withheld: amount(summed?.withheld),
    submitted: amount(summed?.submitted),
    paid: amount(summed?.paid),
    external_paid: amount(summed?.external_paid),
    failed: amount(summed?.failed),
    created_at: toTimestamp(row.created_at),
    started_at: row.started_at && toTimestamp(row.started_at),
    ended_at: row.ended_at && toTimestamp(row.ended_at),
  }
}
