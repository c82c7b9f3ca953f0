import { z } from "zod"
import { readDetail } from "#server/domain/attestations/detail.ts"
import { getAttestation, listAttestations } from "#server/domain/attestations/read.ts"
import { attestationRecord, attestationStatus, publicReason } from "#server/domain/attestations/record.ts"
import { revokeAttestation } from "#server/domain/attestations/revoke.ts"
import { searchAttestations, searchFilter } from "#server/domain/attestations/search.ts"
import { verifyOnChain } from "#server/domain/attestations/verify-on-chain.ts"
import { schemaId, walletAddress } from "#server/domain/kyc/wallet.ts"
import { idOf, listOf, page } from "#server/lib/fields.ts"
import { plainText } from "#server/lib/text.ts"
import { procedure, router } from "#server/trpc/trpc.ts"

const id = idOf("att").meta({ description: "The attestation's id", example: "att_4f8NqYcTzHkLwR2sVbJm9X" })

export const attestationRouter = router({
  get: procedure
    .meta({
      scope: "attestation:read",
      fails: ["attestation_not_found"],
      openapi: {
        method: "GET",
        path: "/attestation/{id}",
        tags: ["Attestation"],
        summary: "Get an attestation",
        description: "Returns the attestation with everything needed to verify it on chain.",
      },
    })
    .input(z.object({ id }))
    .output(attestationRecord)
    .query(({ ctx, input }) => getAttestation(ctx.principal, input.id)),

  list: procedure
    .meta({
      scope: "attestation:read",
      fails: ["invalid_public_key", "unknown_schema"],
      openapi: {
        method: "GET",
        path: "/attestations",
        tags: ["Attestation"],
        summary: "List attestations",
        description: "Newest first. Pages stay stable while attestations are added.",
      },
    })
    .input(
      z.object({
        pubkey: walletAddress.optional(),
        schema: schemaId.optional(),
        status: attestationStatus.optional().meta({ description: "Only attestations with this status" }),
        ...page,
      }),
    )
    .output(listOf(attestationRecord).meta({ id: "AttestationList" }))
    .query(({ ctx, input }) =>
      listAttestations(ctx.principal, {
        wallet: input.pubkey ?? null,
        schemaId: input.schema ?? null,
        status: input.status ?? null,
        limit: input.limit,
        cursor: input.cursor ?? null,
      }),
    ),

  revoke: procedure
    .meta({
      scope: "attestation:write",
      idempotent: true,
      fails: ["attestation_not_found"],
      openapi: {
        method: "POST",
        path: "/attestation/{id}/revoke",
        tags: ["Attestation"],
        summary: "Revoke an attestation",
        description:
          "Ends the attestation at once and destroys its credential on chain within seconds. An attestation that has already ended is returned unchanged.",
      },
    })
    .input(
      z.object({
        id,
        reason: plainText(500).meta({
          description: "Internal reason, in the record; never shown to the wallet's holder",
          example: "Sanctions list match",
        }),
        public_reason: publicReason.optional().meta({
          description: "Reason code that the hosted page shows to the wallet's holder",
          default: "unverifiable",
          example: "not_eligible",
        }),
      }),
    )
    .output(attestationRecord)
    .mutation(({ ctx, input }) =>
      revokeAttestation({
        principal: ctx.principal,
        requestId: ctx.requestId,
        idempotency: ctx.idempotency,
        attestationId: input.id,
        reason: input.reason,
        publicReason: input.public_reason ?? null,
      }),
    ),

  search: procedure
    .meta({ scope: "attestation:read" })
    .input(searchFilter.extend({ cursor: page.cursor }))
    .query(({ ctx, input }) => searchAttestations(ctx.principal, input)),

  detail: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({ id }))
    .query(({ ctx, input }) => readDetail(ctx.principal, input.id)),

  verifyOnChain: procedure
    .meta({ scope: "attestation:read" })
    .input(z.object({ id }))
    .query(({ ctx, input }) => verifyOnChain(ctx.principal, input.id)),
})
