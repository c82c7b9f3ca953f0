import { z } from "zod"
import * as attestations from "#domain/attestations"
import { schemaId } from "#domain/schemas"
import { createdSpanOf, filterId, idOf, instant, listOf, page } from "#server/lib/fields.ts"
import { freeText, plainText } from "#server/lib/text.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, procedure, router } from "#server/trpc/trpc.ts"

const { endpoint } = endpointsIn("Attestation")

const reading = procedure.meta({ scope: "attestation:read" })

const id = idOf("att").meta({ description: "The attestation's id" })

export const attestationRouter = router({
  get: endpoint("GET /attestation/{id}", {
    scope: "attestation:read",
    fails: ["attestation_not_found"],
    summary: "Get an attestation",
    description: "Returns the attestation with everything needed to verify it on chain.",
    input: z.object({ id }),
    output: attestations.attestationRecord,
  }).query(({ ctx, input }) => attestations.getAttestation(ctx.principal, input.id)),

  list: endpoint("GET /attestations", {
    scope: "attestation:read",
    fails: ["invalid_public_key", "unknown_schema"],
    summary: "List attestations",
    description: "Newest first. Pages stay stable while attestations are added.",
    input: z.object({
      pubkey: walletAddress.optional(),
      schema: schemaId.optional(),
      status: attestations.attestationStatus.optional().meta({ description: "Only attestations with this status" }),
      investor: filterId("inv").optional().meta({
        description: "Only attestations of this investor",
        example: "inv_7YbVnQ2tKxWcR5sMpLd8Hf",
      }),
      external_id: plainText(200).optional().meta({
        description: "Only attestations whose session has this externalId",
        example: "investor-4711",
      }),
      session: filterId("sess").optional().meta({
        description: "Only the attestation of this session",
        example: "sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
      }),
      ...createdSpanOf("Only attestations started"),
      expiring_before: instant.optional().meta({
        description: "Only attestations that are verified now and expire before this time",
        example: "2026-03-01T00:00:00Z",
      }),
      ...page,
    }),
    output: listOf(attestations.attestationRecord).meta({ id: "AttestationList" }),
  }).query(({ ctx, input }) =>
    attestations.listAttestations(ctx.principal, {
      wallet: input.pubkey,
      schema: input.schema,
      status: input.status,
      investor: input.investor,
      externalId: input.external_id,
      sessionId: input.session,
      from: input.created_after,
      to: input.created_before,
      expiring_before: input.expiring_before,
      limit: input.limit,
      cursor: input.cursor,
    }),
  ),

  revoke: endpoint("POST /attestation/{id}/revoke", {
    scope: "attestation:write",
    needsApproval: true,
    fails: ["attestation_not_found", "review_open"],
    summary: "Revoke an attestation",
    description:
      "Ends the attestation at once and destroys its credential on chain within seconds. An attestation that has already ended is returned unchanged. A policy can require approval for a pending one. A verified one can always be revoked at once.",
    input: z.object({
      id,
      reason: freeText(500).meta({
        description: "Internal reason, shown in the record and never to the investor",
        example: "Sanctions list match",
      }),
      public_reason: attestations.publicReason.optional().meta({
        description: "Reason code that the hosted page shows to the investor",
        default: "unverifiable",
        example: "not_eligible",
      }),
    }),
    output: attestations.attestationRecord,
  }).mutation(({ ctx, input }) =>
    attestations.revokeAttestation({
      ...ctx,
      attestationId: input.id,
      reason: input.reason,
      publicReason: input.public_reason ?? null,
    }),
  ),

  search: reading
    .input(attestations.orderedSearch.extend({ cursor: page.cursor }))
    .query(({ ctx, input }) => attestations.searchAttestations(ctx.principal, input)),

  count: reading
    .input(attestations.searchFilter.omit({ status: true }))
    .query(({ ctx, input }) => attestations.countAttestations(ctx.principal, input)),

  detail: reading.input(z.object({ id })).query(({ ctx, input }) => attestations.readDetail(ctx.principal, input.id)),

  verifyOnChain: reading
    .input(z.object({ id }))
    .query(({ ctx, input }) => attestations.verifyOnChain(ctx.principal, input.id)),
})
