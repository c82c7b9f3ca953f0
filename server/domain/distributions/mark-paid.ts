import { createHash } from "node:crypto"
import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { type Author, recordChanges } from "#domain/audit-log"
import { changeAs } from "#domain/people"
import type { Caller, Principal } from "#domain/requests"
import { refuseInQuarantine } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { MOST_MATCHING } from "#shared/bulk.ts"
import { isMarkable, type PayoutStatus } from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"
import { adoptOperations } from "./adopt.ts"
import { changePayout, notOpen, type PayoutAct } from "./change-payout.ts"
import { completeIfDone } from "./complete.ts"
import { type DistributionRow, findDistribution } from "./distribution.ts"
import { findMarkable, type PayoutRow, settled } from "./payout.ts"

/**
 * Notes that a payout was paid elsewhere, so that Vouch never pays it. Errors: payout_not_found, payout_not_open,
 * chain_unavailable in quarantine.
 */
export const markPaid = ({ externalReference, ...request }: PayoutAct & { externalReference: string }) =>
  changePayout(request, async (sql, author, payout, distribution) => {
    requireStarted(distribution)
    if (!isMarkable(payout.status)) notOpen(`id: ${payout.id} is ${payout.status}.`)
    await mark(sql, author, { distribution, payouts: [payout], externalReference })
  })

type Filter = { status?: PayoutStatus | undefined; q?: string | undefined }

/**
 * How many of a distribution's payouts match and can be marked as paid, exactly up to `MOST_MATCHING`, and their sum.
 * `seen` identifies them. Errors: distribution_not_found.
 */
export async function countMarkable({ workspaceId }: Principal, distributionId: string, filter: Filter) {
  const { decimals } = await findDistribution(sql, workspaceId, distributionId)
  const found = await findMarkable(sql, workspaceId, { distributionId, ...filter, limit: MOST_MATCHING + 1 })
  return {
    count: found.length,
    is_too_many: found.length > MOST_MATCHING,
    amount: sumOf(found, decimals),
    seen: fingerprintOf(found),
  }
}

type MarkingMany = Caller & {
  distributionId: string
  /** By their ids, or all that match a filter as `countMarkable` counted them. */
  of: { ids: readonly string[] } | { filter: Filter; seen: string }
  externalReference: string
}

/**
 * Marks many payouts of a distribution as paid elsewhere, in one commit. Of those named by their ids, it leaves out and
 * returns those that cannot be marked, with their status and the reference under which they were, or nulls if the
 * distribution has no such payout. Errors: distribution_not_found, payout_not_open if it has not started,
 * selection_changed if other payouts match than those counted, insufficient_scope, chain_unavailable in quarantine.
 */
export const markManyPaid = ({ distributionId, of, externalReference, ...caller }: MarkingMany) =>
  changeAs(caller, "distribution:write", async (sql) => {
    const { workspaceId } = caller.principal
    const distribution = await findDistribution(sql, workspaceId, distributionId, { lock: true })
    // What a restored database lacks may have paid some of them.
    await refuseInQuarantine(sql, workspaceId)
    await adoptOperations(sql, workspaceId, distributionId)
    requireStarted(distribution)
    const [payouts, others] =
      "ids" in of
        ? await markableOf(sql, workspaceId, distributionId, [...new Set(of.ids)])
        : [await asSeen(sql, workspaceId, distributionId, of), []]
    if (payouts.length > 0) await mark(sql, caller, { distribution, payouts, externalReference })
    return {
      marked: payouts.length,
      amount: sumOf(payouts, distribution.decimals),
      not_marked: others,
    }
  })

type Other = { payout_id: string; status: PayoutStatus | null; external_reference: string | null }

async function markableOf(
  sql: Queryable,
  workspaceId: string,
  distributionId: string,
  ids: readonly string[],
): Promise<[markable: PayoutRow[], others: Other[]]> {
  const rows = await sql<PayoutRow[]>`
    ${settled(sql, workspaceId, sql`p.distribution_id = ${distributionId} and p.id = any(${ids as string[]})`)}`
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [
    rows.filter(({ status }) => isMarkable(status)),
    ids.flatMap((id) => {
      const { status = null, external_reference = null } = byId.get(id) ?? {}
      return status !== null && isMarkable(status) ? [] : [{ payout_id: id, status, external_reference }]
    }),
  ]
}

/** The payouts that match, if they are those that the member counted. */
async function asSeen(
  sql: Queryable,
  workspaceId: string,
  distributionId: string,
  { filter, seen }: { filter: Filter; seen: string },
): Promise<PayoutRow[]> {
  const found = await findMarkable(sql, workspaceId, { distributionId, ...filter, limit: MOST_MATCHING + 1 })
  if (found.length === 0) fail("selection_changed", "None of these payouts can still be marked as paid.")
  if (found.length > MOST_MATCHING || fingerprintOf(found) !== seen)
    fail("selection_changed", `Other payouts match now than when you selected them: ${found.length} in all.`)
  return found
}

const fingerprintOf = (payouts: readonly PayoutRow[]): string =>
  createHash("sha256")
    .update(payouts.map(({ id }) => id).join())
    .digest("base64url")

const sumOf = (payouts: readonly PayoutRow[], decimals: number): string =>
  fromBaseUnits(
    payouts.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    decimals,
  )

function requireStarted({ id, started_at }: DistributionRow): void {
  if (started_at === null) notOpen(`id: its distribution ${id} has not started.`)
}

type Marking = { distribution: DistributionRow; payouts: readonly PayoutRow[]; externalReference: string }

/** Marks payouts that can be, with an entry in the audit log for each. Their distribution is locked. */
async function mark(
  sql: Transaction,
  author: Author,
  { distribution: { workspace_id: workspaceId, id: distributionId }, payouts, externalReference }: Marking,
): Promise<void> {
  const ids = payouts.map(({ id }) => id)
  await sql`
    update payouts set paid_at = ${clock.now()}, external_reference = ${externalReference}, operation_id = null,
      withheld_code = null, withheld_detail = null
    where workspace_id = ${workspaceId} and id = any(${ids})`
  const detail = { distribution: distributionId, external_reference: externalReference }
  await recordChanges(
    sql,
    workspaceId,
    ids.map((subject) => ({ author, action: "payout.marked_paid", subject, detail })),
  )
  await completeIfDone(sql, workspaceId, distributionId)
}
