import { recordChange } from "#domain/audit-log"
import { recipientRefusals } from "#domain/tokens"
import type { PayoutStatus } from "#shared/distributions.ts"
import { changePayout, notOpen, type PayoutAct } from "./change-payout.ts"
import type { PayoutRecord } from "./payout.ts"

/** Tries to pay a payout that is withheld. Errors: payout_not_found, payout_not_open, chain_unavailable in quarantine. */
export const releasePayout = (act: PayoutAct): Promise<PayoutRecord> => again(act, "withheld", "released")

/** Tries to pay a payout whose operation failed. Errors: as above. */
export const retryPayout = (act: PayoutAct): Promise<PayoutRecord> => again(act, "failed", "retried")

const again = (request: PayoutAct, from: PayoutStatus, verb: "released" | "retried"): Promise<PayoutRecord> =>
  changePayout(request, async (sql, author, payout, distribution) => {
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
