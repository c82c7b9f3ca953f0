// People: sign-in, membership and roles, invitations, mail.

/** Sign-in. */
export { AUTH_PATH, CLIENT_ADDRESS, MAX_PASSWORD, MIN_PASSWORD, openAuth, signInOptions } from "./auth.ts"
export { asAttempt, currentAttempt } from "./attempt.ts"
export { resealSecondFactors } from "./auth-secrets.ts"
export { principalIn, signedInUser } from "./principal.ts"
export { hasSecondFactor, lacksSecondFactor, requireFreshFactor } from "./second-factor.ts"

/** The signed-in person. */
export { endSignIns, isTimeZone, listSignIns, type Me, me, renameUser, setTimeZone } from "./me.ts"
export { confirmEmail, mailConfirmation } from "./confirm.ts"
export { createResetLink, type Reset, requestReset, resetPassword } from "./reset.ts"

/** Members and their roles. */
export {
  changeRole,
  inviteMember,
  keysKnownTo,
  type Leftovers,
  listMembers,
  removeMember,
  revokeInvitation,
} from "./members.ts"
export {
  type Account,
  accountOf,
  changeAs,
  heldRole,
  holdPermission,
  stillHasPermission,
  userIdOf,
} from "./membership.ts"
export { admitByOperator, admitMember, decidesTogether, requireAdmitted, reviewers } from "./admission.ts"

/** Invitations. */
export { createInvitation, findInvitation, mailInvitation, needsMail } from "./invitations.ts"
export { createUser, holderOf, join } from "./join.ts"

/** For the operator. */
export { listUsers, releaseAddress, removeSecondFactor } from "./people.ts"
export { cleanPeople } from "./retention.ts"

/** Mail, and how much of it is sent. */
export { provenMailbox, sameMailbox } from "./mailbox.ts"
export { MAIL_BATCH, type Mail, MOST_ATTEMPTS, mailer, nextAttempt, sendDue, waitForMail } from "./mail.ts"
