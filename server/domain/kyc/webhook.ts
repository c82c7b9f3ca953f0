import type { IncomingHttpHeaders } from "node:http"
import { deployment } from "#server/domain/deployment.ts"
import { fail } from "#shared/errors.ts"
import { modes } from "#shared/mode.ts"
import { applyEvent, type EventResult } from "./apply-event.ts"

/**
 * Takes a provider's webhook: verified over its raw bytes before anything reads them, then applied. `name` is null
 * for the default provider of each mode. Errors: provider_not_found, invalid_signature, malformed_json,
 * malformed_request, validation_failed, provider_unavailable.
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
    const { default: common, connected } = deployment.providers[mode]
    const provider = name === null ? common : connected.get(name)
    return provider ? [{ mode, provider }] : []
  })
  if (candidates.length === 0 && name !== null)
    fail("provider_not_found", "provider: unknown KYC provider. Check its name in the path.")
  const verified = candidates.filter(
    ({ provider }) => webhook !== null && provider.isSigned(webhook.headers, webhook.body),
  )
  const first = verified[0]
  if (webhook === null || !first) {
    return fail(
      "invalid_signature",
      "The webhook is not signed with the shared secret, or its timestamp is more than 300 seconds off.",
    )
  }
  const event = await first.provider.readEvent(webhook.headers, webhook.body)
  if (event === null) return { received: true, outcome: "ignored" }
  const provider = first.provider.name
  const verifiedFor = verified.filter((one) => one.provider.name === provider).map((one) => one.mode)
  return { received: true, outcome: await applyEvent({ event, provider, verifiedFor }) }
}
