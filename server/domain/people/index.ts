// People: sign-in, membership and roles, invitations, mail.

/** Sign-in. */
export { AUTH_PATH, CLIENT_ADDRESS, MAX_PASSWORD, MIN_PASSWORD, openAuth, signInOptions } from "./auth.ts"
export { asAttempt, currentAttempt } from "./attempt.ts"
export { resealSecondFactors } from "./auth-secrets.ts"
export { principalIn, signedInUser } from "./principal.ts"
export { hasSecondFactor, lacksSecondFactor } from "./second-factor.ts"
export { endSignIns, listSignIns } from "./sign-ins.ts"

/** The signed-in person. */
export { isTimeZone, type Me, me, renameUser, setTimeZone } from "./me.ts"
export { confirmEmail, mailConfirmation } from "./confirm.ts"
export { createResetLink, type Reset, requestReset, resetPassword } from "./reset.ts"

/** Members and their roles. */
export { changeRole, inviteMember, type Leftovers, listMembers, removeMember, revokeInvitation } from "./members.ts"
export { heldRole, holdPermission, stillHasPermission, userIdOf } from "./membership.ts"
export { admitByOperator, admitMember, requireAdmitted, reviewers } from "./admission.ts"
export { keysKnownTo } from "./known-keys.ts"

/** Invitations. */
export { createInvitation, findInvitation, mailInvitation, needsMail } from "./invitations.ts"
export { createUser, holderOf, join } from "./join.ts"

/** For the operator. */
export { listUsers, removeSecondFactor } from "./people.ts"
export { releaseAddress } from "./evict.ts"
export { cleanPeople } from "./retention.ts"

/** Mail, and how much of it is sent. */
export { type Mail, mailer } from "./mail.ts"
export { waitForMail } from "./mail-limits.ts"
export { MAIL_BATCH, MOST_ATTEMPTS, nextAttempt, sendDue } from "./mail-queue.ts"
