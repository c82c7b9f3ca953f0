import type { IncomingHttpHeaders } from "node:http"
import type { Claims } from "#shared/claims.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { Decision } from "#shared/statuses.ts"

/** An authentic event of a provider about one session. */
export type ProviderEvent = {
  eventId: string
  sessionId: string
  decision: Decision
  occurredAt: Date
  claims: Claims
  /** The provider's own words: for the customer, never for the wallet's holder. */
  reason: string | null
  /** What the holder is told; null for the default. */
  publicReason: PublicReason | null
}

/** Where the wallet holder goes on: a form of ours, or the provider's own page (top level, never framed). */
export type ProviderSession = { kind: "sandbox_form" } | { kind: "redirect"; url: string }

/** A KYC provider. One file each; adding one touches its file and the table in `index.ts`. */
export type Provider = {
  name: string
  /** Opens the provider's side of a session, once the holder has consented. Errors: provider_unavailable. */
  createSession(session: { sessionId: string; returnUrl: string }): Promise<ProviderSession>
  /**
   * Checks the raw bytes of a webhook and reads them. Errors: invalid_signature, malformed_json,
   * malformed_request, validation_failed.
   */
  verifyWebhook(headers: IncomingHttpHeaders, body: Buffer): ProviderEvent
}
