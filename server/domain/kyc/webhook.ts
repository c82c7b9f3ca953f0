import type { IncomingHttpHeaders } from "node:http"
import { deployment } from "#server/domain/deployment.ts"
import type { Provider, ProviderEvent } from "#server/domain/providers/provider.ts"
import { Failure, fail, statusOf } from "#shared/errors.ts"
import { type Mode, modes } from "#shared/mode.ts"
import type { EventResult } from "./apply-event.ts"
import { applyProviderEvent } from "./provider-events.ts"
import { askAboutUnread } from "./unread-webhook.ts"

/**
 * Takes a provider's webhook: verified over its raw bytes before anything reads them, then applied. `name` is null
 * for the default provider of each mode. Errors: provider_not_found, invalid_signature, provider_unavailable, and of a
 * provider with Vouch's own format malformed_json, malformed_request, validation_failed.
 */
export async function receiveWebhook({
  name,
  webhook,
}: {
  name: string | null
  /** Null when it did not come as a webhook: then nothing can be verified. */
  webhook: { headers: IncomingHttpHeaders; body: Buffer } | null
}): Promise<{ received: true; outcome: EventResult }> {
  const candidates = modes.flatMap((mode) => {
    const { default: common, configured } = deployment.providers[mode]
    const provider = name === null ? common : configured.get(name)
    return provider ? [{ mode, provider }] : []
  })
  if (candidates.length === 0 && name !== null)
    fail("provider_not_found", "provider: unknown KYC provider. Check its name in the path.")
  const verified = candidates.filter(
    ({ provider }) => webhook !== null && provider.isSigned(webhook.headers, webhook.body),
  )
  if (webhook === null || verified.length === 0) {
    return fail(
      "invalid_signature",
      "The webhook is not signed with the shared secret, or its timestamp is more than 300 seconds off.",
    )
  }
  return { received: true, outcome: await outcomeOf(webhook, verified) }
}

/**
 * What a webhook comes to. Modes may share a secret, and so may providers: each that it is signed for reads it by its
 * own settings, and decides its own sessions alone. What is nobody's is ignored.
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
  // One provider's event may look wrong to another. Trouble on our side says nothing of it: it is to be sent again.
  const trouble = errors.find((error) => !isRefusal(error))
  if (trouble !== undefined) throw trouble
  if (errors.length === verified.length) throw errors[0]
  return "ignored"
}

/** What it comes to by one provider; null where it says nothing of a session of that provider. */
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
