// Attestations: what is known about a verified wallet, its credential on chain, and how both end.

/** Records and their status. */
export { attestationRecord, attestationStatus, decidedAt, publicReason } from "./record.ts"
export { sessionStateAt, shownStatusAt, shownStatusInSql, statusAt } from "./status.ts"
export {
  type Facts,
  facts,
  maskedFields,
  type PersonalColumn,
  personalColumns,
  plainColumns,
} from "./personal.ts"

/** How wallets stand with a schema, now or at an earlier moment. */
export { inForceAt, readStandings, shownStanding } from "./standing.ts"

/** Reads: lists, counts, one attestation, its claims. */
export { attestationNotFound, getAttestation, listAttestations } from "./read.ts"
export {
  type ApiFilter,
  type AttestationSummary,
  findRows,
  latestAttestations,
  listInApi,
  listRows,
  orderedSearch,
  type Place,
  placeOf,
  searchAttestations,
  searchFilter,
} from "./search.ts"
export { countAttestations, countInvestors, type StatusCounts } from "./count.ts"
export { readDetail } from "./detail.ts"
export type { TimelineEvent } from "./timeline.ts"
export { exportAttestations } from "./export.ts"
export { type OnChainState, verifyOnChain } from "./verify-on-chain.ts"

/** Claims, sealed in the database and committed to on chain. */
export { openClaims, readClaims, readContradictions, sealClaims } from "./claims.ts"
export { commitmentOf, newSalt } from "./commitment.ts"

/** Credentials on chain. */
export { credentialAccounts } from "./credential-accounts.ts"
export { auditCredentials } from "./audit-credentials.ts"
export { destroyUnexplained } from "./unexplained.ts"

/** Kinds of operations. */
export { attest } from "./operations/attest.ts"
export { createCredentialMint, ensureCredentialMint } from "./operations/create-credential-mint.ts"
export { moveCredentialAuthority } from "./operations/move-credential-authority.ts"
export { revoke } from "./operations/revoke.ts"

/** How attestations end. */
export { endOthers, endPending, lockOwners, revokeCredential } from "./end.ts"
export { expireDue, expireSessions } from "./expire.ts"
export { revokeAttestation, revokeIn } from "./revoke.ts"
export { closeAsked } from "./ask-before-closing.ts"

/** Revoking many at once. */
export { redoBulkRevocation, type StoredList, startBulkRevocation } from "./bulk-revocation/start.ts"
export { type BulkRevocation, cancelBulkRevocation, readBulkRevocation } from "./bulk-revocation/lists.ts"
export { readContents } from "./bulk-revocation/contents.ts"
export { attestationsUpTo, countRevocable } from "./bulk-revocation/matching.ts"
export { revokeDue, dropOldBulkRevocations } from "./bulk-revocation/work.ts"
