import { sql, type Transaction } from "#db/client.ts"
import type { Author } from "#domain/audit-log"
import { claimKey, type IdempotencyClaim } from "#domain/requests"
import type { RequestedAction } from "#shared/approvals.ts"
import { type ErrorCode, errors, Failure } from "#shared/errors.ts"
import { type ApprovalRecord, type ApprovalRow, findApproval, toApprovalRecord } from "./approval.ts"
import { askApproval } from "./ask.ts"
import { loadBinding } from "./policies.ts"
import { type Asked, bindingPolicy } from "./policy.ts"
import { type Approving, settleApproval, takeApproval } from "./take.ts"

/** A member's approval of a stored request. `underPolicy` notes whether the verb has reached it. */
export type Replay = { approving: Approving; isReached: boolean }

/** An act that a policy may bind. */
export type Bound = {
  action: RequestedAction
  /** Id of what it is about. */
  subject: string
  /** The request's body, from which it is done once approved. */
  request: Record<string, unknown>
  /** The fields of the request that describe a person, which the audit log must not keep. */
  personal?: readonly string[]
  /** Identifies the state that it would change. If this has changed once it is approved, the request is void. */
  rules: string
  author: Author
  idempotency: IdempotencyClaim | null
  /** For an approved request. */
  replay?: Replay | undefined
} & Partial<Pick<Asked, "also" | "mint_config" | "amount" | "isAboutAll">>

/** The result of an act; or what it waits for; or nothing, if an approval was taken and others are missing. */
export type Decided<T> = { done: T } | { waits: ApprovalRow } | { taken: true }

/** Thrown after the commit in which an act was requested instead of done. Rendered as 202 with the approval. */
export class AwaitingApproval extends Failure {
  readonly approval: ApprovalRecord
  constructor(approval: ApprovalRecord) {
    super("awaiting_approval", "This needs the approval of another member. It takes effect once they approve it.")
    this.approval = approval
  }
}

/**
 * Acts, or asks for the approvals that a policy requires. Call it in the transaction that would act, after the checks
 * and locks. `operationOf` names the operation that the act began, if any. The claim of an idempotency key for what the act makes belongs in `act`. The operator and Vouch itself are
 * bound by no policy. Errors: approver_missing; for an approved request those of `takeApproval`.
 */
export async function underPolicy<T>(
  sql: Transaction,
  workspaceId: string,
  {
    replay,
    idempotency,
    mint_config = null,
    amount = null,
    also = [],
    isAboutAll = false,
    personal = [],
    operationOf = () => null,
    ...bound
  }: Bound & { operationOf?: (done: T) => string | null },
  act: (sql: Transaction) => Promise<T>,
): Promise<Decided<T>> {
  if (!isBound(bound.author)) return { done: await act(sql) }
  const asked = { action: bound.action, also, mint_config, isAboutAll, amount, isForced: false }
  const policy = bindingPolicy(await loadBinding(sql, workspaceId), asked)
  if (replay) return actApproved(sql, replay, { current: { policy, rules: bound.rules }, operationOf }, act)
  if (policy === null) return { done: await act(sql) }
  const waits = await askApproval(sql, workspaceId, { ...bound, operationId: null, policy, personal })
  if (idempotency) await claimKey(sql, idempotency, waits.id)
  return { waits }
}

/** A refusal once it is approved is its outcome: the request has been decided. */
async function actApproved<T>(
  sql: Transaction,
  replay: Replay,
  about: { current: Parameters<typeof takeApproval>[2]; operationOf: (done: T) => string | null },
  act: (sql: Transaction) => Promise<T>,
): Promise<Decided<T>> {
  replay.isReached = true
  const { act: isLast, row } = await takeApproval(sql, replay.approving, about.current)
  if (!isLast) return { taken: true }
  const outcome = await inSavepoint(sql, act)
  if (outcome.refusal !== undefined) {
    await settleApproval(sql, row, outcome)
    return { taken: true }
  }
  await settleApproval(sql, row, { operationId: row.operation_id ?? about.operationOf(outcome.done) })
  return outcome
}

type Refused = { refusal: { code: ErrorCode; detail: string } }

async function inSavepoint<T>(
  sql: Transaction,
  act: (sql: Transaction) => Promise<T>,
): Promise<{ done: T; refusal?: never } | Refused> {
  try {
    return { done: (await sql.savepoint(act)) as T }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { refusal: { code: error.code, detail: error.message } }
  }
}

/** Whether an act was refused, and not by something that passes. */
export const isRefusal = (error: unknown): error is Failure =>
  error instanceof Failure && errors[error.code].status < 500 && error.code !== "rate_limited"

const isBound = ({ principal }: Author): boolean =>
  !("via" in principal) || principal.via.kind === "user" || principal.via.kind === "key"

/** The result of an act, after the commit. Throws AwaitingApproval if it was only requested. */
export function doneOf<T>(decided: Decided<T>): T | null {
  if ("waits" in decided) throw new AwaitingApproval(toApprovalRecord(decided.waits))
  return "done" in decided ? decided.done : null
}

/** What a repeat of a request answers, whose first attempt asked for approval: the approval as it is now. */
export const awaitedBy = async (workspaceId: string, approvalId: string): Promise<AwaitingApproval> =>
  new AwaitingApproval(toApprovalRecord(await findApproval(sql, workspaceId, approvalId)))
