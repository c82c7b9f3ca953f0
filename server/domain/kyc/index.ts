// Verification sessions: from their start to the provider's decision.

/** Starting and ending a session. */
export { startSession } from "./start.ts"
export { cancelSession, redoCancel } from "./cancel.ts"
export { redirectUrl } from "./redirect-url.ts"

/** Reads. */
export { sessionRecord, sessionState, sessionUrl } from "./session-record.ts"
export { getSession, listSessions } from "./sessions.ts"
export { walletStatus } from "./status.ts"

/** What the provider says. */
export { receiveWebhook } from "./webhook.ts"
export { askProviders } from "./ask-providers.ts"
export { checkProviders, type ProviderCheck } from "./check-providers.ts"

/** What members decide. */
export { applyHeld } from "./approve.ts"
export { applyManualDecision } from "./decide-manually.ts"
export { decideTestSession } from "./decide-test-session.ts"
export { acceptReversal } from "./reversal.ts"

/** The hosted page. */
export { readView } from "./hosted-page/read.ts"
export type { SessionView } from "./hosted-page/view.ts"
export { continueToProvider, linkOwner } from "./hosted-page/continue.ts"
export { submitForm } from "./hosted-page/submit.ts"
export { FormDelivery } from "./hosted-page/form-delivery.ts"

/** The wallet's proof. */
export { agreeToProof, askForProof } from "./wallet-proof/challenge.ts"
export { proveOnChain, proveWallet } from "./wallet-proof/prove.ts"

/** Renewal and its reminders. */
export { emailAddress, reminderFor, reminderOwner } from "./renewal/email.ts"
export { forgetAddresses, sendReminders } from "./renewal/notices.ts"
export { startRenewal, stopReminders } from "./renewal/renew.ts"
export { readReminderSettings, remindAt, setReminders } from "./renewal/reminders.ts"
