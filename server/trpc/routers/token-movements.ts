import { z } from "zod"
import type { Context, Principal } from "#domain/requests"
import * as tokens from "#domain/tokens"
import { idOf } from "#server/lib/fields.ts"
import { parse } from "#server/lib/validation.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, memberWith } from "#server/trpc/trpc.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import { type Between, isForced, movementKinds } from "#shared/movements.ts"
import { codesOn } from "#shared/rules/rules.ts"
import { documentHash, grounds, namedHolds, refusals, whilePaused } from "./servicing-fields.ts"

const { endpoint } = endpointsIn("Token")

const burnInput = {
  user_pubkey: walletAddress,
  mint_config: tokens.knownConfigId,
  amount: tokens.amountField,
  ...grounds,
  holder_consent: z
    .boolean()
    .meta({ description: "Whether the holder agreed, as with a redemption. If not, name a document", example: true }),
  document_sha256: documentHash.optional(),
  holds: namedHolds,
  while_paused: whilePaused,
}

const freezeInput = z.object({
  user_pubkey: walletAddress,
  mint_config: tokens.knownConfigId.optional().meta({
    description: "Only for this token. If left out: every token of the workspace, including those created later",
  }),
  ...grounds,
})

/** Freezes a wallet or lifts the freeze. */
const setsFrozen = (verb: "freeze" | "unfreeze", { summary, description }: { summary: string; description: string }) =>
  endpoint(`POST /token/${verb}`, {
    scope: "token:control",
    ...(verb === "unfreeze" && { needsApproval: true }),
    fails: ["invalid_public_key", "unknown_mint_config"],
    operationId: `${verb}Wallet`,
    summary,
    description,
    input: freezeInput,
    output: tokens.freezeRecord,
  }).mutation(({ ctx, input }) =>
    tokens.setFrozen({
      ...ctx,
      frozen: verb === "freeze",
      wallet: input.user_pubkey,
      mintConfig: input.mint_config ?? null,
      reasonCode: input.reason_code,
      reference: input.reference,
    }),
  )

const mintInput = {
  user_pubkey: walletAddress,
  mint_config: tokens.knownConfigId,
  amount: tokens.amountField,
  lot: tokens.lotField,
}
const transferInput = {
  from_pubkey: walletAddress,
  to_pubkey: walletAddress.meta({ example: tokens.OTHER_WALLET }),
  mint_config: tokens.knownConfigId,
  amount: tokens.amountField,
}
const forceTransferInput = {
  ...transferInput,
  ...grounds,
  document_sha256: documentHash,
  holds: namedHolds,
  while_paused: whilePaused,
}

/** Errors: the given code. */
function requireTwo(
  { from_pubkey, to_pubkey }: { from_pubkey: string; to_pubkey: string },
  code: "validation_failed" | "same_wallet",
): void {
  if (from_pubkey === to_pubkey) fail(code, "to_pubkey: must differ from from_pubkey.")
}

/** Moves tokens. Answers 202 if the operation is still in progress. */
async function answerMove(
  ctx: Context & { principal: Principal },
  about: Pick<tokens.Move, "config" | "movement" | "amount" | "holds" | "whilePaused" | "lot"> &
    Partial<Pick<tokens.Move, "forced">>,
) {
  const { record, isFinal } = await tokens.move({ ...ctx, forced: null, ...about })
  if (!isFinal) ctx.answer.status = 202
  return record
}

/** Errors: holder_consent_required. */
function requireGrounds({
  holder_consent,
  document_sha256,
}: {
  holder_consent: boolean
  document_sha256?: string | undefined
}): void {
  if (!holder_consent && document_sha256 === undefined)
    fail("holder_consent_required", "document_sha256: is required without the holder's consent.")
}

const OF_FORCED = "Only of a burn or a forced transfer, as there"

/**
 * What a preflight asks about: the fields of each kind's request. A choice between several objects has no type in the
 * clients that people generate for Go and Java.
 */
