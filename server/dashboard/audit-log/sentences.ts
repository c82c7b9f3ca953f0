import type { AuditAction } from "#domain/audit-log"
import { grouped, solOf } from "#shared/amount.ts"
import { type ApprovalAction, approvalActions } from "#shared/approvals.ts"
import { policies } from "#shared/monitoring.ts"
import type { MovementKind } from "#shared/movements.ts"
import { reviewDecisions } from "#shared/review-decisions.ts"
import { reviewEndings, reviewKinds } from "#shared/reviews.ts"
import {
  distribution,
  endpoint,
  key,
  member,
  ofTokens,
  payout,
  recovery,
  reviewOf,
  schema,
  snapshot,
  type Told,
  verificationOf,
  wallet,
} from "./objects.ts"
import {
  address,
  between,
  count,
  holder,
  listed,
  named,
  type Phrase,
  person,
  say,
  several,
  text,
  token,
  tokensOf,
  wholeTokens,
} from "./phrases.ts"
import { consentIn, requestedAct } from "./requested-acts.ts"

export type Sentence = (told: Told) => Phrase

const request = ({ names, subject, detail }: Told): Phrase => {
  const asked = say`${text(detail.requested_by)}'s ${named("request", "approvals", text(detail.approval))}`
  const found = names("approval", detail.approval)
  return found === undefined ? asked : say`${asked} to ${requestedAct({ ...found, subject, names })}`
}

const policyActions = (actions: unknown): string =>
  Array.isArray(actions) ? listed(actions.map((one) => `“${approvalActions[one as ApprovalAction] ?? one}”`)) : ""

const budget = (lamports: unknown) => (lamports == null ? "no limit" : `${grouped(solOf(text(lamports)))} SOL`)

const movements = {
  mint: { verb: "mint", past: "minted", noun: "mint" },
  transfer: { verb: "transfer", past: "transferred", noun: "transfer" },
  burn: { verb: "redeem", past: "redeemed", noun: "redemption" },
  force_transfer: { verb: "force a transfer of", past: "forced a transfer of", noun: "forced transfer" },
} as const satisfies Record<MovementKind, object>

/** What was requested, as it ended: it was done, or it waits, or it failed. */
const moved =
  (kind: MovementKind): Sentence =>
  ({ names, subject, detail }) => {
    const status = names("operation", subject)?.status
    const { verb, past } = movements[kind]
    const amount = tokensOf(names, detail, subject)
    const ends = say`${between(names, detail)}${consentIn(detail)}`
    const what = say`${status === "confirmed" ? past : `requested to ${verb}`} ${amount}${ends}`
    return status === "failed" ? say`${what}, which failed` : what
  }

/** The confirmation of what was requested in an earlier entry. */
const landed =
  (kind: MovementKind): Sentence =>
  ({ names, subject, detail }) => {
    const found = names("operation", subject)
    const amount = wholeTokens(found?.amount ?? null, found?.decimals ?? null)
    const what = tokensOf(names, { ...detail, amount }, subject)
    const ends = between(names, { from: found?.from_wallet, to: found?.wallet })
    return say`completed the ${movements[kind].noun} of ${what}${ends}`
  }

const decisions = {
  approved: "approved",
  rejected: "rejected",
  resubmission_requested: "asked for another submission of",
}
const nameIn = <T extends Record<string, { label: string }>>(all: T, name: unknown): string =>
  (all as Record<string, { label: string }>)[text(name)]?.label ?? text(name)
const decision = (name: unknown): string =>
  (reviewDecisions as Record<string, { past: string }>)[text(name)]?.past.toLowerCase() ?? text(name)

/**
 * What each action says, after the name of its actor. An action without a sentence does not compile. Words are those of
 * compliance people: `docs/glossary.md`.
 */
