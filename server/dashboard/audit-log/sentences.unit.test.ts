import { expect, test } from "vitest"
import type { AuditAction } from "#domain/audit-log"
import type { Names } from "./names.ts"
import { type Phrase, verification } from "./phrases.ts"
import { sentenceOf, sentences } from "./sentences.ts"

const WALLET = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
const OTHER = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
const textOf = (phrase: Phrase) => phrase.map((part) => (typeof part === "string" ? part : part.text)).join("")

const office = { investor_id: "inv_1", external_id: "family-office-2", is_erased: false, wallet: WALLET }
const erased = { investor_id: "inv_2", external_id: null, is_erased: true, wallet: OTHER }
const acme = { mint_config: "acme_v1", symbol: "ACME", decimals: 2 }
const operation = { ...acme, status: "confirmed", amount: "50000" }
const known: Record<string, object> = {
  "investor inv_1": office,
  [`wallet ${WALLET}`]: office,
  [`wallet ${OTHER}`]: erased,
  "attestation att_1": { ...office, schema: "Individual KYC", reason: null },
  "review rev_1": { ...office, kind: "vendor", reason: null },
  "recovery rec_1": { ...office, new_wallet: OTHER, reason: null },
  "payout pay_1": { ...office, distribution: "dist_1" },
  "operation op_1": { ...operation, wallet: WALLET, from_wallet: null },
  "operation op_burn": { ...operation, wallet: null, from_wallet: WALLET },
  "operation op_moved": { ...operation, wallet: WALLET, from_wallet: OTHER },
  "operation op_queued": { ...operation, status: "queued", wallet: WALLET, from_wallet: null },
  "operation op_failed": { ...operation, status: "failed", wallet: WALLET, from_wallet: null },
  "token acme_v1": { name: "Acme Fund", ...acme },
  "schema kyc_v1": { name: "Individual KYC" },
  "key key_1": { name: "production" },
  "endpoint whe_1": { url: "https://hooks.acme.example/vouch" },
  "snapshot snap_1": { name: "Q3 record date", mint_config: "acme_v1" },
  "distribution dist_1": { reference: "Q3 dividend", mint_config: "acme_v1" },
  "approval apr_1": {
    action: "mint",
    request: { mint_config: "acme_v1", amount: "500", user_pubkey: WALLET },
    reason: null,
  },
}
const names = ((kind, id) => known[`${kind} ${id}`]) as Names
const nothing: Names = () => undefined

