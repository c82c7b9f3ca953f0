import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { type DisabledReason, disabledAfterDays } from "#shared/webhooks.ts"

export type Endpoint = RouterOutputs["webhook"]["get"]

const disabledWords: Record<DisabledReason, string> = {
  requested: "Disabled",
  gone: "Disabled: it answered 410",
  failing: `Disabled: failed for ${disabledAfterDays} days`,
}

/** Whether an endpoint accepts its events. */
export function EndpointBadge({
  endpoint: { disabled_reason, failing_since },
}: {
  endpoint: Pick<Endpoint, "disabled_reason" | "failing_since">
}) {
  if (disabled_reason !== null)
    return <Badge tone={disabled_reason === "requested" ? "plain" : "bad"}>{disabledWords[disabled_reason]}</Badge>
  return failing_since === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="bad">Failing</Badge>
}
