import type { RequestedAction } from "#shared/approvals.ts"
import { reviewDecisions } from "#shared/review-decisions.ts"
import type { Names } from "./names.ts"
import { verificationOf } from "./objects.ts"
import { address, between, holder, named, type Phrase, person, say, several, text, token, tokensOf } from "./phrases.ts"

/** What someone requested, and other members approve. */
type Requested = { request: Record<string, unknown>; subject: string; names: Names }
type Act = (requested: Requested) => Phrase

const moving =
  (verb: string): Act =>
  ({ names, request }) => {
    const { from_pubkey: from, to_pubkey: to = request.user_pubkey } = request
    return say`${verb} ${tokensOf(names, request)}${between(names, { from, to })}`
  }
const taking =
  (verb: string): Act =>
  ({ names, request }) =>
    say`${verb} ${tokensOf(names, request)} of ${holder(names, request.user_pubkey)}`

/** That a holder did not agree to a redemption. */
export const consentIn = ({ holder_consent }: Record<string, unknown>): Phrase =>
  holder_consent === false ? [" without the holder’s consent"] : []

/** Each act as a verb, after "requested approval to". */
const acts: Record<RequestedAction, Act> = {
  mint: moving("mint"),
  transfer: moving("transfer"),
  burn: (asked) => say`${taking("redeem")(asked)}${consentIn(asked.request)}`,
  force_transfer: moving("force a transfer of"),
  hold_release: taking("release the hold of"),
  hold_execute: moving("execute a hold of"),
  recovery: ({ names, request }) =>
    say`recover ${person(names("investor", request.investor_id))}'s lost wallet ${address(text(request.lost_wallet))}`,
  distribution: ({ request }) =>
    say`start the ${named("distribution", "distributions", text(request.distribution_id))} to ${several(request.payouts, "holder")}`,
  unfreeze: ({ names, request }) =>
    request.recovery_id
      ? say`take back the report that the wallet of ${holder(names, request.user_pubkey)} was lost`
      : say`unfreeze the wallet of ${holder(names, request.user_pubkey)}`,
  unpause: ({ names, request }) => say`unpause the token ${token(names, request.mint_config)}`,
  config_change: ({ names, request }) => say`change the token ${token(names, request.mint_config)}`,
  review_decision: ({ names, subject, request }) => {
    const { label } = reviewDecisions[request.decision as keyof typeof reviewDecisions] ?? { label: "decide" }
    return say`${label.toLowerCase()} in the ${named("review", "reviews", subject)} of ${person(names("review", subject))}`
  },
  session_cancel: ({ names, subject }) => say`cancel ${verificationOf(names, subject)}`,
  attestation_revoke: ({ names, subject }) => say`revoke ${verificationOf(names, subject)}`,
  attestation_revoke_bulk: ({ request: { attestation_ids: ids, attestations } }) =>
    say`revoke ${several(Array.isArray(ids) ? ids.length : attestations, "verification")}`,
  erase: ({ names, request }) => {
    const { investor_id: id, user_pubkey: wallet } = request
    return say`erase the data of ${id ? person(names("investor", id)) : holder(names, wallet)}`
  },
  key_create: ({ names, subject, request }) =>
    request.key_id
      ? say`replace the secret of the API key ${named(names("key", request.key_id)?.name ?? subject, "keys")}`
      : say`create the API key ${named(text(request.name) || subject, "keys")}`,
  policy_change: ({ request }) => {
    const verb = "create" in request ? "create" : request.change === null ? "delete" : "change"
    return say`${verb} an ${named("approval policy", "settings")}`
  },
}

/** A request in words. `action` may be one of another version. */
export const requestedAct = ({ action, ...requested }: Requested & { action: string }): Phrase =>
  (acts as Record<string, Act | undefined>)[action]?.(requested) ?? [action.replaceAll("_", " ")]