export const sentences: Record<AuditAction, Sentence> = {
  "account.branded": ({ detail }) => say`changed the ${listed((detail.changed as string[]) ?? [])} of the hosted page`,
  "account.budget_changed": ({ detail }) =>
    say`changed the SOL budget of the ${text(detail.mode)} workspace from ${budget(detail.before)} to ${budget(detail.after)}`,
  "account.created": ({ detail }) => say`created the account ${text(detail.name)}`,
  "account.plan_changed": ({ detail: { before, after } }) => {
    const [from, to] = [before, after].map((one) => text((one as Record<string, unknown>)?.plan))
    return from === to ? say`changed the quota of the plan ${to!}` : say`changed the plan from ${from!} to ${to!}`
  },
  "account.renamed": ({ detail }) => say`renamed the account from ${text(detail.before)} to ${text(detail.after)}`,
  "account.security_changed": ({ detail }) =>
    (detail.after as Record<string, unknown>)?.second_factor_required === true
      ? ["required a second factor of every member"]
      : ["stopped requiring a second factor of every member"],

  "approval.approved": (told) => say`approved ${request(told)}`,
  "approval.expired": (told) => say`ended ${request(told)}, because its time was over`,
  "approval.given": (told) => say`approved ${request(told)}, which needs further approvals`,
  "approval.rejected": (told) => say`rejected ${request(told)}`,
  "approval.requested": ({ names, subject, detail }) => {
    const asked = { action: text(detail.action), request: (detail.request ?? {}) as Record<string, unknown> }
    return say`${named("requested approval", "approvals", text(detail.approval))} to ${requestedAct({ ...asked, subject, names })}`
  },
  "approval.void": (told) => say`ended ${request(told)}, which was no longer valid`,
  "approval.withdrawn": (told) => say`withdrew ${request(told)}`,
  "approval_policy.changed": () => say`changed an ${named("approval policy", "settings")}`,
  "approval_policy.created": ({ detail }) =>
    say`created an ${named("approval policy", "settings")} for ${policyActions(detail.actions)}`,
  "approval_policy.deleted": () => say`deleted an ${named("approval policy", "settings")}`,

  "attestation.decided_manually": ({ names, subject, detail }) =>
    say`${decisions[detail.decision as keyof typeof decisions] ?? "decided"} ${verificationOf(names, subject)}`,
  "attestation.revoked": ({ names, subject }) => say`revoked ${verificationOf(names, subject)}`,
  "audit_log.entries_lost": ({ detail }) =>
    say`found that a restore of the database lost entries of this log, up to number ${grouped(String(detail.place))}`,
  "bulk_revocation.started": ({ detail }) => say`started to revoke ${several(detail.attestations, "verification")}`,
  "bulk_revocation.stopped": ({ detail }) =>
    say`stopped revoking ${several(detail.attestations, "verification")}, and left ${grouped(String(count(detail.left)))} of them`,
  "claims.viewed": (told) => {
    const isOfReview = told.subject.startsWith("rev_")
    return say`viewed the claims of ${isOfReview ? reviewOf(told) : verificationOf(told.names, told.subject)}`
  },

  "distribution.cancelled": (told) => say`cancelled ${distribution(told)}`,
  "distribution.completed": (told) => say`completed ${distribution(told)}`,
  "distribution.created": (told) =>
    say`drafted ${distribution(told)}: ${grouped(text(told.detail.total))} in ${several(told.detail.payouts, "payout")}`,
  "distribution.paused": (told) => say`paused ${distribution(told)}`,
  "distribution.resumed": (told) => say`resumed ${distribution(told)}`,
  "distribution.started": (told) => say`started ${distribution(told)}`,
  "payout.marked_paid": (told) => say`marked ${payout(told)} as paid outside Vouch`,
  "payout.released": (told) => say`released ${payout(told)}`,
  "payout.retried": (told) => say`retried ${payout(told)}`,

  "hold.created": ({ names, detail }) => say`held ${tokensOf(names, detail)} of ${holder(names, detail.wallet)}`,
  "hold.released": ({ names, detail }) =>
    say`released the hold of ${tokensOf(names, detail)} of ${holder(names, detail.wallet)}`,

  "investor.erased": ({ names, subject }) => say`erased the data of ${person(names("investor", subject))}`,
  "investor.note_added": ({ names, subject }) => say`added a note about ${person(names("investor", subject))}`,
  "investor.note_deleted": ({ names, subject }) => say`deleted a note about ${person(names("investor", subject))}`,
  "investor.note_edited": ({ names, subject }) => say`edited a note about ${person(names("investor", subject))}`,
  "investor.vendor_confirmed": ({ detail }) =>
    say`confirmed that ${text(detail.provider) || "the provider"} deleted the data of an erased investor`,

  "key.created": (told) => say`created ${key(told)}`,
  "key.revoked": (told) => say`revoked ${key(told)}`,
  "key.rotated": (told) => say`replaced the secret of ${key(told)}`,
  "ledger.quarantine_lifted": ({ detail }) =>
    "waited_for" in detail
      ? ["let transactions be signed without waiting for the rest of the chain’s history"]
      : ["lifted the quarantine, so that transactions are signed again"],
  "operation.resolved": ({ subject, detail }) =>
    say`settled the unclear transaction of ${named(subject)} as ${detail.as === "landed" ? "landed on chain" : "lost"}`,
  "signer.set": ({ detail: { after } }) => {
    const { fee_payer, authority } = (after ?? {}) as Record<string, unknown>
    if (authority) return say`set the authority of the workspace to ${address(text(authority))}`
    return fee_payer
      ? say`set the fee payer of the workspace to ${address(text(fee_payer))}`
      : ["set the fee payer of the workspace to that of the deployment"]
  },

  "member.admitted": (told) => say`confirmed ${member(told)} as a member`,
  "member.invitation_revoked": ({ subject_name }) =>
    subject_name === null ? ["revoked an invitation link"] : say`revoked the invitation of ${subject_name}`,
  "member.invited": ({ subject_name, detail }) =>
    subject_name === null
      ? say`created an invitation link for the role ${text(detail.role)}`
      : say`invited ${subject_name} as ${text(detail.role)}`,
  "member.joined": ({ detail }) => say`joined as ${text(detail.role)}`,
  "member.removed": (told) =>
    told.detail.reason
      ? say`lost the role ${text(told.detail.role)}`
      : say`removed ${member(told)}, whose role was ${text(told.detail.role)}`,
  "member.renamed": () => ["changed their name"],
  "member.role_changed": (told) =>
    say`changed the role of ${member(told)} from ${text(told.detail.before)} to ${text(told.detail.after)}`,

  "mint_config.changed": ({ names, subject }) => say`changed the token ${token(names, subject)}`,
  "mint_config.created": ({ names, subject }) => say`created the token ${token(names, subject)}`,
  "mint_config.paused": ({ names, subject }) => say`paused the token ${token(names, subject)}`,
  "mint_config.unpaused": ({ names, subject }) => say`unpaused the token ${token(names, subject)}`,
  "policies.changed": ({ detail: { after } }) => {
    const changed = Object.keys((after ?? {}) as object).map((name) => nameIn(policies, name).toLowerCase())
    return say`changed what ${named("monitoring", "settings")} does on: ${listed(changed)}`
  },

  "recovery.begun": (told) => say`began ${recovery(told)} to ${address(text(told.detail.new_wallet))}`,
  "recovery.cancelled": (told) => say`cancelled ${recovery(told)}`,
  "recovery.completed": (told) => say`completed ${recovery(told)} to ${address(text(told.detail.new_wallet))}`,
  "recovery.failed": (told) => say`could not complete ${recovery(told)}`,
  "recovery.requested": (told) => say`requested ${recovery(told)} to ${address(text(told.detail.new_wallet))}`,
  "reminders.turned_off": () => ["turned off reminders of verifications that expire"],
  "reminders.turned_on": () => ["turned on reminders of verifications that expire"],

  "review.assigned": (told) =>
    told.detail.assignee === null
      ? say`assigned ${reviewOf(told)} to no one`
      : say`assigned ${reviewOf(told)} to ${text(told.detail.assignee)}`,
  "review.closed": (told) => {
    const why = (reviewEndings as Record<string, string>)[text(told.detail.ending)] ?? text(told.detail.ending)
    return say`closed ${reviewOf(told)}, because ${why.replace("Closed: ", "")}`
  },
  "review.decided": (told) => say`decided ${reviewOf(told)}: ${decision(told.detail.decision)}`,
  "review.found": (told) => say`added a finding to ${reviewOf(told)}`,
  "review.noted": (told) => say`added a note to ${reviewOf(told)}`,
  "review.opened": (told) => say`opened ${reviewOf(told)}: ${nameIn(reviewKinds, told.detail.kind).toLowerCase()}`,
  "review.request_voided": (told) =>
    say`voided the proposed decision of ${reviewOf(told)}, because something was found`,
  "review.requested": (told) => say`proposed a decision of ${reviewOf(told)}: ${decision(told.detail.decision)}`,

  "reviews.assigned": ({ detail }) =>
    say`assigned ${several(detail.reviews, "review")} to ${detail.assignee === null ? "no one" : text(detail.assignee)}`,

  "schema.changed": (told) => say`changed ${schema(told)}`,
  "schema.created": (told) => say`created ${schema(told)}`,
  "session.cancelled": ({ names, subject }) => say`cancelled ${verificationOf(names, subject)} before it was decided`,
  "session.started": ({ names, subject, detail }) =>
    detail.renewal_of
      ? say`started the renewal of ${verificationOf(names, subject)}`
      : say`started ${verificationOf(names, subject)}`,
  "snapshot.created": (told) => say`requested ${snapshot(told)}`,
  "snapshot.ready": (told) => say`completed ${snapshot(told)}, with ${several(told.detail.holders, "holder")}`,

  "token.burn_confirmed": landed("burn"),
  "token.burn_requested": moved("burn"),
  "token.force_transfer_confirmed": landed("force_transfer"),
  "token.force_transfer_requested": moved("force_transfer"),
  "token.mint_confirmed": landed("mint"),
  "token.mint_requested": moved("mint"),
  "token.transfer_confirmed": landed("transfer"),
  "token.transfer_requested": moved("transfer"),

  "wallet.barred": (told) => say`reported ${wallet(told)} as lost`,
  "wallet.cleared": (told) =>
    say`cleared the match of ${wallet(told)} on ${listed((told.detail.lists as string[]) ?? [])}`,
  "wallet.erased": (told) => say`erased the data behind ${wallet(told)}`,
  "wallet.frozen": (told) => say`froze ${wallet(told)} for ${ofTokens(told)}`,
  "wallet.left_list": (told) => say`noted that ${wallet(told)} is no longer on ${text(told.detail.list)}`,
  "wallet.unbarred": (told) => say`took back the report that ${wallet(told)} was lost`,
  "wallet.unfrozen": (told) => say`unfroze ${wallet(told)} for ${ofTokens(told)}`,

  "webhook.changed": (told) => say`changed ${endpoint(told)}`,
  "webhook.created": (told) => say`created ${endpoint(told)}`,
  "webhook.deleted": (told) => say`deleted ${endpoint(told)}`,
  "webhook.disabled": (told) => say`disabled ${endpoint(told)}`,
  "webhook.enabled": (told) => say`enabled ${endpoint(told)}`,
  "webhook.replayed": (told) => say`sent ${several(told.detail.events, "event")} again to ${endpoint(told)}`,
  "webhook.secret_rotated": (told) => say`replaced the secret of ${endpoint(told)}`,
}

/** An entry in words. One that another version wrote may have an action without a sentence. */
export const sentenceOf = (action: string, told: Told): Phrase =>
  (sentences as Record<string, Sentence | undefined>)[action]?.(told) ?? say`did ${action} to ${named(told.subject)}`
