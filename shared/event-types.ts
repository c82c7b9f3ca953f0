/** The event types, each with what has happened in words. */
export const eventTypes = {
  "session.opened": "A verification session was started",
  "session.submitted": "The KYC provider reported on a session for the first time",
  "attestation.pending": "An attestation was created with its session",
  "attestation.verified": "An attestation was confirmed on chain",
  "attestation.rejected": "A verification was rejected, cancelled or revoked",
  "attestation.expired": "An attestation or its session expired",
  "attestation.expiring": "An attestation is about to expire",
  "operation.confirmed": "Tokens were minted, moved or burned on chain",
  "operation.failed": "Tokens could not be minted, moved or burned",
  "token.changed": "A mint configuration was changed",
  "token.paused": "A mint configuration was paused",
  "token.resumed": "A mint configuration was resumed",
  "investor.frozen": "A wallet's tokens were frozen because it is on a list",
  "investor.unfrozen": "A wallet's tokens are no longer frozen because of a list",
  "wallet.frozen": "A wallet was frozen, for one token or for every token",
  "wallet.unfrozen": "A freeze of a wallet was lifted",
  "hold.created": "Part of a wallet's balance was held",
  "hold.released": "A hold was released",
  "hold.executed": "Burns or forced transfers took all that a hold held",
  "hold.expired": "A hold expired",
  "recovery.updated": "A recovery of a lost wallet was requested, began or ended",
  "snapshot.ready": "The holders of a token on a record date are known",
  "distribution.updated": "A distribution to holders was created, or its state changed",
  "quota.threshold": "80 % or all of the month's quota is used",
  "review.opened": "A review needs a decision",
  "review.decided": "A review was closed",
  "approval.requested": "A request needs the approval of another member",
  "approval.decided": "A request was approved, or will not be done",
} as const satisfies Record<string, string>

export type EventType = keyof typeof eventTypes

export const allEventTypes = Object.keys(eventTypes) as [EventType, ...EventType[]]
