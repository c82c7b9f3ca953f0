import { z } from "zod"
import { changeableFields } from "#domain/tokens"
import { amountText, idOf, named, schemaName, signature, timestamp, wallet } from "#server/lib/fields.ts"
import { approvalStates, requestedActions } from "#shared/approvals.ts"
import { distributionStates } from "#shared/distributions.ts"
import { type EventType, eventTypes } from "#shared/event-types.ts"
import { operationKinds, reasonCodes } from "#shared/movements.ts"
import { recoveryStates } from "#shared/recoveries.ts"
import { allReviewDecisions } from "#shared/review-decisions.ts"
import { allReviewEndings, allReviewKinds } from "#shared/reviews.ts"
import { cursorPattern } from "./position.ts"

const investorId = idOf("inv").meta({
  description: "The person whose wallet it is",
})
const attestationId = idOf("att")
const schema = schemaName
const mintConfig = named.meta({ description: "Mint configuration", example: "us_real_estate_fund_v1" })
const onchainTx = signature.nullable().meta({
  description: "Signature of the transaction, base58; null until confirmed",
  example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
})

const session = z.object({
  attestation_id: attestationId,
  user_pubkey: wallet,
  schema,
  investor_id: investorId,
})

type Shape = { types: readonly [EventType, ...EventType[]]; data: z.ZodObject }

