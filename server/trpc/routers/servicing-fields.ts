import { z } from "zod"
import * as tokens from "#domain/tokens"
import { matching } from "#server/lib/fields.ts"
import { plainText, words } from "#server/lib/text.ts"

// What the endpoints for movements and servicing share.

/** The errors of every movement, in addition to those of its rules. */
export const refusals = [
  "invalid_public_key",
  "unknown_mint_config",
  "invalid_amount",
  "account_reopening_limit",
  "sol_budget_exceeded",
  "chain_not_configured",
  "chain_unavailable",
  "approver_missing",
  "approval_rejected",
  "approval_ended",
] as const

export const grounds = {
  reason_code: tokens.reasonCode.meta({ description: "Why", example: "court_order" }),
  reference: words(200).meta({
    description: "Your reference, such as a case number. No personal data: it is kept",
    example: "2026-CV-0417",
  }),
}

export const documentHash = matching(
  /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/,
  "must be the SHA-256 of a document in base64url, 43 characters",
).meta({
  description: "SHA-256 of the document that justifies it, base64url. Vouch does not get the document",
  example: "n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg",
})

export const whilePaused = z.boolean().default(false).meta({
  description:
    "Act even though the token is paused, which stays paused. Such a request always needs an approval, also in a test workspace",
  example: false,
})

/** The most holds that a request can name. */
const MOST_HOLDS = 100

export const namedHolds = z
  .array(plainText(100))
  .min(1)
  .max(MOST_HOLDS)
  .refine((ids) => new Set(ids).size === ids.length, "must name each hold once")
  .optional()
  .meta({
    description:
      "Holds of this wallet and token to take from first, in this order. The rest comes from what is available. Held tokens that are not named stay",
    example: ["hold_2Lc7HdZKx8vPq3mNbR5tYw"],
  })
