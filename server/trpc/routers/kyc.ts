import { z } from "zod"
import { attestationStatus } from "#domain/attestations"
import { emailAddress, receiveWebhook, redirectUrl, reminderFor, startSession, walletStatus } from "#domain/kyc"
import { schemaId } from "#domain/schemas"
import { idOf, schemaName, signature, timestamp } from "#server/lib/fields.ts"
import { foreignId } from "#server/lib/text.ts"
import { walletAddress } from "#server/solana/wallet-address.ts"
import { endpointsIn, router } from "#server/trpc/trpc.ts"

const { endpoint, openEndpoint } = endpointsIn("KYC")

const session = z
  .object({
    session_id: idOf("sess").meta({ description: "Session id. Anyone who has it can open the hosted page" }),
    session_url: z.url().meta({
      description: "The hosted page: send the investor there",
      example: "http://localhost:3000/verify/sess_Kx8vPq3mNbR5tYw2Lc7HdZ",
    }),
  })
  .meta({ id: "Session" })

const walletStatusRecord = z
  .object({
    status: attestationStatus,
    attestation_id: idOf("att").meta({ description: "The attestation's id" }),
    schema: schemaName,
    expires_at: timestamp.nullable().meta({ description: "Null until verified", example: "2027-01-02T03:04:05Z" }),
    onchain_tx: signature.nullable().meta({
      description: "The issuing transaction's signature, base58; null until verified",
      example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    }),
  })
  .meta({ id: "WalletStatus" })

const received = z
  .object({
    received: z.literal(true),
    outcome: z.enum(["applied", "review_opened", "duplicate", "ignored"]).meta({
      description:
        "`review_opened`: the provider approved a person it had rejected before, and a member has to accept that; `duplicate`: event already received; `ignored`: unknown session, or a decision that arrives too late",
      example: "applied",
    }),
  })
  .meta({ id: "WebhookReceived" })

export const kycRouter = router({
  start: endpoint("POST /kyc/start", {
    scope: "kyc:write",
    fails: [
      "wallet_sanctioned",
      "wallet_barred",
      "unknown_schema",
      "invalid_public_key",
      "wallet_cannot_sign",
      "quota_exceeded",
      "sol_budget_exceeded",
      "account_reopening_limit",
      "provider_not_configured",
      "chain_not_configured",
    ],
    operationId: "startVerification",
    summary: "Start a verification",
    description:
      "Creates a session for a wallet and a schema, and returns the URL of its hosted page. If the same person has an open session for this wallet and schema, that session is returned and the quota is not charged again. The open session takes a new redirectUrl, and an externalId if it has none. Another person's externalId starts a separate session and changes nothing else: the wallet belongs to the person for whom it was last proven or approved. In test mode the sandbox decides the sessions of test wallets, such as `VouchTestApproved11111111111111111111111118`, at once.",
    input: z.object({
      userPubkey: walletAddress,
      schemaId,
      redirectUrl: redirectUrl.optional(),
      externalId: foreignId(200).optional().meta({
        description: "Your own id for the investor; returned in records",
        example: "investor-4711",
      }),
      email: emailAddress.optional().meta({
        description:
          "Email address for the reminder before the verification expires. Vouch keeps it, encrypted, only while reminders are on in the workspace's settings, and deletes it when the verification ends",
        example: "jane@example.com",
      }),
    }),
    output: session,
  }).mutation(({ ctx, input }) =>
    startSession({
      ...ctx,
      wallet: input.userPubkey,
      schemaId: input.schemaId,
      redirectUrl: input.redirectUrl ?? null,
      externalId: input.externalId ?? null,
      reminder: input.email === undefined ? null : reminderFor(input.userPubkey, input.email, null),
    }),
  ),

  status: endpoint("GET /kyc/status/{pubkey}", {
    scope: "kyc:read",
    fails: ["attestation_not_found", "invalid_public_key", "unknown_schema"],
    operationId: "getWalletStatus",
    summary: "Get a wallet's status",
    description:
      "Returns the wallet's latest verified attestation that has not expired, otherwise its newest. All five fields are always present.",
    input: z.object({ pubkey: walletAddress, schema: schemaId.optional() }),
    output: walletStatusRecord,
  }).query(({ ctx, input }) =>
    walletStatus({ workspaceId: ctx.principal.workspaceId, wallet: input.pubkey, schemaId: input.schema ?? null }),
  ),

  webhook: openEndpoint("POST /kyc/webhook", {
    raw: true,
    fails: ["invalid_signature", "chain_unavailable", "provider_unavailable"],
    operationId: "receiveWebhook",
    summary: "Report a verification (default provider)",
    description:
      "Called by the KYC provider, signed with Standard Webhooks. The response is sent once the decision is durably stored.",
    output: received,
  }).mutation(({ ctx }) => receiveWebhook({ name: null, webhook: ctx.webhook })),

  webhookOf: openEndpoint("POST /kyc/webhook/{provider}", {
    raw: true,
    fails: ["invalid_signature", "provider_not_found", "chain_unavailable", "provider_unavailable"],
    operationId: "receiveProviderWebhook",
    summary: "Report a verification (named provider)",
    description: "Like POST /kyc/webhook, for the named provider.",
    input: z.object({ provider: z.string().meta({ description: "Name of the KYC provider", example: "sandbox" }) }),
    output: received,
  }).mutation(({ ctx, input }) => receiveWebhook({ name: input.provider, webhook: ctx.webhook })),
})
