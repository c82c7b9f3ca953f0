/** Whom a workspace's events are sent to, and how often. Times in seconds. */

/**
 * Pauses before each attempt: the schedule of the Standard Webhooks specification
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md), 75 hours in all.
 */
export const attemptPauses_s = [
  0,
  5,
  5 * 60,
  30 * 60,
  2 * 3600,
  5 * 3600,
  10 * 3600,
  14 * 3600,
  20 * 3600,
  24 * 3600,
] as const

/** An endpoint that has taken nothing for so many days is disabled. */
export const disabledAfterDays = 4

/** Endpoints of a workspace, at most. */
export const mostEndpoints = 20

/** How long one may take to answer. */
export const answerWithin_s = 15

/** For how long the secret before the last may still sign: up to a week, and a day unless told otherwise. */
export const overlap_s = { longest: 7 * 86_400, usual: 86_400 } as const

/** `pending` waits for its next attempt; `failed` has used them all. */
export const deliveryStatuses = ["pending", "delivered", "failed"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why an endpoint is disabled: a member or a key did it, it answered 410, or it took nothing for days. */
export const disabledReasons = ["requested", "gone", "failing"] as const
export type DisabledReason = (typeof disabledReasons)[number]
