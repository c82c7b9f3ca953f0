import { z } from "zod"
import * as recoveries from "#domain/recoveries"
import { recoveryList, recoveryReason, recoveryRecord } from "#domain/recoveries"
import type { Context } from "#domain/requests"
import { previewRecovery, viewRecovery } from "#server/dashboard/recovery.ts"
import { idOf, page } from "#server/lib/fields.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"
import { documentHash, grounds } from "./servicing-fields.ts"

const { endpoint } = endpointsIn("Investor")

const id = idOf("rec").meta({ description: "The recovery's id" })
const investorId = idOf("inv").meta({ description: "The investor's id" })

/** Answers 202 while the recovery waits for approval or for the chain. */
async function answerRecovery(ctx: Pick<Context, "answer">, answer: Promise<z.infer<typeof recoveryRecord>>) {
  const record = await answer
  if (record.state === "awaiting_approval" || record.state === "in_progress") ctx.answer.status = 202
  return record
}

/** Getting a lost wallet's tokens back to its investor. */
export const recoveryRouter = router({
  request: endpoint("POST /investor/{id}/recoveries", {
    scope: "investor:recover",
    fails: [
      "invalid_public_key",
      "investor_not_found",
      "same_wallet",
      "recovery_not_possible",
      "approver_missing",
      "chain_unavailable",
    ],
    accepted: "/recovery/{recovery_id}",
    operationId: "requestRecovery",
    summary: "Recover a lost wallet",
    description:
      "Moves everything that a lost wallet holds to another wallet of the same investor: every position and every hold, each by its own operation. The lost wallet is barred at once: nothing enters or leaves it, and no one can verify it. In live mode another member must approve. Then the lost wallet's verifications are revoked and its tokens move. The new wallet must be verified for each token and, in live mode, be proved with its signature; it must not be frozen, barred or on a screening list. Without new_wallet the lost wallet is only barred: send the request again once the investor has a new one.",
    input: z.object({
      id: investorId,
      lost_wallet: walletAddress.meta({ description: "The wallet whose key is lost or known to another person" }),
      new_wallet: walletAddress.optional().meta({
        description:
          "The investor's wallet that gets everything. If left out, the lost wallet is barred until you name one",
        example: "2kob1DaEJhgM667REcnYQihS48TJmZLxWK5L7mbX24E1",
      }),
      reason_code: recoveryReason,
      reference: grounds.reference,
      document_sha256: documentHash.optional(),
      bar_now: z.boolean().default(true).meta({
        description: "Whether the lost wallet is barred before the request is approved, and stays so if it is refused",
        example: true,
      }),
    }),
    output: recoveryRecord,
  }).mutation(({ ctx, input }) =>
    answerRecovery(
      ctx,
      recoveries.requestRecovery({
        ...ctx,
        investorId: input.id,
        lostWallet: input.lost_wallet,
        newWallet: input.new_wallet ?? null,
        reasonCode: input.reason_code,
        reference: input.reference,
        documentSha256: input.document_sha256 ?? null,
        barNow: input.bar_now,
      }),
    ),
  ),

  list: endpoint("GET /investor/{id}/recoveries", {
    scope: "kyc:read",
    fails: ["investor_not_found"],
    operationId: "listRecoveries",
    summary: "List an investor's recoveries",
    description: "Newest first, including those that have ended.",
    input: z.object({ id: investorId, ...page }),
    output: recoveryList,
  }).query(({ ctx, input: { id, limit, cursor } }) =>
    recoveries.listRecoveries(ctx.principal, { investorId: id, limit, cursor: cursor ?? null }),
  ),

  get: endpoint("GET /recovery/{id}", {
    scope: "kyc:read",
    fails: ["recovery_not_found"],
    operationId: "getRecovery",
    summary: "Get a recovery",
    description:
      "Returns its state and, to keys with the scope token:read, every position and what keeps it from moving.",
    input: z.object({ id }),
    output: recoveryRecord,
  }).query(({ ctx, input }) => recoveries.readRecovery(ctx.principal, input.id)),

  cancel: endpoint("POST /recovery/{id}/cancel", {
    scope: "investor:recover",
    fails: ["recovery_not_found", "recovery_ended", "approver_missing"],
    needsApproval: true,
    operationId: "cancelRecovery",
    summary: "Cancel a recovery",
    description:
      "Ends a recovery. Before its tokens move, that lifts the bar of its lost wallet. Once they move, it stops what has not begun, for example to name another new wallet, and the lost wallet stays barred. Verifications that were pending when the wallet was barred have ended. A policy about unfreezing wallets binds this, too: then it responds 202 with the approval.",
    input: z.object({ id }),
    output: recoveryRecord,
  }).mutation(({ ctx, input }) => recoveries.cancelRecovery({ ...ctx, id: input.id })),

  // For the dashboard only.

  view: memberWith("kyc:read")
    .input(z.object({ id }))
    .query(({ ctx, input }) => viewRecovery(ctx.principal, input.id)),

  preview: memberWith("kyc:read")
    .input(z.object({ id, new_wallet: walletAddress.nullable() }))
    .query(({ ctx, input }) => previewRecovery(ctx.principal, { id: input.id, newWallet: input.new_wallet })),
})