const request = { approval: "apr_1", action: "mint", requested_by: "Dan Developer" }
const move = { mint_config: "acme_v1", amount: "500", from: OTHER, to: WALLET }
/** An entry of each action: its subject and details, and what it says after its actor. */
const said: Record<AuditAction, [subject: string, detail: Record<string, unknown>, sentence: string]> = {
  "account.branded": ["acct_1", { changed: ["color", "logo"] }, "changed the color and logo of the hosted page"],
  "account.budget_changed": [
    "ws_1",
    { mode: "live", before: null, after: "2500000000" },
    "changed the SOL budget of the live workspace from no limit to 2.50 SOL",
  ],
  "account.created": ["acct_1", { name: "Acme" }, "created the account Acme"],
  "account.plan_changed": [
    "acct_1",
    { before: { plan: "free" }, after: { plan: "growth" } },
    "changed the plan from free to growth",
  ],
  "account.renamed": [
    "acct_1",
    { before: "Acme", after: "Acme Capital" },
    "renamed the account from Acme to Acme Capital",
  ],
  "account.security_changed": [
    "acct_1",
    { after: { second_factor_required: true } },
    "required a second factor of every member",
  ],
  "approval.approved": ["op_1", request, "approved Dan Developer's request to mint 500 ACME to family-office-2"],
  "approval.expired": [
    "op_1",
    request,
    "ended Dan Developer's request to mint 500 ACME to family-office-2, because its time was over",
  ],
  "approval.given": [
    "op_1",
    request,
    "approved Dan Developer's request to mint 500 ACME to family-office-2, which needs further approvals",
  ],
  "approval.rejected": ["op_1", request, "rejected Dan Developer's request to mint 500 ACME to family-office-2"],
  "approval.requested": [
    "op_1",
    { ...request, request: { mint_config: "acme_v1", amount: "500", user_pubkey: WALLET } },
    "requested approval to mint 500 ACME to family-office-2",
  ],
  "approval.void": [
    "op_1",
    request,
    "ended Dan Developer's request to mint 500 ACME to family-office-2, which was no longer valid",
  ],
  "approval.withdrawn": ["op_1", request, "withdrew Dan Developer's request to mint 500 ACME to family-office-2"],
  "approval_policy.changed": ["apol_1", { changed: { approvals: 2 } }, "changed an approval policy"],
  "approval_policy.created": [
    "apol_1",
    { actions: ["mint", "force_transfer"] },
    "created an approval policy for “Mint” and “Force a transfer”",
  ],
  "approval_policy.deleted": ["apol_1", {}, "deleted an approval policy"],
  "attestation.decided_manually": [
    "att_1",
    { decision: "approved", review: "rev_1" },
    "approved family-office-2's individual KYC",
  ],
  "attestation.revoked": ["att_1", { was: "verified" }, "revoked family-office-2's individual KYC"],
  "audit_log.entries_lost": [
    "anch_1",
    { place: 1234 },
    "found that a restore of the database lost entries of this log, up to number 1,234",
  ],
  "bulk_revocation.started": ["blk_1", { attestations: 1200 }, "started to revoke 1,200 verifications"],
  "bulk_revocation.stopped": [
    "blk_1",
    { attestations: 1200, left: 7 },
    "stopped revoking 1,200 verifications, and left 7 of them",
  ],
  "claims.viewed": ["att_1", { claims: ["country"] }, "viewed the claims of family-office-2's individual KYC"],
  "distribution.cancelled": ["dist_1", {}, "cancelled the distribution Q3 dividend to holders of Acme Fund"],
  "distribution.completed": ["dist_1", {}, "completed the distribution Q3 dividend to holders of Acme Fund"],
  "distribution.created": [
    "dist_1",
    { mint_config: "acme_v1", total: "5000", payouts: 12 },
    "drafted the distribution Q3 dividend to holders of Acme Fund: 5,000 in 12 payouts",
  ],
  "distribution.paused": ["dist_1", {}, "paused the distribution Q3 dividend to holders of Acme Fund"],
  "distribution.resumed": ["dist_1", {}, "resumed the distribution Q3 dividend to holders of Acme Fund"],
  "distribution.started": ["dist_1", {}, "started the distribution Q3 dividend to holders of Acme Fund"],
  "hold.created": [
    "hold_1",
    { mint_config: "acme_v1", wallet: WALLET, amount: "100" },
    "held 100 ACME of family-office-2",
  ],
  "hold.released": [
    "hold_1",
    { mint_config: "acme_v1", wallet: WALLET, amount: "100" },
    "released the hold of 100 ACME of family-office-2",
  ],
  "investor.erased": ["inv_1", { attestations: 1, wallets: 1 }, "erased the data of family-office-2"],
  "investor.note_added": ["inv_1", { note: "note_1" }, "added a note about family-office-2"],
  "investor.note_deleted": ["inv_1", { note: "note_1" }, "deleted a note about family-office-2"],
  "investor.note_edited": ["inv_1", { note: "note_1" }, "edited a note about family-office-2"],
  "investor.vendor_confirmed": [
    "era_1",
    { provider: "Persona" },
    "confirmed that Persona deleted the data of an erased investor",
  ],
  "key.created": ["key_1", { name: "production" }, "created the API key production"],
  "key.revoked": ["key_1", { name: "production" }, "revoked the API key production"],
  "key.rotated": ["key_1", { name: "production" }, "replaced the secret of the API key production"],
  "ledger.quarantine_lifted": [
    "ws_1",
    { reason: "Checked", differences: [] },
    "lifted the quarantine, so that transactions are signed again",
  ],
  "member.admitted": ["user_1", {}, "confirmed Vera Viewer as a member"],
  "member.invitation_revoked": ["evt_1", {}, "revoked an invitation link"],
  "member.invited": ["evt_1", { role: "viewer" }, "created an invitation link for the role viewer"],
  "member.joined": ["user_1", { name: "Vera Viewer", role: "viewer" }, "joined as viewer"],
  "member.removed": ["user_1", { role: "viewer" }, "removed Vera Viewer, whose role was viewer"],
  "member.renamed": ["user_1", {}, "changed their name"],
  "member.role_changed": [
    "user_1",
    { before: "viewer", after: "developer" },
    "changed the role of Vera Viewer from viewer to developer",
  ],
  "mint_config.changed": ["acme_v1", {}, "changed the token Acme Fund"],
  "mint_config.created": ["acme_v1", {}, "created the token Acme Fund"],
  "mint_config.paused": ["acme_v1", {}, "paused the token Acme Fund"],
  "mint_config.unpaused": ["acme_v1", {}, "unpaused the token Acme Fund"],
  "operation.resolved": ["op_1", { as: "landed" }, "settled the unclear transaction of op_1 as landed on chain"],
  "payout.marked_paid": [
    "pay_1",
    { distribution: "dist_1" },
    "marked the payout to family-office-2 as paid outside Vouch",
  ],
  "payout.released": ["pay_1", { distribution: "dist_1" }, "released the payout to family-office-2"],
  "payout.retried": ["pay_1", { distribution: "dist_1" }, "retried the payout to family-office-2"],
  "policies.changed": [
    "ws_1",
    { before: { wallet_listed: "review" }, after: { wallet_listed: "freeze" } },
    "changed what monitoring does on: wallet on a screening list",
  ],
  "recovery.begun": [
    "rec_1",
    { new_wallet: OTHER },
    "began the recovery of family-office-2's lost wallet 7xKXtg2C\u2026uJosgAsU to 9xQeWvG8\u20269PusVFin",
  ],
  "recovery.cancelled": ["rec_1", {}, "cancelled the recovery of family-office-2's lost wallet 7xKXtg2C\u2026uJosgAsU"],
  "recovery.completed": [
    "rec_1",
    { lost_wallet: WALLET, new_wallet: OTHER },
    "completed the recovery of family-office-2's lost wallet 7xKXtg2C\u2026uJosgAsU to 9xQeWvG8\u20269PusVFin",
  ],
  "recovery.failed": [
    "rec_1",
    { lost_wallet: WALLET, new_wallet: OTHER, error: "mint_paused" },
    "could not complete the recovery of family-office-2's lost wallet 7xKXtg2C\u2026uJosgAsU",
  ],
  "recovery.requested": [
    "rec_1",
    { investor: "inv_1", lost_wallet: WALLET, new_wallet: OTHER },
    "requested the recovery of family-office-2's lost wallet 7xKXtg2C\u2026uJosgAsU to 9xQeWvG8\u20269PusVFin",
  ],
  "reminders.turned_off": ["ws_1", {}, "turned off reminders of verifications that expire"],
  "reminders.turned_on": ["ws_1", {}, "turned on reminders of verifications that expire"],
  "review.assigned": [
    "rev_1",
    { assignee: "Cora Compliance" },
    "assigned the review of family-office-2 to Cora Compliance",
  ],
  "review.closed": [
    "rev_1",
    { ending: "vendor" },
    "closed the review of family-office-2, because the provider decided",
  ],
  "review.decided": [
    "rev_1",
    { kind: "vendor", decision: "approve" },
    "decided the review of family-office-2: approved",
  ],
  "review.found": ["rev_1", {}, "added a finding to the review of family-office-2"],
  "review.noted": ["rev_1", {}, "added a note to the review of family-office-2"],
  "review.opened": [
    "rev_1",
    { kind: "vendor", about: "att_1" },
    "opened the review of family-office-2: provider review",
  ],
  "review.request_voided": [
    "rev_1",
    {},
    "voided the proposed decision of the review of family-office-2, because something was found",
  ],
  "review.requested": [
    "rev_1",
    { kind: "vendor", decision: "reject" },
    "proposed a decision of the review of family-office-2: rejected",
  ],
  "reviews.assigned": [
    "ws_1",
    { assignee: "Cora Compliance", filter: { kind: "vendor" }, seen: 12, reviews: 12 },
    "assigned 12 reviews to Cora Compliance",
  ],
  "schema.changed": ["kyc_v1", {}, "changed the schema Individual KYC"],
  "schema.created": ["kyc_v1", {}, "created the schema Individual KYC"],
  "session.cancelled": ["att_1", {}, "cancelled family-office-2's individual KYC before it was decided"],
  "session.started": ["att_1", { schema: "kyc_v1" }, "started family-office-2's individual KYC"],
  "signer.set": [
    "ws_1",
    { after: { fee_payer: WALLET } },
    "set the fee payer of the workspace to 7xKXtg2C\u2026uJosgAsU",
  ],
  "snapshot.created": [
    "snap_1",
    { mint_config: "acme_v1", name: "Q3 record date" },
    "requested the snapshot Q3 record date of Acme Fund",
  ],
  "snapshot.ready": [
    "snap_1",
    { mint_config: "acme_v1", holders: 12 },
    "completed the snapshot Q3 record date of Acme Fund, with 12 holders",
  ],
  "token.burn_confirmed": [
    "op_burn",
    { mint_config: "acme_v1" },
    "completed the redemption of 500 ACME from family-office-2",
  ],
  "token.burn_requested": [
    "op_1",
    { mint_config: "acme_v1", amount: "500", from: WALLET, holder_consent: false },
    "redeemed 500 ACME from family-office-2 without the holder’s consent",
  ],
  "token.force_transfer_confirmed": [
    "op_moved",
    { mint_config: "acme_v1" },
    "completed the forced transfer of 500 ACME from an erased investor to family-office-2",
  ],
  "token.force_transfer_requested": [
    "op_1",
    move,
    "forced a transfer of 500 ACME from an erased investor to family-office-2",
  ],
  "token.mint_confirmed": ["op_1", { mint_config: "acme_v1" }, "completed the mint of 500 ACME to family-office-2"],
  "token.mint_requested": [
    "op_1",
    { mint_config: "acme_v1", amount: "500", to: WALLET },
    "minted 500 ACME to family-office-2",
  ],
  "token.transfer_confirmed": [
    "op_moved",
    { mint_config: "acme_v1" },
    "completed the transfer of 500 ACME from an erased investor to family-office-2",
  ],
  "token.transfer_requested": ["op_1", move, "transferred 500 ACME from an erased investor to family-office-2"],
  "wallet.barred": [WALLET, { recovery: "rec_1" }, "reported family-office-2's wallet 7xKXtg2C\u2026uJosgAsU as lost"],
  "wallet.cleared": [
    WALLET,
    { lists: ["ofac.txt"], review: "rev_1" },
    "cleared the match of family-office-2's wallet 7xKXtg2C\u2026uJosgAsU on ofac.txt",
  ],
  "wallet.erased": [
    WALLET,
    { attestations: 1 },
    "erased the data behind family-office-2's wallet 7xKXtg2C\u2026uJosgAsU",
  ],
  "wallet.frozen": [
    WALLET,
    { mint_config: null, reason_code: "court_order", reference: "4711" },
    "froze family-office-2's wallet 7xKXtg2C\u2026uJosgAsU for every token",
  ],
  "wallet.left_list": [
    WALLET,
    { list: "ofac.txt" },
    "noted that family-office-2's wallet 7xKXtg2C\u2026uJosgAsU is no longer on ofac.txt",
  ],
  "wallet.unbarred": [
    WALLET,
    { recovery: "rec_1" },
    "took back the report that family-office-2's wallet 7xKXtg2C\u2026uJosgAsU was lost",
  ],
  "wallet.unfrozen": [
    WALLET,
    { mint_config: "acme_v1" },
    "unfroze family-office-2's wallet 7xKXtg2C\u2026uJosgAsU for Acme Fund",
  ],
  "webhook.changed": ["whe_1", {}, "changed the webhook endpoint hooks.acme.example"],
  "webhook.created": [
    "whe_1",
    { url: "https://hooks.acme.example" },
    "created the webhook endpoint hooks.acme.example",
  ],
  "webhook.deleted": [
    "whe_1",
    { url: "https://hooks.acme.example" },
    "deleted the webhook endpoint hooks.acme.example",
  ],
  "webhook.disabled": ["whe_1", {}, "disabled the webhook endpoint hooks.acme.example"],
  "webhook.enabled": ["whe_1", {}, "enabled the webhook endpoint hooks.acme.example"],
  "webhook.replayed": ["whe_1", { events: 3 }, "sent 3 events again to the webhook endpoint hooks.acme.example"],
  "webhook.secret_rotated": [
    "whe_1",
    { overlap_seconds: 0 },
    "replaced the secret of the webhook endpoint hooks.acme.example",
  ],
}

