import type { IncomingHttpHeaders } from "node:http"
import { deployment } from "#domain/deployment"
import type { Provider, ProviderEvent } from "#domain/providers"
import { Failure, fail, statusOf } from "#shared/errors.ts"
import { type Mode, modes } from "#shared/mode.ts"
import type { EventResult } from "./apply-event.ts"
import { applyProviderEvent } from "./provider-events.ts"
import { askAboutUnread } from "./unread-webhook.ts"

/**
 * Receives a provider's webhook: verifies the raw bytes before anything parses them, then applies the event. `name` is
 * null for the default provider of each mode. Errors: provider_not_found, invalid_signature, provider_unavailable, and
 * for a provider that uses Vouch's own format malformed_json, malformed_request, validation_failed.
 */
export async function receiveWebhook(received: {
  name: string | null
  /** Null if the request did not come as a webhook, so that nothing can be verified. */
  webhook: { headers: IncomingHttpHeaders; body: Buffer } | null
}): Promise<{ received: true; outcome: EventResult }> {
  const { name, webhook } = received
  const candidates = modes.flatMap((mode) => {
    const { default: common, configured } = deployment.providers[mode]
    const provider = name === null ? common : configured.get(name)
    return provider ? [{ mode, provider }] : []
  })
  if (candidates.length === 0 && name !== null)
    fail("provider_not_found", "provider: unknown KYC provider. Check its name in the path.")
  const verified = webhook ? candidates.filter(({ provider }) => provider.isSigned(webhook.headers, webhook.body)) : []
  const unsigned = "The webhook is not signed with the shared secret, or its timestamp is more than 300 seconds off."
  if (webhook === null || verified.length === 0) return fail("invalid_signature", unsigned)
  return { received: true, outcome: await outcomeOf(webhook, verified) }
}

/**
 * The result of a webhook. Modes and providers can share a secret. Each one whose secret fits reads the webhook by its
 * own settings and decides only its own sessions. A webhook about no session is ignored.
 */
async function outcomeOf(
  { headers, body }: { headers: IncomingHttpHeaders; body: Buffer },
  verified: readonly { mode: Mode; provider: Provider }[],
): Promise<EventResult> {
  const errors: unknown[] = []
  for (const { mode, provider } of verified) {
    try {
      const outcome = await outcomeBy(provider, { headers, body, mode })
      if (outcome !== null) return outcome
    } catch (error) {
      errors.push(error)
    }
  }
  // One provider's event may look invalid to another. But after an error on our side, the vendor must send it again.
  const trouble = errors.find((error) => !isRefusal(error))
  if (trouble !== undefined) throw trouble
  if (errors.length === verified.length) throw errors[0]
  return "ignored"
}

/** The result for one provider; null if the webhook is about none of its sessions. */
async function outcomeBy(
  provider: Provider,
  { headers, body, mode }: { headers: IncomingHttpHeaders; body: Buffer; mode: Mode },
): Promise<EventResult | null> {
  let event: ProviderEvent | null
  try {
    event = provider.readEvent(headers, body)
  } catch (error) {
    if (!isRefusal(error) || provider.refusesUnread === true) throw error
    return askAboutUnread({ body, provider, mode, why: error })
  }
  return event && applyProviderEvent({ event, provider, mode })
}

const isRefusal = (error: unknown): error is Failure => error instanceof Failure && statusOf(error.code) < 500
