import type { Queryable } from "#db/client.ts"
import { operationsOfPayouts } from "#domain/tokens"
import { enqueueAll, toRow } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { type BaseUnits, MAX_BASE_UNITS } from "#shared/amount.ts"
import { pay } from "./operations/pay.ts"

/**
 * A payout to pay. `mintConfig` is the token because of which it is paid: who may not receive that is not paid. `amount` is
 * in base units of the payment mint.
 */
type NewPayment = { payoutId: string; mintConfig?: string; mint: Address; wallet: Address; amount: BaseUnits }

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
  const [known] = await operationsOfPayouts(sql, workspaceId, ids)
  if (known) throw new Error(`${known[0]} is paid by ${known[1]}`)
  const rows = payments.map(({ payoutId, mintConfig, mint, wallet, amount }) =>
    toRow(pay, {
      id: newId("op"),
      payload: { payout_id: payoutId, mint_config: mintConfig, mint, wallet, amount },
      writes: [payoutId],
      reads: [],
    }),
  )
  if (rows.length > 0) await enqueueAll(sql, workspaceId, rows)
  return new Map(rows.map(({ id }, i) => [ids[i]!, id]))
}
