import { z } from "zod"
import { attestationStatus } from "#domain/attestations"
import { idOf, schemaName, signature, timestamp, wallet } from "#server/lib/fields.ts"

/** The most wallets in a record: the newest ones. */
export const MOST_WALLETS = 100

const fields = {
  investor_id: idOf("inv").meta({ description: "The investor's id" }),
  external_id: z.string().nullable().meta({
    description: "The externalId that identifies them; null if only their wallet does",
    example: "investor-4711",
  }),
  wallets: z.array(wallet).meta({ description: `Their wallets, newest first, at most ${MOST_WALLETS}` }),
  created_at: timestamp.meta({ description: "When their first session was started" }),
  erased_at: timestamp.nullable().meta({ description: "Null unless their personal data was erased", example: null }),
}

export const investorRecord = z.object(fields).meta({ id: "Investor" })
export type InvestorRecord = z.infer<typeof investorRecord>

export const investorDetail = z
  .object({
    ...fields,
    verifications: z
      .array(
        z.object({
          user_pubkey: wallet,
          schema: schemaName,
          status: attestationStatus,
          attestation_id: idOf("att").meta({
            description: "The attestation that determines the status",
          }),
          expires_at: timestamp
            .nullable()
            .meta({ description: "Null until verified", example: "2027-01-02T03:04:05Z" }),
          onchain_tx: signature.nullable().meta({
            description: "The issuing transaction's signature, base58; null until verified",
            example: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
          }),
        }),
      )
      .meta({
        description: "The status of each wallet for each schema, as in GET /kyc/status/{pubkey}",
      }),
  })
  .meta({ id: "InvestorDetail" })
export type InvestorDetail = z.infer<typeof investorDetail>
