import type { IncomingHttpHeaders } from "node:http"
import { deployment } from "#server/domain/deployment.ts"
import { Failure, fail } from "#shared/errors.ts"
import { type Mode, modes } from "#shared/mode.ts"
import { applyEvent, type Outcome } from "./apply-event.ts"
import type { ProviderEvent } from "./providers/provider.ts"

/**
 * Takes a provider's webhook: verified over its raw bytes before anything reads them, then applied. `name` is null
 * for the default provider of each mode. Errors: provider_not_found, invalid_signature, malformed_json,
 * malformed_request, validation_failed.
 */
export async function receiveWebhook({
  name,
  webhook,
}: {
  name: string | null
  /** Null when it did not come as a webhook: then nothing can be verified. */
  webhook: { headers: IncomingHttpHeaders; body: Buffer } | null
}): Promise<{ received: true; outcome: Outcome }> {
  const candidates = modes.flatMap((mode) => {
    const provider = deployment.providers[mode]
    return provider && (name === null || provider.name === name) ? [{ mode, provider }] : []
  })
  if (candidates.length === 0 && name !== null)
    fail("provider_not_found", "provider: unknown KYC provider. Check its name in the path.")
  const verified = candidates.flatMap(({ mode, provider }) => {
    const event = webhook && verify(() => provider.verifyWebhook(webhook.headers, webhook.body))
    return event ? [{ mode, provider: provider.name, event }] : []
  })
  const first = verified[0]
  if (!first) {
    return fail(
      "invalid_signature",
      "The webhook is not signed with the shared secret, or its timestamp is more than 300 seconds off.",
    )
  }
  const verifiedFor: Mode[] = verified.filter((one) => one.provider === first.provider).map((one) => one.mode)
  return {
    received: true,
    outcome: await applyEvent({ event: first.event, provider: first.provider, verifiedFor }),
  }
}

/** The event, or null when this secret did not sign it: another mode's may have. */
function verify(read: () => ProviderEvent): ProviderEvent | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Failure && error.code === "invalid_signature") return null
    throw error
  }
}
