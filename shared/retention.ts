/** Days after which rows are deleted, or a part of them. Screens and errors take their numbers from here. */
export const keptDays = {
  /** The request log, `api_requests`. */
  requests: 30,
  /** Ids of providers' webhooks, by which a repeat is recognised. */
  webhookEvents: 90,
  /** Events of a workspace: GET /events. */
  events: 90,
  /** What became of each attempt to send a webhook. */
  webhookAttempts: 30,
  /** What became of each attestation that was revoked with others, since the last one was. */
  bulkRevocations: 30,
  /** What members were mailed about. */
  notifications: 60,
  /** The bytes of transactions (`wire`). By then a transaction is on chain for good, or never will be. */
  transactionBytes: 30,
} as const
