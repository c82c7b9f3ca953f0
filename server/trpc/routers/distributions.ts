import { z } from "zod"
import * as distributions from "#domain/distributions"
import { searchText } from "#domain/investor-search"
import type { Context } from "#domain/requests"
import * as tokens from "#domain/tokens"
import { idOf, page, wholeNumber } from "#server/lib/fields.ts"
import { plainText, words } from "#server/lib/text.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"
import { MOST_MARKED_TOGETHER } from "#shared/bulk.ts"
import { EXTERNAL_DECIMALS, MOST_EXTERNAL_DECIMALS } from "#shared/distributions.ts"
import { fail } from "#shared/errors.ts"
import { grounds } from "./servicing-fields.ts"

const { endpoint } = endpointsIn("Distribution")

const id = idOf("dist").meta({ description: "The distribution's id" })
const payoutId = idOf("pay").meta({ description: "The payout's id" })
const externalReference = words(200).meta({
  description: "Your reference of the payment. No personal data: it is kept",
  example: "SEPA 2026-10-04/118",
})
const payoutFilter = z.object({ status: distributions.payoutStatus.optional(), q: searchText.optional() })
/** Strict, because an act on all that match must not ignore a filter. */
const exactFilter = payoutFilter.strict()

/** The most wallets that a request can exclude. */
const MOST_EXCLUDED = 1000

const terms = z.object({
  snapshot_id: plainText(100).meta({
    description: "A snapshot that is ready. Its holders are paid",
    example: "snap_9sXcVbNmQwErTyUiPaSdFg",
  }),
  settlement: distributions.settlement,
  payment_mint: walletAddress.optional().meta({
    description: "For `stablecoin`: one of the mints in GET /treasury",
    example: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v",
  }),
  decimals: wholeNumber(0, MOST_EXTERNAL_DECIMALS)
    .optional()
    .meta({
      description: `For \`external\`: the decimals of its amounts. If left out, ${EXTERNAL_DECIMALS}`,
      example: 2,
    }),
  total: tokens.amountField.optional().meta({
    description: "What to distribute, to the last unit, in proportion to what wallets held. This or per_unit",
    example: "1250",
  }),
  per_unit: tokens.amountField.optional().meta({ description: "What each whole token gets", example: "0.25" }),
  minimum: tokens.amountField.optional().meta({
    description: "Smaller payouts are not paid, and add to the remainder",
    example: "0.01",
  }),
  exclude: z
    .array(walletAddress)
    .max(MOST_EXCLUDED)
    .default([])
    .meta({ description: "Wallets that get nothing, such as your own", example: [tokens.OTHER_WALLET] }),
})

const checkTerms: Parameters<typeof terms.superRefine>[0] = (
  { settlement, payment_mint, decimals, total, per_unit },
  { addIssue },
) => {
  const refuse = (field: string, message: string) => addIssue({ code: "custom", path: [field], message })
  if ((total === undefined) === (per_unit === undefined)) refuse("total", "send either total or per_unit")
  if (settlement === "stablecoin" && payment_mint === undefined) refuse("payment_mint", "required for `stablecoin`")
  if (settlement !== "stablecoin" && payment_mint !== undefined) refuse("payment_mint", "only for `stablecoin`")
  if (settlement !== "external" && decimals !== undefined) refuse("decimals", "only for `external`")
}

const request = terms
  .extend({
    reason_code: grounds.reason_code.default("dividend").meta({ description: "Why", example: "dividend" }),
    reference: grounds.reference,
  })
  .superRefine(checkTerms)

const termsOf = (input: z.output<typeof terms>): distributions.DistributionTerms => ({
  snapshotId: input.snapshot_id,
  settlement: input.settlement,
  paymentMint: input.payment_mint ?? null,
  decimals: input.decimals ?? EXTERNAL_DECIMALS,
  total: input.total ?? null,
  perUnit: input.per_unit ?? null,
  minimum: input.minimum ?? null,
  exclude: [...new Set(input.exclude)],
})

/** Answers 202 while it waits for approval or is being paid. */
async function answerAct<Record extends { state: string }>(ctx: Pick<Context, "answer">, answer: Promise<Record>) {
  const record = await answer
  if (record.state === "awaiting_approval" || record.state === "paying") ctx.answer.status = 202
  return record
}

