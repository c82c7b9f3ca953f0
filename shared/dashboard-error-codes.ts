import { defineError, type ErrorStatus } from "./define-error.ts"
import { keptDays } from "./retention.ts"

const define = (status: ErrorStatus, title: string, fix: string) =>
  defineError(status, title, fix, { isDashboardOnly: true })

/** The errors of the dashboard and the investors' pages only. */
export const dashboardErrors = {
  not_signed_in: define(401, "Not signed in", "Sign in to the dashboard, then try again."),
  cross_site_request: define(
    403,
    "The request comes from another site",
    "Open the dashboard itself, and try again there.",
  ),
  workspace_not_found: define(404, "Workspace not found", "Choose one of your workspaces on the start page."),
  second_factor_required: define(
    403,
    "A second factor is required",
    "Set up a second factor or a passkey under Your account, or sign in again with yours.",
  ),
  second_person_required: define(
    403,
    "Another member has to confirm",
    "You asked for this decision, so you cannot confirm it. Ask another member who decides reviews.",
  ),
  awaiting_approval: define(
    409,
    "Waiting for approval",
    "Nothing has happened yet. It takes effect once another member approves it under Approvals.",
  ),
  bulk_revocation_not_found: define(
    404,
    "Not found",
    `Check the address. Results of bulk revocations are kept for ${keptDays.bulkRevocations} days.`,
  ),
  too_many_bulk_revocations: define(
    409,
    "Other attestations are still being revoked",
    "Wait until a bulk revocation that runs, or waits for approval, is done.",
  ),
  selection_changed: define(
    409,
    "The selected rows have changed",
    "Look at the list again, and select all of it once more. Nothing has happened.",
  ),
  review_not_found: define(404, "Review not found", "Open Reviews and choose one of this workspace."),
  review_changed: define(
    409,
    "The review has changed",
    "Reload the review: it was decided, or something was found, since you opened it.",
  ),
  saved_filter_not_found: define(404, "Filter not found", "Reload the page: it may have been deleted."),
  member_not_found: define(404, "Member not found", "Reload the list of members."),
  invitation_limit: define(409, "Too many open invitations", "Revoke an invitation that you no longer need."),
  invalid_link: define(404, "The link does not work", "It was already used or has expired. Ask for a new one."),
  note_not_found: define(404, "Note not found", "Reload the page: it may have been deleted."),
  key_not_found: define(
    404,
    "API key not found",
    "Choose a key of this workspace. A revoked key cannot be rotated: create a new one.",
  ),
  api_key_limit: define(409, "Too many API keys", "Revoke a key that you no longer use."),
  request_not_found: define(
    404,
    "Request not found in the log",
    `Check the id and the workspace. Requests with a valid key are kept for ${keptDays.requests} days; others are not logged.`,
  ),
  email_unconfirmed: define(403, "The email address is not confirmed", "Open the link that we mailed to the address."),
  email_taken: define(409, "The email address is already in use", "Sign in as that person, and open the link again."),
  account_exists: define(409, "The name is already in use", "Choose a different name."),
  last_owner: define(409, "An account needs an owner", "Make another member an owner first."),
  wallet_proof_required: define(
    422,
    "Proof of the wallet is missing",
    "Sign the message with the wallet on the verification page, then continue.",
  ),
  wallet_proof_refused: define(
    422,
    "The signed message does not prove the wallet",
    "Ask for a new message, and sign it with the wallet named on the verification page.",
  ),
  mail_failed: define(503, "The email could not be sent", "Check VOUCH_SMTP_URL, or send the link yourself."),
}