const preflightInput = z.object({
  kind: z.enum(movementKinds).meta({
    description: "The request that you would send. The other fields are those of its body, and no others are allowed",
    example: "transfer",
  }),
  // In the order of the requests, which is also the order of the errors.
  user_pubkey: walletAddress.optional().meta({ description: "The wallet of a mint or a burn" }),
  from_pubkey: walletAddress.optional().meta({ description: "The sender of a transfer or a forced transfer" }),
  to_pubkey: walletAddress.optional().meta({
    description: "The recipient of a transfer or a forced transfer",
    example: tokens.OTHER_WALLET,
  }),
  mint_config: tokens.knownConfigId,
  amount: tokens.amountField,
  reason_code: grounds.reason_code.optional().meta({ description: OF_FORCED }),
  reference: grounds.reference.optional().meta({ description: OF_FORCED }),
  document_sha256: documentHash.optional().meta({ description: OF_FORCED }),
  holder_consent: burnInput.holder_consent.optional().meta({ description: "Only of a burn, as there" }),
  holds: namedHolds.meta({ description: OF_FORCED }),
  lot: tokens.lotField,
  while_paused: z.boolean().optional().meta({ description: OF_FORCED, example: false }),
})

/** The same, validated as each endpoint validates its body. */
const sentRequest = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("mint"), ...mintInput }),
  z.strictObject({ kind: z.literal("transfer"), ...transferInput }),
  z.strictObject({ kind: z.literal("burn"), ...burnInput }),
  z.strictObject({ kind: z.literal("force_transfer"), ...forceTransferInput }),
])

/** What a form asks about: its reason and document may not be entered yet. */
const asked = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("mint"), ...mintInput }),
  z.object({ kind: z.literal("transfer"), ...transferInput }),
  z.object({
    kind: z.literal("burn"),
    user_pubkey: walletAddress,
    mint_config: tokens.knownConfigId,
    amount: tokens.amountField,
    holder_consent: z.boolean().default(false),
    while_paused: whilePaused,
    holds: namedHolds,
  }),
  z.object({
    kind: z.literal("force_transfer"),
    ...transferInput,
    while_paused: whilePaused,
    holds: namedHolds,
    /** The hold that it executes. */
    executes: idOf("hold").optional(),
  }),
])

/** Errors: validation_failed, same_wallet. */
function movementOf(input: z.output<typeof asked>): Between<Address> {
  if (input.kind === "mint") return { kind: "mint", from: null, to: input.user_pubkey }
  if (input.kind === "burn") return { kind: "burn", from: input.user_pubkey, to: null }
  requireTwo(input, input.kind === "transfer" ? "validation_failed" : "same_wallet")
  return { kind: input.kind, from: input.from_pubkey, to: input.to_pubkey }
}

/** Errors: validation_failed, same_wallet. */
function intentOf(input: z.output<typeof asked>): tokens.Intent {
  const { mint_config: config, amount } = input
  const holder_consent = input.kind === "burn" && input.holder_consent
  const forced = isForced(input.kind) ? { holder_consent } : null
  const whilePaused = "while_paused" in input && input.while_paused
  const { holds, executes } = { holds: undefined, executes: undefined, ...input }
  const lot = input.kind === "mint" ? tokens.pastLot(input.lot) : undefined
  return {
    ...{ config, amount, movement: movementOf(input), whilePaused, forced, lot, isApproved: false },
    ...(holds && { holds }),
    ...(executes && { holds: [executes], executes }),
  }
}