/** Paying the holders of a token. */
export const distributionRouter = router({
  create: endpoint("POST /distributions", {
    scope: "distribution:write",
    fails: [
      "invalid_public_key",
      "invalid_amount",
      "snapshot_not_found",
      "snapshot_not_ready",
      "payment_mint_refused",
      "treasury_shared",
      "chain_not_configured",
      "chain_unavailable",
    ],
    operationId: "createDistribution",
    summary: "Draft a distribution",
    description:
      "Computes what each holder in a snapshot gets. Nothing is paid before you start it: the answer and its payouts are the preview, with the payouts that would be withheld now. The amounts do not change after that. They add up to the total to the last unit: each holder gets their share rounded down, and the units that are left go to the largest fractions, one each; of equal ones, to the wallet that comes first. Held tokens count. Vouch's own addresses get nothing.",
    input: request,
    output: distributions.distributionRecord,
  }).mutation(({ ctx, input }) =>
    distributions.createDistribution({
      ...ctx,
      ...termsOf(input),
      reasonCode: input.reason_code,
      reference: input.reference,
    }),
  ),

  /** For the dashboard: the same without a draft. */
  preview: memberWith("distribution:write")
    .input(terms.superRefine(checkTerms))
    .output(distributions.distributionPreview)
    .query(({ ctx, input }) => distributions.previewDistribution(ctx.principal, termsOf(input))),

  list: endpoint("GET /distributions", {
    scope: "token:read",
    fails: ["unknown_mint_config"],
    operationId: "listDistributions",
    summary: "List distributions",
    description: "Newest first.",
    input: z.object({
      mint_config: tokens.knownConfigId.optional().meta({ description: "Only distributions of this token" }),
      state: distributions.distributionState.optional().meta({ description: "Only distributions in this state" }),
      ...page,
    }),
    output: distributions.distributionList,
  }).query(({ ctx, input: { mint_config, state, limit, cursor } }) =>
    distributions.listDistributions(ctx.principal, {
      ...{ mintConfig: mint_config ?? null, state: state ?? null },
      ...{ limit, cursor: cursor ?? null },
    }),
  ),

  get: endpoint("GET /distribution/{id}", {
    scope: "token:read",
    fails: ["distribution_not_found"],
    operationId: "getDistribution",
    summary: "Get a distribution",
    description: "Returns its state and what has become of its payouts, as sums.",
    input: z.object({ id }),
    output: distributions.distributionRecord,
  }).query(({ ctx, input }) => distributions.readDistribution(ctx.principal, input.id)),

  payouts: endpoint("GET /distribution/{id}/payouts", {
    scope: "token:read",
    fails: ["distribution_not_found"],
    operationId: "listPayouts",
    summary: "List a distribution's payouts",
    description: "What each wallet gets and what has become of it, by wallet.",
    input: z.object({
      id,
      status: distributions.payoutStatus.optional().meta({ description: "Only payouts with this status" }),
      ...page,
    }),
    output: distributions.payoutList,
  }).query(({ ctx, input: { id: distributionId, status, limit, cursor } }) =>
    distributions.listPayouts(ctx.principal, {
      ...{ distributionId, status: status ?? null },
      ...{ limit, cursor: cursor ?? null },
    }),
  ),

  /** For the dashboard. */
  searchPayouts: memberWith("token:read")
    .input(payoutFilter.extend({ id, ...page }))
    .query(({ ctx, input: { id: distributionId, status = null, cursor = null, ...input } }) =>
      distributions.listPayouts(ctx.principal, { ...input, distributionId, status, cursor }),
    ),

  /** For the dashboard. */
  countPaid: memberWith("token:read")
    .input(z.object({ id }))
    .query(({ ctx, input }) => distributions.countPaid(ctx.principal, input.id)),

  start: endpoint("POST /distribution/{id}/start", {
    scope: "distribution:write",
    accepted: "/distribution/{distribution_id}",
    fails: [
      "distribution_not_found",
      "distribution_ended",
      "treasury_insufficient",
      "treasury_frozen",
      "treasury_shared",
      "payment_mint_refused",
      "approver_missing",
      "chain_not_configured",
      "chain_unavailable",
    ],
    operationId: "startDistribution",
    summary: "Start or resume a distribution",
    description:
      "Pays a draft, or carries on with one that is paused. Each payout is one operation with one memo, and it lands at most once. A payout that its wallet may not receive now is withheld with the reason and stays owed. An external distribution is completed once you have marked every payout as paid. If a policy requires the approval of further members, the distribution waits as `awaiting_approval`; if they refuse, it is a draft again.",
    input: z.object({ id }),
    output: distributions.distributionRecord,
  }).mutation(({ ctx, input }) => answerAct(ctx, distributions.startDistribution({ ...ctx, id: input.id }))),

  pause: endpoint("POST /distribution/{id}/pause", {
    scope: "distribution:write",
    fails: ["distribution_not_found", "distribution_ended", "distribution_not_paying"],
    operationId: "pauseDistribution",
    summary: "Pause a distribution",
    description: "Begins no more payouts. Those that have begun end. Start it to carry on.",
    input: z.object({ id }),
    output: distributions.distributionRecord,
  }).mutation(({ ctx, input }) => distributions.pauseDistribution({ ...ctx, id: input.id })),

  cancel: endpoint("POST /distribution/{id}/cancel", {
    scope: "distribution:write",
    fails: ["distribution_not_found", "distribution_ended"],
    operationId: "cancelDistribution",
    summary: "Cancel a distribution",
    description:
      "Ends a distribution. Payouts that have begun end, and the others stay unpaid. You can still mark them as paid elsewhere.",
    input: z.object({ id }),
    output: distributions.distributionRecord,
  }).mutation(({ ctx, input }) => distributions.cancelDistribution({ ...ctx, id: input.id })),

  payout: endpoint("GET /payout/{id}", {
    scope: "token:read",
    fails: ["payout_not_found"],
    operationId: "getPayout",
    summary: "Get a payout",
    description: "Returns what it pays to whom, and what has become of it.",
    input: z.object({ id: payoutId }),
    output: distributions.payoutRecord,
  }).query(({ ctx, input }) => distributions.readPayout(ctx.principal, input.id)),

  release: endpoint("POST /payout/{id}/release", {
    scope: "distribution:write",
    fails: ["payout_not_found", "payout_not_open", "chain_unavailable"],
    operationId: "releasePayout",
    summary: "Release a withheld payout",
    description:
      "Tries to pay a payout that is withheld, once its reason has ended. It is checked again, and withheld again if the wallet still may not receive. The payout of a wallet that was recovered goes to the wallet that replaced it.",
    input: z.object({ id: payoutId }),
    output: distributions.payoutRecord,
  }).mutation(({ ctx, input }) => distributions.releasePayout({ ...ctx, id: input.id })),

  retry: endpoint("POST /payout/{id}/retry", {
    scope: "distribution:write",
    fails: ["payout_not_found", "payout_not_open", "chain_unavailable"],
    operationId: "retryPayout",
    summary: "Retry a failed payout",
    description: "Tries to pay a payout whose operation failed, by a new operation.",
    input: z.object({ id: payoutId }),
    output: distributions.payoutRecord,
  }).mutation(({ ctx, input }) => distributions.retryPayout({ ...ctx, id: input.id })),

  markPaid: endpoint("POST /payout/{id}/mark-paid", {
    scope: "distribution:write",
    fails: ["payout_not_found", "payout_not_open", "chain_unavailable"],
    operationId: "markPayoutPaid",
    summary: "Mark a payout as paid elsewhere",
    description:
      "Notes that you paid it in another way, such as by bank transfer. Vouch never pays it after that. Payouts of an external distribution are paid like this, and so can be any payout that is pending, withheld or failed.",
    input: z.object({
      id: payoutId,
      external_reference: externalReference,
    }),
    output: distributions.payoutRecord,
  }).mutation(({ ctx, input }) =>
    distributions.markPaid({ ...ctx, id: input.id, externalReference: input.external_reference }),
  ),
  // For the dashboard: marking many at once.

  markable: memberWith("distribution:write")
    .input(exactFilter.extend({ id }))
    .query(({ ctx, input: { id: distributionId, ...filter } }) =>
      distributions.countMarkable(ctx.principal, distributionId, filter),
    ),

  markManyPaid: memberWith("distribution:write")
    .input(
      z.object({
        id,
        payout_ids: z.array(payoutId).min(1).max(MOST_MARKED_TOGETHER).optional(),
        /** All that match a filter, with what `markable` returned as `seen`. */
        matching: z.object({ filter: exactFilter, seen: z.string().max(100) }).optional(),
        external_reference: externalReference,
      }),
    )
    .mutation(({ ctx, input: { id: distributionId, payout_ids, matching, external_reference } }) => {
      if ((payout_ids === undefined) === (matching === undefined))
        return fail("validation_failed", "payout_ids: send either these or matching.")
      const of = matching ?? { ids: payout_ids! }
      return distributions.markManyPaid({ ...ctx, distributionId, of, externalReference: external_reference })
    }),
})
