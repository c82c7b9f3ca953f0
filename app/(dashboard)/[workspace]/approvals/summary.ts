import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { shorten } from "#app/components/code.tsx"
import { grouped } from "#shared/amount.ts"
import type { RequestedAction } from "#shared/approvals.ts"
import { type ReviewDecision, reviewDecisions } from "#shared/reviews.ts"

export type ApprovalDetail = RouterOutputs["approval"]["detail"]
type Approval = Pick<RouterOutputs["approval"]["list"]["data"][number], "action" | "request">

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const amountIn = ({ request: { amount, mint_config } }: Approval) => `${grouped(text(amount))} of ${text(mint_config)}`

const summaries: Record<RequestedAction, (approval: Approval) => string> = {
  mint: amountIn,
  transfer: amountIn,
  burn: amountIn,
  force_transfer: amountIn,
  hold_release: amountIn,
  hold_execute: amountIn,
  recovery: ({ request }) => `${shorten(text(request.lost_wallet))} to ${shorten(text(request.new_wallet))}`,
  distribution: ({ request }) =>
    `${grouped(text(request.amount))} to ${request.payouts} holders of ${text(request.mint_config)}`,
  unfreeze: ({ request }) =>
    request.recovery_id
      ? `${shorten(text(request.user_pubkey))}, which was reported as lost`
      : `${shorten(text(request.user_pubkey))}, ${text(request.mint_config) || "every token"}`,
  unpause: ({ request }) => text(request.mint_config),
  config_change: ({ request }) => text(request.mint_config),
  review_decision: ({ request }) => reviewDecisions[request.decision as ReviewDecision].label,
  session_cancel: ({ request }) => shorten(text(request.attestation_id)),
  attestation_revoke: ({ request }) => shorten(text(request.attestation_id)),
  attestation_revoke_bulk: ({ request: { attestation_ids, attestations } }) =>
    `${grouped(String((attestation_ids as string[] | undefined)?.length ?? attestations))} verifications`,
  erase: ({ request }) => shorten(text(request.user_pubkey ?? request.investor_id)),
  key_create: ({ request }) => text(request.name ?? request.key_id),
  policy_change: ({ request }) =>
    "create" in request ? "A new policy" : request.change === null ? "Delete a policy" : "Loosen a policy",
}

/** A request in a few words. */
export const summaryOf = (approval: Approval): string => summaries[approval.action](approval)
