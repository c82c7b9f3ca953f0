import type { RouterOutputs } from "#app/(dashboard)/workspace.tsx"
import { shorten } from "#app/components/code.tsx"
import { grouped } from "#shared/amount.ts"
import { approvalActions, type RequestedAction } from "#shared/approvals.ts"
import { type ReviewDecision, reviewDecisions } from "#shared/review-decisions.ts"

export type ApprovalDetail = RouterOutputs["approval"]["detail"]
export type Approval = Pick<RouterOutputs["approval"]["list"]["data"][number], "action" | "request">

/** What a wallet, a token or another object is called: by its own text until that is known. */
export type Names = Record<"person" | "token" | "symbol" | "object", (id: string) => string>

const text = (value: unknown): string => (typeof value === "string" ? value : "")

const amountIn = ({ request: { amount, mint_config } }: Approval, { symbol }: Names) =>
  `${grouped(text(amount))} ${symbol(text(mint_config))}`

/** A movement: how much of what, from whom and to whom. */
const moving: Summary = (approval, names) => {
  const { from_pubkey: from, to_pubkey: to } = approval.request
  return [
    amountIn(approval, names),
    ...(from ? [`from ${names.person(text(from))}`] : []),
    ...(to ? [`to ${names.person(text(to))}`] : []),
  ].join(" ")
}

const taking: Summary = (approval, names) =>
  `${amountIn(approval, names)} from ${names.person(text(approval.request.user_pubkey))}`

type Summary = (approval: Approval, names: Names) => string

const summaries: Record<RequestedAction, Summary> = {
  mint: (approval, names) => `${amountIn(approval, names)} to ${names.person(text(approval.request.user_pubkey))}`,
  transfer: moving,
  burn: taking,
  force_transfer: moving,
  hold_release: taking,
  hold_execute: moving,
  recovery: ({ request }) => `${shorten(text(request.lost_wallet))} to ${shorten(text(request.new_wallet))}`,
  distribution: ({ request }, { token }) =>
    `${grouped(text(request.amount))} to ${request.payouts} holders of ${token(text(request.mint_config))}`,
  unfreeze: ({ request }, { person, token }) =>
    request.recovery_id
      ? `${person(text(request.user_pubkey))}, which was reported as lost`
      : `${person(text(request.user_pubkey))}, ${request.mint_config ? token(text(request.mint_config)) : "every token"}`,
  unpause: ({ request }, { token }) => token(text(request.mint_config)),
  config_change: ({ request }, { token }) => token(text(request.mint_config)),
  review_decision: ({ request }) => reviewDecisions[request.decision as ReviewDecision].label,
  session_cancel: ({ request }, { object }) => object(text(request.attestation_id)),
  attestation_revoke: ({ request }, { object }) => object(text(request.attestation_id)),
  attestation_revoke_bulk: ({ request: { attestation_ids, attestations } }) =>
    `${grouped(String((attestation_ids as string[] | undefined)?.length ?? attestations))} verifications`,
  erase: ({ request }, { person, object }) =>
    request.investor_id ? object(text(request.investor_id)) : person(text(request.user_pubkey)),
  key_create: ({ request }, { object }) => text(request.name) || object(text(request.key_id)),
  policy_change: ({ request }) =>
    "create" in request ? "A new policy" : request.change === null ? "Delete a policy" : "Loosen a policy",
}

/** A request in a few words. */
export const summaryOf = (approval: Approval, names: Names): string => summaries[approval.action](approval, names)

const verbs = { mint: "Mint", transfer: "Transfer", burn: "Redeem" } satisfies Partial<Record<RequestedAction, string>>

/** The same with what is requested: a movement reads as one sentence. */
export const titleOf = (approval: Approval, names: Names): string => {
  const verb = (verbs as Partial<Record<RequestedAction, string>>)[approval.action]
  return `${verb ?? `${approvalActions[approval.action]}:`} ${summaryOf(approval, names)}`
}

type Policy = RouterOutputs["approvalPolicy"]["overview"]["policies"][number]

/** A policy as it binds such a request: "Mint (HIF), 100,000 or more". */
export function policyName(
  { actions, mint_config, min_amount }: Pick<Policy, "actions" | "mint_config" | "min_amount">,
  action: RequestedAction,
  symbolOf: Names["symbol"],
): string {
  const named = actions.includes(action) ? [action] : actions
  const what = named.map((one) => approvalActions[one]).join(", ")
  return [
    mint_config === null ? what : `${what} (${symbolOf(mint_config)})`,
    ...(min_amount === null ? [] : [`${grouped(min_amount)} or more`]),
  ].join(", ")
}

/** Who requested it: a member, or an API key. */
export const requesterOf = ({ requested_by, requester_id }: Requested): string =>
  requester_id.startsWith("key_") ? `API key ${requested_by}` : requested_by

type Requested = Pick<RouterOutputs["approval"]["list"]["data"][number], "requested_by" | "requester_id">
