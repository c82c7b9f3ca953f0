import { sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Decided, doneOf, findApproval, type Replay, underPolicy } from "#domain/approvals"
import { holdPermission } from "#domain/people"
import type { Caller, Member } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { addDays, clock } from "#server/lib/time.ts"
import { COLLECT_DAYS } from "#shared/approvals.ts"
import { fail } from "#shared/errors.ts"
import type { Scope } from "#shared/scopes.ts"
import { createKey, type NewKey, requireBelowLimit } from "./create.ts"
import { lockKey, noWorkingKey, requireScopes, rotateKey } from "./manage.ts"

// Keys that members create and rotate. Under a policy no secret exists until the request is approved and its requester
// collects it: nothing secret is stored with the approval, and no other member sees it.

type KeyRequest =
  | { name: string; scopes: Scope[]; expires_at: string | null }
  /** A new secret of a key is as powerful as a new key. */
  | { key_id: string; grace_seconds: number }

/** Creates a key, or gives one a new secret. Only this answer has the secret. */
async function make(
  sql: Transaction,
  { principal, requestId }: Caller<Member>,
  keyId: string,
  request: KeyRequest,
): Promise<NewKey> {
  const { workspaceId, mode, scopes: allowed } = principal
  const by = { workspaceId, author: { principal, requestId }, keyId, within: sql }
  if ("key_id" in request)
    return { keyId, apiKey: await rotateKey({ ...by, graceSeconds: request.grace_seconds, allowed }) }
  const { name, scopes, expires_at } = request
  requireScopes(allowed, scopes)
  return createKey({ ...by, mode, name, scopes, expiresAt: expiryOf(expires_at) })
}

/**
 * Creates or rotates a key as a member, or asks for approval. Errors: api_key_limit, insufficient_scope, key_not_found,
 * validation_failed, approver_missing; throws AwaitingApproval.
 */
export async function makeKey({ request, ...caller }: Caller<Member> & { request: KeyRequest }): Promise<NewKey> {
  const { workspaceId, scopes: allowed } = caller.principal
  const decided = await sql.begin(async (sql): Promise<Decided<NewKey>> => {
    await holdPermission(sql, workspaceId, caller, "key:write")
    if ("key_id" in request) requireScopes(allowed, await scopesOf(sql, workspaceId, request.key_id))
    else {
      requireScopes(allowed, request.scopes)
      expiryOf(request.expires_at)
      await requireBelowLimit(sql, workspaceId)
    }
    const keyId = "key_id" in request ? request.key_id : newId("key")
    return underPolicy(sql, workspaceId, boundBy(caller, keyId, request), (sql) => make(sql, caller, keyId, request))
  })
  publish("keys")
  publishActivity(workspaceId)
  return doneOf(decided)!
}

/** Approves a request for a key. It is made when its requester collects it. */
export const approveKey = (
  { replay, ...caller }: Caller<Member> & { replay: Replay },
  { keyId, request }: { keyId: string; request: Record<string, unknown> },
): Promise<unknown> =>
  sql.begin(async (sql) => {
    const { workspaceId } = caller.principal
    // A key that was revoked since cannot be rotated.
    if ("key_id" in request) await scopesOf(sql, workspaceId, keyId)
    const bound = { ...boundBy(caller, keyId, request as KeyRequest), replay }
    await underPolicy(sql, workspaceId, bound, async () => {})
  })

/** The scopes of a key that works. Errors: key_not_found. */
async function scopesOf(sql: Transaction, workspaceId: string, keyId: string): Promise<string[]> {
  const key = await lockKey(sql, keyId, workspaceId)
  return !key || key.revoked_at !== null ? noWorkingKey() : key.scopes
}

const boundBy = (author: Caller, keyId: string, request: KeyRequest) => ({
  action: "key_create" as const,
  subject: keyId,
  request,
  rules: "",
  author,
  idempotency: null,
})

/**
 * Makes the key that was approved, once, for the member who requested it. Errors: approval_not_found, approval_ended,
 * not_requester, and those of `makeKey`.
 */
export async function collectKey({ approvalId, ...caller }: Caller<Member> & { approvalId: string }): Promise<NewKey> {
  const { workspaceId, via } = caller.principal
  const key = await sql.begin(async (sql) => {
    const row = await findApproval(sql, workspaceId, approvalId, { lock: true })
    const { action, subject, state, ended_at, requester, outcome, request } = row
    if (requester.id !== via.userId) fail("not_requester", "id: only the member who requested this key can collect it.")
    const isWaiting = action === "key_create" && state === "approved" && Object.keys(outcome ?? {}).length === 0
    if (!isWaiting) fail("approval_ended", "There is no key to collect: it was collected, or not approved.")
    if (ended_at !== null && addDays(ended_at, COLLECT_DAYS) <= clock.now())
      fail("approval_ended", `The key was not collected within ${COLLECT_DAYS} days. Request it again.`)
    await holdPermission(sql, workspaceId, caller, "key:write")
    const made = await make(sql, caller, subject, request as KeyRequest)
    await sql`
      update approvals set outcome = ${sql.json({ key_id: made.keyId })}
      where workspace_id = ${workspaceId} and id = ${approvalId}`
    return made
  })
  publish("keys")
  publishActivity(workspaceId)
  return key
}

/** Errors: validation_failed. */
function expiryOf(time: string | null): Date | null {
  if (time === null) return null
  const expiry = new Date(time)
  return expiry > clock.now() ? expiry : fail("validation_failed", "expires_at: must be in the future.")
}
