import { repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import type { Author } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { operationsOfPayouts } from "#domain/tokens"
import { refuseInQuarantine } from "#server/ledger/index.ts"
import { fail } from "#shared/errors.ts"
import { type DistributionRow, findDistribution } from "./distribution.ts"
import { findPayout, type PayoutRecord, type PayoutRow } from "./payout.ts"
import { readPayout } from "./read.ts"

export type PayoutAct = Command & { id: string }

export const notOpen = (detail: string): never => fail("payout_not_open", detail)

/** Changes a payout under its distribution's lock, which every beginning of a payout takes. */
export async function changePayout(
  { principal, requestId, idempotency, id }: PayoutAct,
  act: (sql: Transaction, author: Author, payout: PayoutRow, distribution: DistributionRow) => Promise<void>,
): Promise<PayoutRecord> {
  const { workspaceId } = principal
  if (idempotency?.begun) return readPayout(principal, idempotency.begun)
  await repeatOnDeadlock(() =>
    sql.begin(async (sql) => {
      const { distribution_id } = await findPayout(sql, workspaceId, id)
      const distribution = await findDistribution(sql, workspaceId, distribution_id, { lock: true })
      // What a restored database lacks may have paid it.
      await refuseInQuarantine(sql, workspaceId)
      const known = (await operationsOfPayouts(sql, workspaceId, [id])).get(id)
      if (known)
        await sql`
          update payouts set operation_id = ${known}, withheld_code = null, withheld_detail = null
          where workspace_id = ${workspaceId} and id = ${id} and paid_at is null`
      await act(sql, { principal, requestId }, await findPayout(sql, workspaceId, id), distribution)
      if (idempotency) await claimKey(sql, idempotency, id)
    }),
  )
  publishActivity(workspaceId)
  return readPayout(principal, id)
}
