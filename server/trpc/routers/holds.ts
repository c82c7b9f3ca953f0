import { z } from "zod"
import { searchText } from "#domain/investor-search"
import type { Context } from "#domain/requests"
import * as tokens from "#domain/tokens"
import { idOf, listOf, page, time } from "#server/lib/fields.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith, router } from "#server/trpc/trpc.ts"
import { codesOn } from "#shared/rules/rules.ts"
import { documentHash, grounds, refusals, whilePaused } from "./servicing-fields.ts"

const { endpoint } = endpointsIn("Token")

const id = idOf("hold").meta({ description: "The hold's id" })

/** Answers 202 if the operation is still in progress. */
async function answerHold<Hold>(ctx: Pick<Context, "answer">, answer: Promise<{ record: Hold; isFinal: boolean }>) {
  const { record, isFinal } = await answer
  if (!isFinal) ctx.answer.status = 202
  return record
}

/** Parts of a wallet's balance that cannot move. */
export const holdRouter = router({
  place: endpoint("POST /token/holds", {
    scope: "token:control",
    fails: [
      "invalid_public_key",
      "unknown_mint_config",
      "invalid_amount",
      "insufficient_balance",
      "amount_held",
      "mint_paused",
      "account_reopening_limit",
      "chain_unavailable",
    ],
    accepted: "/token/hold/{hold_id}",
    operationId: "placeHold",
    summary: "Hold tokens",
    description:
      "Keeps part of a wallet's balance from moving until you release it, take it or it expires. A transfer, a burn or a forced transfer that needs held tokens is refused with amount_held; a burn and a forced transfer can name the hold to take from it. Mints to the wallet are not affected. In agent mode the hold is in Vouch's records alone, because the chain keeps every balance frozen. In holder mode an operation moves the tokens into a second, frozen account of the same wallet; the hold is `pending` until that is on chain.",
    input: z.object({
      user_pubkey: walletAddress,
      mint_config: tokens.knownConfigId,
      amount: tokens.amountField,
      ...grounds,
      expires_at: time.optional().meta({
        description: "When the hold ends by itself; if left out, never",
        example: "2027-01-01T00:00:00Z",
      }),
    }),
    output: tokens.holdRecord,
  }).mutation(({ ctx, input }) =>
    answerHold(
      ctx,
      tokens.placeHold({
        ...ctx,
        wallet: input.user_pubkey,
        mintConfig: input.mint_config,
        amount: input.amount,
        reasonCode: input.reason_code,
        reference: input.reference,
        expiresAt: input.expires_at === undefined ? null : new Date(input.expires_at),
      }),
    ),
  ),

  list: endpoint("GET /token/holds", {
    scope: "token:read",
    fails: ["invalid_public_key", "unknown_mint_config"],
    operationId: "listHolds",
    summary: "List holds",
    description: "Newest first, including those that have ended. Pages stay stable while holds are added.",
    input: z.object({
      pubkey: walletAddress.optional().meta({ description: "Only holds of this wallet" }),
      mint_config: tokens.knownConfigId.optional(),
      state: tokens.holdState.optional().meta({ description: "Only holds in this state" }),
      ...page,
    }),
    output: listOf(tokens.holdRecord).meta({ id: "HoldList" }),
  }).query(({ ctx, input: { pubkey, mint_config, state, limit, cursor } }) =>
    tokens.listHolds(ctx.principal, {
      wallet: pubkey ?? null,
      mintConfig: mint_config ?? null,
      state: state ?? null,
      limit,
      cursor: cursor ?? null,
    }),
  ),

  /** For the dashboard. */
  search: memberWith("token:read")
    .input(
      z.object({
        mint_config: tokens.configId,
        state: tokens.holdState.optional(),
        q: searchText.optional(),
        ...page,
      }),
    )
    .query(({ ctx, input: { mint_config: mintConfig, state = null, cursor = null, ...input } }) =>
      tokens.listHolds(ctx.principal, { ...input, mintConfig, state, cursor, wallet: null }),
    ),

  get: endpoint("GET /token/hold/{id}", {
    scope: "token:read",
    fails: ["hold_not_found"],
    operationId: "getHold",
    summary: "Get a hold",
    description: "Returns what it holds, why, and how it ended.",
    input: z.object({ id }),
    output: tokens.holdRecord,
  }).query(({ ctx, input }) => tokens.getHold(ctx.principal, input.id)),

  execute: endpoint("POST /token/hold/{id}/execute", {
    scope: "token:control",
    accepted: "/token/operation/{operation_id}",
    fails: [...refusals, "hold_not_found", "hold_ended", "same_wallet", ...codesOn("force_transfer")],
    operationId: "executeHold",
    summary: "Execute a hold",
    description:
      "Moves all that a hold holds to another wallet, by a forced transfer with the hold's reason and reference. All rules bind the recipient. Responds with the hold once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the hold so far.",
    input: z.object({
      id,
      to_pubkey: walletAddress.meta({ description: "The recipient", example: tokens.OTHER_WALLET }),
      document_sha256: documentHash,
      while_paused: whilePaused,
    }),
    output: tokens.holdExecution,
  }).mutation(({ ctx, input }) => {
    const { id: holdId, to_pubkey: to, document_sha256: documentSha256, while_paused: whilePaused } = input
    return answerHold(ctx, tokens.executeHold({ ...ctx, holdId, to, documentSha256, whilePaused }))
  }),

  release: endpoint("POST /token/hold/{id}/release", {
    scope: "token:control",
    fails: [
      "hold_not_found",
      "hold_ended",
      "mint_paused",
      "account_reopening_limit",
      "chain_unavailable",
      "approver_missing",
      "approval_rejected",
      "approval_ended",
    ],
    accepted: "/token/hold/{hold_id}",
    operationId: "releaseHold",
    summary: "Release a hold",
    description:
      "Makes what it still holds available again. Responds with the hold once it is released. If an operation has to move the tokens first, responds 202 after 25 seconds, or at once with Prefer: respond-async. If a policy requires the approval of further members, responds 202 with status `awaiting_approval`.",
    input: z.object({ id }),
    output: tokens.holdRelease,
  }).mutation(({ ctx, input }) => answerHold(ctx, tokens.releaseHold({ ...ctx, holdId: input.id }))),
})