const tell = (action: string, subject: string, detail: Record<string, unknown>, of = names) =>
  textOf(sentenceOf(action, { subject, subject_name: subject === "user_1" ? "Vera Viewer" : null, detail, names: of }))

test.each(Object.entries(said))("%s has a sentence", (action, [subject, detail, sentence]) => {
  expect(tell(action, subject, detail)).toBe(sentence)
})

test.each(Object.keys(sentences))("%s has a sentence even if nothing about it is known any more", (action) => {
  const [subject, detail] = said[action as AuditAction]
  const sentence = tell(action, subject, detail, nothing)
  expect(sentence).not.toMatch(/undefined|null|NaN|\[object| {2}| $/)
  expect(sentence).toMatch(/^[a-z]/)
})

test("a movement that waits or has failed is not said to be done", () => {
  const detail = { mint_config: "acme_v1", amount: "500", to: WALLET }
  expect(tell("token.mint_requested", "op_queued", detail)).toBe("requested to mint 500 ACME to family-office-2")
  expect(tell("token.mint_requested", "op_failed", detail)).toBe(
    "requested to mint 500 ACME to family-office-2, which failed",
  )
  const redeemed = { mint_config: "acme_v1", amount: "500", from: WALLET, holder_consent: true }
  expect(tell("token.burn_requested", "op_burn", redeemed)).toBe("redeemed 500 ACME from family-office-2")
})

test("names are links to the pages of what they name", () => {
  const detail = { mint_config: "acme_v1", amount: "500", to: WALLET }
  const told = { subject: "op_1", subject_name: null, detail, names }
  expect(sentenceOf("token.mint_requested", told)).toEqual([
    "minted",
    " ",
    { text: "500 ACME", path: ["tokens", "acme_v1", "operations", "op_1"] },
    " to ",
    { text: "family-office-2", path: ["investors", "inv_1"] },
  ])
})

test.each([
  ["Individual KYC", "individual KYC"],
  ["Individual identity", "individual identity verification"],
  ["Accredited investor", "accredited investor verification"],
  ["EU Residency", "EU Residency verification"],
  ["Acme Check", "Acme Check"],
])("a verification by the schema %s is called %s", (schema, name) => {
  expect(verification(schema)).toBe(name)
})

test("an action of another version still says what and about what", () => {
  expect(tell("vault.opened", "vault_1", {})).toBe("did vault.opened to vault_1")
})
