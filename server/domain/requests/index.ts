// Who makes a request, and how often it takes effect.

/** Principals and the request's context. */
export {
  type Caller,
  type Command,
  type Context,
  type IdempotencyClaim,
  type Member,
  type Principal,
  requireScope,
  type SignedIn,
} from "./context.ts"

/** Idempotency keys. */
export {
  type Answer,
  claiming,
  claimKey,
  claimKeys,
  claimOf,
  explainClaim,
  fingerprintOf,
  isContended,
  isExpired,
  KeyClaimed,
  readIdempotencyKey,
  releaseKeys,
  storeAnswer,
  withKey,
} from "./idempotency.ts"
