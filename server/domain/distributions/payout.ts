import type { Fragment } from "postgres"
import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { readNamed } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { disclosureFor } from "#domain/tokens"
import { badCursor, fromCursor, pageOf } from "#server/lib/cursor.ts"
import { amountText, idOf, listOf, signature, timestamp, wallet } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import {
  markableStatuses,
  type PayoutStatus,
  payoutStatuses,
  recipientCodes,
  treasuryCodes,
} from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"
import { ruleCodes } from "#shared/rules/rules.ts"

export const payoutStatus = z.enum(payoutStatuses).meta({
  description:
    "`pending`: not begun. `withheld`: it cannot be paid now, and withheld_reason says why. `submitted`: on its way. `failed`: its operation failed. Only `paid` and `external_paid` are final; everything else is owed",
  example: "paid",
})

export const payoutRecord = z
  .object({
    payout_id: idOf("pay").meta({ description: "The payout's id, which its transaction's memo names" }),
    distribution_id: idOf("dist").meta({ description: "The distribution's id" }),
    user_pubkey: wallet.meta({ description: "The wallet that held the token on the record date" }),
    paid_to: wallet.nullable().meta({
      description: "The wallet that gets it instead, because the holder's was lost and recovered; null otherwise",
      example: null,
    }),
    investor_id: idOf("inv").nullable().meta({
      description:
        "The investor who owned the wallet when the distribution was created; null unless the key has kyc:read or attestation:read",
    }),
    external_id: z.string().nullable().meta({
      description: "Your own id for the investor; null under the same conditions",
      example: "investor-4711",
    }),
    units: amountText.meta({ description: "Whole tokens that it held", example: "749.5" }),
    amount: amountText.meta({ description: "What it gets", example: "187.375" }),
    status: payoutStatus,
    withheld_reason: z
      .string()
      .regex(/^[a-z_]+$/)
      .nullable()
      .meta({
        description: `Why it is withheld or failed: the code of a rule, or of the treasury or the recipient's account, such as \`${treasuryCodes[0]}\` or \`${recipientCodes[0]}\`; null otherwise`,
        example: null,
      }),
    detail: z.string().nullable().meta({ description: "The same for people; null otherwise", example: null }),
    operation_id: idOf("op").nullable().meta({ description: "The newest operation that pays it; null before one" }),
    onchain_tx: signature.nullable().meta({
      description: "Signature of the transaction that paid it, base58; null unless `paid`",
      example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    }),
    external_reference: z.string().max(200).nullable().meta({
      description: "Your reference of the payment, if you marked it as paid; null otherwise",
      example: null,
    }),
    paid_at: timestamp.nullable().meta({ description: "When it was paid or marked as paid; null before" }),
  })
  .meta({ id: "Payout" })
export type PayoutRecord = z.infer<typeof payoutRecord>

export const payoutList = listOf(payoutRecord).meta({ id: "PayoutList" })

/** Refusals that leave a payout withheld. Any other error of an operation is a failure. */
const withholding: readonly string[] = [...ruleCodes, ...treasuryCodes, ...recipientCodes]

/** A payout with what has become of it. */
export type PayoutRow = {
  id: string
  distribution_id: string
  wallet: Address
  paid_to: Address | null
  investor_id: string | null
  external_id: string | null
  units: string
  amount: string
  status: PayoutStatus
  reason: string | null
  detail: string | null
  operation_id: string | null
  signature: string | null
  external_reference: string | null
  paid_at: Date | null
}

/** SQL: payouts `p` of a workspace that meet a condition, with their statuses. */
export const settled = (sql: Queryable, workspaceId: string, where: Fragment) => sql`
  select p.id, p.distribution_id, p.wallet, p.paid_to, p.investor_id, i.external_id, p.units, p.amount, p.operation_id,
    p.external_reference,
    case
      when p.paid_at is not null then 'external_paid'
      when p.withheld_code is not null then 'withheld'
      when o.status is null then 'pending'
      when o.status = 'confirmed' then 'paid'
      when o.status <> 'failed' then 'submitted'
      when o.error_code = any(${withholding as string[]}) then 'withheld'
      else 'failed'
    end as status,
    coalesce(p.withheld_code, case o.status when 'failed' then o.error_code end) as reason,
    coalesce(p.withheld_detail, case o.status when 'failed' then o.error_detail end) as detail,
    case o.status when 'confirmed' then o.signature end as signature,
    coalesce(p.paid_at, case o.status when 'confirmed' then o.finished_at end) as paid_at
  from payouts p left join operations o on o.workspace_id = p.workspace_id and o.id = p.operation_id
    left join investors i on i.workspace_id = p.workspace_id and i.id = p.investor_id
  where p.workspace_id = ${workspaceId} and ${where}`