/** The data of events, grouped by kinds with the same data: the objects that they are about, and nothing personal. */
const shapes = {
  SessionEvent: { types: ["session.opened", "session.submitted", "attestation.pending"], data: session },
  AttestationEvent: {
    types: ["attestation.verified", "attestation.rejected", "attestation.expired"],
    data: session.extend({
      issued_at: timestamp.nullable().meta({ description: "Time of the decision; null until verified" }),
      expires_at: timestamp.nullable().meta({ description: "Null until verified" }),
      revoked_at: timestamp.nullable().meta({ description: "Null unless revoked", example: null }),
      onchain_tx: onchainTx,
    }),
  },
  ExpiringEvent: {
    types: ["attestation.expiring"],
    data: session.extend({
      expires_at: timestamp,
      days: z.number().int().meta({ description: "How many days before the expiry the event was sent", example: 30 }),
    }),
  },
  OperationEvent: {
    types: ["operation.confirmed", "operation.failed"],
    data: z.object({
      operation_id: idOf("op"),
      kind: z.enum(operationKinds).meta({ example: "mint" }),
      mint_config: mintConfig,
      user_pubkey: wallet.meta({ description: "The recipient; of a burn, a hold and a release, the holder" }),
      from_pubkey: wallet.nullable().meta({
        description: "The sender of a transfer; null for other kinds",
        example: null,
      }),
      amount: amountText.meta({ example: "250.5" }),
      onchain_tx: onchainTx,
      error: z.string().nullable().meta({ description: "Error code; null unless it failed", example: null }),
    }),
  },
  TokenEvent: {
    types: ["token.paused", "token.resumed"],
    data: z.object({
      mint_config: mintConfig,
      symbol: z.string().meta({ description: "The token's symbol", example: "USREF" }),
    }),
  },
  TokenChangeEvent: {
    types: ["token.changed"],
    data: z.object({
      mint_config: mintConfig,
      symbol: z.string().meta({ description: "The token's symbol", example: "USREF" }),
      changed: z.array(z.enum(changeableFields)).meta({
        description: "The fields that changed. Read the record for their current values",
        example: ["rules"],
      }),
    }),
  },
  InvestorEvent: {
    types: ["investor.frozen", "investor.unfrozen"],
    data: z.object({ user_pubkey: wallet, investor_id: investorId.nullable() }),
  },
  WalletFreezeEvent: {
    types: ["wallet.frozen", "wallet.unfrozen"],
    data: z.object({
      user_pubkey: wallet,
      investor_id: investorId.nullable(),
      mint_config: mintConfig.nullable().meta({ description: "The token; null for every token", example: null }),
      reason_code: z.enum(reasonCodes).meta({ description: "Why it was frozen", example: "court_order" }),
    }),
  },
  HoldEvent: {
    types: ["hold.created", "hold.released", "hold.executed", "hold.expired"],
    data: z.object({
      hold_id: idOf("hold"),
      user_pubkey: wallet,
      investor_id: investorId.nullable(),
      mint_config: mintConfig,
      amount: amountText.meta({ description: "Whole tokens that the hold was placed for", example: "100" }),
      reason_code: z.enum(reasonCodes).meta({ description: "Why they were held", example: "court_order" }),
      operation_id: idOf("op").nullable().meta({
        description:
          "The newest operation that placed it, released it, took from it or moved it to another wallet; null if there is none",
        example: null,
      }),
    }),
  },
  RecoveryEvent: {
    types: ["recovery.updated"],
    data: z.object({
      recovery_id: idOf("rec").meta({ description: "The recovery's id" }),
      state: z.enum(recoveryStates).meta({ description: "Its new state", example: "completed" }),
      investor_id: investorId,
      user_pubkey: wallet.meta({ description: "The lost wallet" }),
      new_wallet: wallet.nullable().meta({ description: "The wallet that gets its tokens; null until one is named" }),
      error: z.string().nullable().meta({
        description: "The code of why it failed or was rejected; null otherwise",
        example: null,
      }),
    }),
  },
  SnapshotEvent: {
    types: ["snapshot.ready"],
    data: z.object({
      snapshot_id: idOf("snap").meta({ description: "The snapshot's id" }),
      mint_config: mintConfig,
      holders: z.number().int().meta({ description: "Wallets that held tokens", example: 214 }),
      sha256: z.string().meta({
        description: "SHA-256 of the holders' CSV, base64url",
        example: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
      }),
    }),
  },
  DistributionEvent: {
    types: ["distribution.updated"],
    data: z.object({
      distribution_id: idOf("dist").meta({ description: "The distribution's id" }),
      mint_config: mintConfig,
      state: z.enum(distributionStates).meta({ description: "Its new state", example: "completed" }),
      error: z.string().nullable().meta({
        description: "The code of why Vouch paused it; null otherwise",
        example: null,
      }),
    }),
  },
  QuotaEvent: {
    types: ["quota.threshold"],
    data: z.object({
      period_start: timestamp.meta({ description: "Start of the month", example: "2026-01-01T00:00:00Z" }),
      percent: z.number().int().meta({ description: "80 or 100", example: 80 }),
      used: z.number().int().meta({
        description: "Units of quota in use: pending attestations, and those that were verified",
        example: 400,
      }),
      included: z.number().int().meta({ description: "Attestations included in the month", example: 500 }),
    }),
  },
  ReviewEvent: {
    types: ["review.opened", "review.decided"],
    data: z.object({
      review_id: idOf("rev").meta({ description: "The review's id" }),
      kind: z.enum(allReviewKinds).meta({ description: "What opened the review", example: "vendor" }),
      attestation_id: attestationId.nullable(),
      user_pubkey: wallet.nullable(),
      investor_id: investorId.nullable(),
      ending: z.enum(allReviewEndings).nullable().meta({
        description: "Why it closed; null while it is open",
        example: "decided",
      }),
      decision: z.enum(allReviewDecisions).nullable().meta({
        description: "The member's decision; null if no member decision was needed or made",
        example: "approve",
      }),
    }),
  },
  ApprovalEvent: {
    types: ["approval.requested", "approval.decided"],
    data: z.object({
      approval_id: idOf("apr").meta({ description: "The approval's id" }),
      action: z.enum(requestedActions).meta({ description: "What was requested", example: "force_transfer" }),
      state: z.enum(approvalStates).meta({ description: "`pending` when it is requested", example: "pending" }),
      mint_config: mintConfig.nullable().meta({ description: "The token; null if it is about none" }),
      operation_id: idOf("op").nullable().meta({ description: "The operation; null for other acts" }),
      error: z.string().nullable().meta({
        description: "The code with which it was refused once approved; null otherwise",
        example: null,
      }),
    }),
  },
} as const satisfies Record<string, Shape>

const variants = Object.entries<Shape>(shapes).map(([name, { types, data }]) =>
  z
    .object({
      id: idOf("evt").meta({
        description: "The same in every delivery",
      }),
      sequence: z.number().int().meta({
        description: "Number of the event among all events of the workspace: 1, 2, 3, without a gap",
        example: 42,
      }),
      cursor: z.string().regex(cursorPattern).meta({
        description:
          "The position after this event: its sequence number and that number's generation. `GET /events` continues from it",
        example: "42-9f3a61c0d7e4",
      }),
      type: z.enum(types).meta({ description: types.map((type) => `\`${type}\`: ${eventTypes[type]}`).join("; ") }),
      occurred_at: timestamp.meta({ description: "When it happened" }),
      data,
    })
    .meta({ id: name }),
)

/** An event as clients read it, over REST and in webhooks. */
export const eventRecord = z
  .discriminatedUnion("type", variants as [(typeof variants)[number], ...typeof variants])
  .meta({ id: "Event", description: "Something that happened in the workspace" })

export type EventRecord = z.infer<typeof eventRecord>
