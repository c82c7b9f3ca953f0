import { repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { type Author, recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { operationsOfPayouts, recipientRefusals } from "#domain/tokens"
import { refuseInQuarantine } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import type { PayoutStatus } from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"
import { completeIfDone } from "./complete.ts"
import { type DistributionRow, findDistribution } from "./distribution.ts"
import { findPayout, type PayoutRecord, type PayoutRow } from "./payout.ts"
import { readPayout } from "./read.ts"

type Act = Command & { id: string }

const notOpen = (detail: string): never => fail("payout_not_open", detail)

/** Tries to pay a payout that is withheld. Errors: payout_not_found, payout_not_open, chain_unavailable in quarantine. */
export const releasePayout = (act: Act): Promise<PayoutRecord> => again(act, "withheld", "released")

/** Tries to pay a payout whose operation failed. Errors: as above. */
export const retryPayout = (act: Act): Promise<PayoutRecord> => again(act, "failed", "retried")

const again = (request: Act, from: PayoutStatus, verb: "released" | "retried"): Promise<PayoutRecord> =>
  change(request, async (sql, author, payout, distribution) => {
    const { workspace_id: workspaceId, id: distributionId, state, settlement } = distribution
    if (payout.status !== from)
      notOpen(`id: ${payout.id} is ${payout.status}, and only one that is ${from} can be ${verb}.`)
    if (state === "draft" || state === "awaiting_approval" || state === "cancelled")
      notOpen(`id: its distribution ${distributionId} is ${state}.`)
    if (settlement === "external") {
      const refusals = await recipientRefusals(sql, workspaceId, distribution.mint_config, [payout.wallet])
      const refusal = refusals.get(payout.wallet)
      if (refusal) notOpen(`id: ${refusal.detail}`)
    }
    await sql`
      update payouts set operation_id = null, withheld_code = null, withheld_detail = null
      where workspace_id = ${workspaceId} and id = ${payout.id}`
    if (state === "completed")
      await sql`
        update distributions set state = 'paying', ended_at = null
        where workspace_id = ${workspaceId} and id = ${distributionId}`
    const detail = { distribution: distributionId }
    await recordChange(sql, workspaceId, { author, action: `payout.${verb}`, subject: payout.id, detail })
  })

/**
 * Notes that a payout was paid elsewhere, so that Vouch never pays it. Errors: payout_not_found, payout_not_open,
 * chain_unavailable in quarantine.
 */
export const markPaid = ({ externalReference, ...request }: Act & { externalReference: string }) =>
  change(request, async (sql, author, payout, { workspace_id: workspaceId, id: distributionId, started_at }) => {
    if (started_at === null) notOpen(`id: its distribution ${distributionId} has not started.`)
    if (payout.status === "paid" || payout.status === "submitted" || payout.status === "external_paid")
      notOpen(`id: ${payout.id} is ${payout.status}.`)
    await sql`
      update payouts set paid_at = ${clock.now()}, external_reference = ${externalReference}, operation_id = null,
        withheld_code = null, withheld_detail = null
      where workspace_id = ${workspaceId} and id = ${payout.id}`
    const detail = { distribution: distributionId, external_reference: externalReference }
    await recordChange(sql, workspaceId, { author, action: "payout.marked_paid", subject: payout.id, detail })
    await completeIfDone(sql, workspaceId, distributionId)
  })

/** Changes a payout under its distribution's lock, which every beginning of a payout takes. */
async function change(
  { principal, requestId, idempotency, id }: Act,
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
