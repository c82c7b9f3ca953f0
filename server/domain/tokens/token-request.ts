import type { Queryable } from "#db/client.ts"
import { type ApprovalRow, bindingPolicy, type Current, type Policy } from "#domain/approvals"
import type { Author } from "#domain/audit-log"
import type { IdempotencyClaim } from "#domain/requests"
import { isOwn } from "#domain/token-accounts"
import { canonicalJson, type Json } from "#server/lib/json.ts"
import type { Address } from "#shared/address.ts"
import type { BaseUnits } from "#shared/amount.ts"
import type { ApprovalAction, RequestedAction } from "#shared/approvals.ts"
import type { Between } from "#shared/movements.ts"
import { type BoundConfig, type RequestRefusal, requestedMode } from "./config.ts"
import type { Disclosure } from "./holder-facts.ts"
import type { OperationRow } from "./operation.ts"
import type { ForcedBy } from "./operations/forced.ts"
import type { Wanted } from "./stored-movement.ts"

// A request to move tokens, what binds it, and what can come of it. `reservations.ts` decides it.

export type TokenRequest = Wanted & {
  idempotency: IdempotencyClaim | null
  /** The actor, for the audit log. */
  author: Author
  /** What a refusal can reveal to the caller. */
  disclosure: Disclosure
  /** For a request that members approved: what their last approval does, in the commit that reserves. */
  approved?: Approved
  /** The caller's trace span, because several callers share a commit. */
  traceparent?: string | null
}

export type Approved = {
  approvalId: string
  operationId: string
  /** Whether to act now, given what binds the request. Errors: those of `takeApproval`. */
  take(sql: Queryable, current: Current): Promise<boolean>
  settle(sql: Queryable, refusal: RequestRefusal | null): Promise<void>
}

/** Refuses a receiver that is Vouch's own address. Tokens that it already holds can still be moved away. */
export const ownReceiver = (to: Address, { from }: Between<Address>): RequestRefusal => ({
  code: "invalid_public_key",
  detail: isOwn(from === null ? "user_pubkey" : "to_pubkey", to),
})

export type ReservationResult =
  | { operationId: string; row: OperationRow | null }
  /** `isUntaken`: no approval was taken, so the request still waits. */
  | { refusal: RequestRefusal; isUntaken?: true }
  | { keyClaimed: true }
  /** It waits for members. */
  | { approval: ApprovalRow }
  /** An approval was taken, and others are missing; or the request has become void. */
  | { taken: true }

/** A request whose configuration is locked. `amount` is in base units. */
export type Considered = { request: TokenRequest; operationId: string; config: BoundConfig; amount: BaseUnits }
type Bound = {
  request: Pick<TokenRequest, "movement" | "amount" | "holds" | "executes" | "whilePaused" | "lot"> & {
    forced: Pick<ForcedBy, "holder_consent"> | null
  }
  config: Pick<BoundConfig, "id" | "binding">
}
/** What a policy names to bind a request. */
export const actionOf = ({ movement, executes }: Pick<TokenRequest, "movement" | "executes">): RequestedAction =>
  executes === undefined ? movement.kind : "hold_execute"

/**
 * The policy that binds a request; null if it needs no approval. The execution of a hold is also a forced transfer, what
 * takes from holds that it names executes these, what passes a pause is also that, and so is a mint with an earlier date.
 */
export const policyOf = ({ request, config }: Bound): Policy | null => {
  const { movement, forced, amount, holds = [], whilePaused, lot } = request
  const also: ApprovalAction[] = [
    movement.kind,
    ...(holds.length > 0 ? (["hold_execute"] as const) : []),
    ...(whilePaused ? (["while_paused"] as const) : []),
    ...(lot?.acquired_at !== undefined ? (["lot_backdate"] as const) : []),
  ]
  return bindingPolicy(config.binding, {
    action: actionOf(request),
    also,
    mint_config: config.id,
    amount,
    isForced: forced !== null && !forced.holder_consent,
  })
}

/** Identifies what a request is checked against. A pause or a limit that fills up refuses it when it is approved. */
export const rulesOf = ({ config }: Considered): string => {
  const { rules, required_schema } = config
  return canonicalJson({ rules: rules as Json, required_schema, transfer_mode: requestedMode(config) })
}
