/** Days after which rows, or parts of them, are deleted. Screens and errors use these numbers. */
export const keptDays = {
  /** The request log, `api_requests`. */
  requests: 30,
  /** Ids of providers' webhooks, which identify repeats. */
  webhookEvents: 90,
  /** Events of a workspace: GET /events. */
  events: 90,
  /** The result of each attempt to send a webhook. */
  webhookAttempts: 30,
  /** The results of a bulk revocation, counted from its end. */
  bulkRevocations: 30,
  /** The emails sent to members. */
  notifications: 60,
  /** The bytes of transactions (`wire`). After this time a transaction is finalized or can never land. */
  transactionBytes: 30,
} as const
