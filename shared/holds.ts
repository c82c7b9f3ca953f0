/**
 * `pending`: not on chain yet. Only `pending` and `active` are not final. `executed`: a burn or a forced transfer took
 * what it held. `failed`: it could not be placed.
 */
export const holdStates = ["pending", "active", "released", "executed", "expired", "failed"] as const
export type HoldState = (typeof holdStates)[number]
