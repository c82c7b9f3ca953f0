/** Limits and schedules of webhook endpoints. Times are in seconds. */

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

/** An endpoint that has accepted nothing for this many days is disabled. */
export const disabledAfterDays = 4

/** The most endpoints of a workspace. */
export const mostEndpoints = 20

/** How long an endpoint may take to answer. */
export const answerWithin_s = 15

/** How many characters of an answer are kept. */
export const keptAnswer_chars = 1000

/** How long the previous secret also signs: up to a week, by default a day. */
export const overlap_s = { longest: 7 * 86_400, usual: 86_400 } as const

/** `pending` waits for its next attempt. `failed` has used all attempts. */
export const deliveryStatuses = ["pending", "delivered", "failed"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why an endpoint is disabled: a member or a key did it, it answered 410, or it accepted nothing for days. */
export const disabledReasons = ["requested", "gone", "failing"] as const
export type DisabledReason = (typeof disabledReasons)[number]