/** What moves tokens or stops them, and what a movement would answer. */
export const movements = {
  mint: endpoint("POST /token/mint", {
    scope: "token:mint",
    accepted: "/token/operation/{operation_id}",
    fails: [...refusals, ...codesOn("mint")],
    operationId: "mintTokens",
    summary: "Mint tokens",
    description:
      "Mints to a verified wallet. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far.",
    input: z.object(mintInput),
    output: tokens.operationRecord,
  }).mutation(({ ctx, input: { mint_config: config, user_pubkey: to, amount, lot } }) =>
    answerMove(ctx, { config, amount, movement: { kind: "mint", from: null, to }, lot: tokens.pastLot(lot) }),
  ),

  transfer: endpoint("POST /token/transfer", {
    scope: "token:transfer",
    accepted: "/token/operation/{operation_id}",
    fails: [...refusals, ...codesOn("transfer")],
    operationId: "transferTokens",
    summary: "Transfer tokens",
    description:
      "Moves tokens between two verified wallets. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far.",
    input: z.object(transferInput),
    output: tokens.operationRecord,
  }).mutation(async ({ ctx, input }) => {
    requireTwo(input, "validation_failed")
    const { mint_config: config, from_pubkey: from, to_pubkey: to, amount } = input
    return answerMove(ctx, { config, amount, movement: { kind: "transfer", from, to } })
  }),

  burn: endpoint("POST /token/burn", {
    scope: "token:burn",
    accepted: "/token/operation/{operation_id}",
    fails: [...refusals, "holder_consent_required", "hold_not_found", "hold_ended", ...codesOn("burn")],
    operationId: "burnTokens",
    summary: "Burn tokens",
    description:
      "Burns tokens of any wallet, also of one that is not verified or is on a screening list: for a redemption with the holder's consent, or without it for a reason that a document shows. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far.",
    input: z.object(burnInput),
    output: tokens.operationRecord,
  }).mutation(({ ctx, input }) => {
    const { mint_config: config, user_pubkey: from, amount, reason_code, reference, holder_consent } = input
    const { document_sha256, holds, while_paused: whilePaused } = input
    requireGrounds(input)
    const forced = { reason_code, reference, holder_consent, ...(document_sha256 && { document_sha256 }) }
    return answerMove(ctx, { config, amount, movement: { kind: "burn", from, to: null }, forced, holds, whilePaused })
  }),

  forceTransfer: endpoint("POST /token/force-transfer", {
    scope: "token:control",
    accepted: "/token/operation/{operation_id}",
    fails: [...refusals, "same_wallet", "hold_not_found", "hold_ended", ...codesOn("force_transfer")],
    operationId: "forceTransferTokens",
    summary: "Force a transfer",
    description:
      "Moves tokens out of any wallet without the holder's consent, for a reason that a document shows. All rules bind the recipient, and none the sender. Responds once the chain has confirmed. After 25 seconds, or at once with Prefer: respond-async, responds 202 with the operation so far.",
    input: z.object(forceTransferInput),
    output: tokens.operationRecord,
  }).mutation(({ ctx, input }) => {
    requireTwo(input, "same_wallet")
    const { mint_config: config, from_pubkey: from, to_pubkey: to, amount, holds, while_paused, ...grounds } = input
    const movement = { kind: "force_transfer", from, to } as const
    const forced = { ...grounds, holder_consent: false }
    return answerMove(ctx, { config, amount, movement, holds, whilePaused: while_paused, forced })
  }),

  preflight: endpoint("POST /token/preflight", {
    scope: "token:read",
    onlyReads: true,
    fails: [
      "invalid_public_key",
      "unknown_mint_config",
      "invalid_amount",
      "same_wallet",
      "holder_consent_required",
      "chain_not_configured",
    ],
    operationId: "preflightMovement",
    summary: "Check a movement before you request it",
    description:
      "Returns what a mint, a transfer, a burn or a forced transfer would answer now, with the result of every rule, without doing anything. It takes no lock, reserves nothing and ignores Idempotency-Key, so the request itself may get another answer a moment later. A field that the request would refuse is refused here as well. What only the chain decides is not foretold, such as the balance in holder mode.",
    input: preflightInput,
    output: tokens.preflightRecord,
  }).query(({ ctx, input }) => {
    const request = parse(sentRequest, input)
    if (request.kind === "burn") requireGrounds(request)
    return tokens.preflight(ctx.principal, intentOf(request))
  }),

  freeze: setsFrozen("freeze", {
    summary: "Freeze a wallet",
    description:
      "Stops mints and transfers to and from a wallet, for one token or for every token. In holder mode its token accounts are also frozen on chain, usually within seconds, so that the holder cannot move them. Tokens of a frozen wallet can still be burned or taken by a forced transfer. Freezing a frozen wallet changes nothing.",
  }),

  unfreeze: setsFrozen("unfreeze", {
    summary: "Unfreeze a wallet",
    description:
      "Lifts a freeze with the same mint_config, or the one for every token if there is none. Other freezes of the wallet stay. Responds with what is true after that: a wallet can still be frozen for a token by the freeze for every token. Unfreezing a wallet that is not frozen changes nothing.",
  }),

  formPreflight: memberWith("token:read")
    .input(asked)
    .output(tokens.formPreflight)
    .query(({ ctx, input }) => tokens.preflight(ctx.principal, intentOf(input))),
}
