import { z } from "zod"
import { attestationStatus, publicReason } from "#domain/attestations"
import { cancelSession, decideTestSession, getSession, listSessions, sessionRecord, sessionState } from "#domain/kyc"
import { decisionFields } from "#domain/providers"
import { schemaId } from "#domain/schemas"
import { listSessions as listOpenOrClosed, sessionQuery, viewSession } from "#server/dashboard/sessions.ts"
import { createdSpanOf, filterId, idOf, listOf, page } from "#server/lib/fields.ts"
import { freeText, plainText } from "#server/lib/text.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, procedure, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("KYC")

const id = idOf("sess").meta({ description: "The session's id" })

/** Sessions are started by `kyc.start`. */
export const sessionRouter = router({
  get: endpoint("GET /kyc/session/{id}", {
    scope: "kyc:read",
    fails: ["session_not_found"],
    operationId: "getSession",
    summary: "Get a session",
    description: "Returns the state of a verification session.",
    input: z.object({ id }),
    output: sessionRecord,
  }).query(({ ctx, input }) => getSession(ctx.principal, input.id)),

  search: endpoint("GET /kyc/sessions", {
    scope: "kyc:read",
    fails: ["invalid_public_key", "unknown_schema"],
    operationId: "listSessions",
    summary: "List sessions",
    description: "Newest first. Pages stay stable while sessions are added.",
    input: z.object({
      state: sessionState.optional().meta({ description: "Only sessions in this state" }),
      status: attestationStatus.optional().meta({ description: "Only sessions whose attestation has this status" }),
      pubkey: walletAddress.optional(),
      schema: schemaId.optional(),
      external_id: plainText(200)
        .optional()
        .meta({ description: "Only sessions with this externalId", example: "investor-4711" }),
      investor: filterId("inv")
        .optional()
        .meta({ description: "Only sessions of this investor", example: "inv_7mYcTzHkLwR2sVbJm9X4f8" }),
      ...createdSpanOf("Created"),
      ...page,
    }),
    output: listOf(sessionRecord).meta({ id: "SessionList" }),
  }).query(({ ctx, input }) =>
    listSessions(ctx.principal, {
      wallet: input.pubkey,
      schema: input.schema,
      sessionState: input.state,
      status: input.status,
      externalId: input.external_id,
      investor: input.investor,
      from: input.created_after,
      to: input.created_before,
      limit: input.limit,
      cursor: input.cursor,
    }),
  ),

  cancel: endpoint("POST /kyc/session/{id}/cancel", {
    scope: "kyc:write",
    needsApproval: true,
    fails: ["session_not_found", "session_approved", "review_open"],
    operationId: "cancelSession",
    summary: "Cancel a session",
    description:
      "Ends a session without a decision and gives its unit of quota back. The hosted page tells the investor. A session that has ended is returned unchanged. An approved session is refused: revoke its attestation instead.",
    input: z.object({
      id,
      reason: freeText(500).optional().meta({
        description: "Internal reason, shown in the attestation's record and never to the investor",
        example: "Started by mistake",
      }),
    }),
    output: sessionRecord,
  }).mutation(({ ctx, input }) => cancelSession({ ...ctx, sessionId: input.id, reason: input.reason ?? null })),

  decide: endpoint("POST /test/sessions/{id}/decide", {
    scope: "kyc:write",
    fails: ["sandbox_only", "session_not_found", "provider_not_configured", "review_open"],
    operationId: "decideTestSession",
    summary: "Decide a sandbox session",
    description:
      "For tests without a browser: decides a sandbox session as its form would. Test mode only. After `approved`, poll the wallet's status until it is verified. A session that has ended is returned unchanged.",
    input: z.object({
      id,
      decision: decisionFields.shape.decision.meta({ description: "The sandbox's decision", example: "approved" }),
      claims: decisionFields.shape.claims.unwrap().strict().optional().meta({
        description: "Facts that rules may use. Nothing else about a person is stored.",
      }),
      public_reason: publicReason.optional().meta({
        description: "Reason code that the hosted page shows to an investor who was rejected or must submit again",
        example: "documents_unreadable",
      }),
    }),
    output: sessionRecord,
  }).mutation(({ ctx, input }) =>
    decideTestSession({
      ...ctx,
      sessionId: input.id,
      decision: { decision: input.decision, claims: input.claims ?? {}, publicReason: input.public_reason ?? null },
    }),
  ),

  /** For the dashboard. */
  list: procedure
    .meta({ scope: "attestation:read" })
    .input(sessionQuery)
    .query(({ ctx, input }) => listOpenOrClosed(ctx.principal, input)),

  view: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({ id: idOf("att") }))
    .query(({ ctx, input }) => viewSession(ctx.principal, input.id)),
})
