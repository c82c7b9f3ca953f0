import type { Queryable } from "#db/client.ts"
import { enqueueAll, toRow } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { type BaseUnits, MAX_BASE_UNITS } from "#shared/amount.ts"
import { pay } from "./operations/pay.ts"

/** A payout to pay. `amount` is in base units of the payment mint. */
type NewPayment = { payoutId: string; mint: Address; wallet: Address; amount: BaseUnits }

/**
 * Queues a payment for each payout, in the transaction of the change that needs them, and returns the operations' ids by
 * payout. Publish `ledger` after the commit. Throws if a payout has a payment that has not failed: a unique index closes
 * the race between two callers.
 */
export async function enqueuePayments(
  sql: Queryable,
  workspaceId: string,
  payments: readonly NewPayment[],
): Promise<Map<string, string>> {
  const ids = payments.map(({ payoutId }) => payoutId)
  const wrong = payments.find(({ amount }) => amount <= 0n || amount > MAX_BASE_UNITS)
  if (wrong) throw new Error(`${wrong.payoutId} cannot be paid ${wrong.amount} base units`)
  // Also in the archive, which the unique index does not cover.
  const [known] = await sql<{ payout_id: string; id: string }[]>`
    select payload ->> 'payout_id' as payout_id, id from operations
    where workspace_id = ${workspaceId} and kind = 'pay' and status <> 'failed' and payload ->> 'payout_id' = any(${ids})
    limit 1`
  if (known) throw new Error(`${known.payout_id} is paid by ${known.id}`)
  const rows = payments.map(({ payoutId, mint, wallet, amount }) =>
    toRow(pay, {
      id: newId("op"),
      payload: { payout_id: payoutId, mint, wallet, amount },
      writes: [payoutId],
      reads: [],
    }),
  )
  if (rows.length > 0) await enqueueAll(sql, workspaceId, rows)
  return new Map(rows.map(({ id }, i) => [ids[i]!, id]))
}