const notFound = (id: string): never =>
  fail(
    "payout_not_found",
    `id: this workspace has no payout ${isId("pay", id) ? id : "with this id"}. List them with GET /distribution/{id}/payouts.`,
  )

/** Errors: payout_not_found. */
export async function findPayout(sql: Queryable, workspaceId: string, id: string): Promise<PayoutRow> {
  if (!isId("pay", id)) return notFound(id)
  const [row] = await sql<PayoutRow[]>`${settled(sql, workspaceId, sql`p.id = ${id}`)}`
  return row ?? notFound(id)
}

type Decimals = { decimals: number; token_decimals: number }

export function toPayoutRecord(principal: Principal, row: PayoutRow, of: Decimals): PayoutRecord {
  const { attestations: seesInvestors } = disclosureFor(principal)
  return {
    payout_id: row.id,
    distribution_id: row.distribution_id,
    user_pubkey: row.wallet,
    paid_to: row.paid_to,
    investor_id: seesInvestors ? row.investor_id : null,
    external_id: seesInvestors ? row.external_id : null,
    units: fromBaseUnits(BigInt(row.units), of.token_decimals),
    amount: fromBaseUnits(BigInt(row.amount), of.decimals),
    status: row.status,
    withheld_reason: row.reason,
    detail: row.detail,
    operation_id: row.operation_id,
    onchain_tx: row.signature,
    external_reference: row.external_reference,
    paid_at: row.paid_at && toTimestamp(row.paid_at),
  }
}

export type PayoutFilter = {
  distributionId: string
  status: PayoutStatus | null
  /** Names people or wallets. */
  q?: string | undefined
  limit: number
  cursor: string | null
}

/** A page of a distribution's payouts, in the order of their wallets. Errors: validation_failed for a cursor. */
export async function readPayouts(
  workspaceId: string,
  { distributionId, status, q, limit, cursor }: PayoutFilter,
): Promise<{ data: PayoutRow[]; next_cursor: string | null }> {
  const after = cursor === null ? null : await walletAt(workspaceId, distributionId, cursor)
  const statuses = status === null ? payoutStatuses : [status]
  const rows = await search(sql, workspaceId, { distributionId, q, statuses, after, limit: limit + 1 })
  return pageOf(rows, limit, (row) => row)
}

type Matching = { distributionId: string; status?: PayoutStatus | undefined; q?: string | undefined; limit: number }

/** The first payouts that match and can be marked as paid, in the order of their wallets. */
export const findMarkable = (sql: Queryable, workspaceId: string, { status, ...matching }: Matching) =>
  search(sql, workspaceId, {
    ...matching,
    statuses: markableStatuses.filter((one) => status === undefined || status === one),
    after: null,
  })

async function search(
  sql: Queryable,
  workspaceId: string,
  {
    distributionId,
    q,
    statuses,
    after,
    limit,
  }: Omit<Matching, "status"> & {
    statuses: readonly PayoutStatus[]
    /** A wallet. */
    after: string | null
  },
): Promise<PayoutRow[]> {
  const named = await readNamed(workspaceId, q)
  const where = sql`
    p.distribution_id = ${distributionId} ${after === null ? sql`` : sql`and p.wallet > ${after}`}
    ${named === null ? sql`` : sql`and ${named.isAbout({ investorId: sql`p.investor_id`, wallet: sql`p.wallet` })}`}`
  return sql<PayoutRow[]>`
    select * from (${settled(sql, workspaceId, where)}) p where p.status = any(${statuses as string[]})
    order by p.wallet limit ${limit}`
}

async function walletAt(workspaceId: string, distributionId: string, cursor: string): Promise<string> {
  const [row] = await sql<{ wallet: string }[]>`
    select wallet from payouts
    where workspace_id = ${workspaceId} and id = ${fromCursor("pay", cursor)} and distribution_id = ${distributionId}`
  return row?.wallet ?? badCursor()
}
