import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf, timestamped } from "#db/rows.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { recordChange } from "#domain/audit-log"
import { changeAs, holdPermission } from "#domain/people"
import { type Caller, claimKey, type IdempotencyClaim, type Member, type Principal } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import type { RevocationFailure } from "#shared/statuses.ts"

/** The most lists of one workspace that can be in progress at the same time. */
const MOST_OPEN = 3

type Listing = {
  attestationIds: readonly string[]
  reason: string
  /** The public reason for the investors; null for the default. */
  publicReason: PublicReason | null
}

/** The body of a request to revoke a list, as an approval stores it. */
export type StoredList = { attestation_ids: string[]; reason: string; public_reason?: PublicReason }

/**
 * Records which attestations to revoke, for one reason. A worker then revokes them, even if this process stops. An id
 * that is listed twice counts once; an id that does not exist is listed among the failures. May need approval, also by
 * a policy about the pending ones. Errors: too_many_bulk_revocations, insufficient_scope, approver_missing; throws
 * AwaitingApproval.
 */
export async function startBulkRevocation({
  idempotency,
  attestationIds,
  reason,
  publicReason,
  ...caller
}: Caller<Member> & Listing & { idempotency: IdempotencyClaim | null }): Promise<{ id: string }> {
  if (idempotency?.begun) return { id: idempotency.begun }
  const { workspaceId, via } = caller.principal
  const id = newId("blk")
  const request = {
    attestation_ids: [...new Set(attestationIds)],
    reason,
    ...(publicReason && { public_reason: publicReason }),
  }
  const decided = await changeAs(caller, "attestation:write", async (sql) => {
    await requireRoom(sql, workspaceId)
    return start(sql, caller, { id, request, by: { id: via.userId, name: via.name }, idempotency })
  })
  return doneOf(decided)!
}

/** Starts a list that was approved. The worker acts for the member who requested it. */
export const redoBulkRevocation = (
  { replay, ...caller }: Caller<Member> & { replay: Replay },
  list: Pick<List, "id" | "request" | "by">,
): Promise<unknown> => sql.begin((sql) => start(sql, caller, { ...list, idempotency: null, replay }))

type List = {
  id: string
  request: StoredList
  /** The member for whom the worker acts. */
  by: { id: string; name: string }
  idempotency: IdempotencyClaim | null
  replay?: Replay
}

async function start(
  sql: Transaction,
  caller: Caller<Member>,
  { id, request, by, idempotency, replay }: List,
): Promise<Decided<{ id: string }>> {
  const { workspaceId } = caller.principal
  const { attestation_ids: ids, reason, public_reason = null } = request
  const pending = await sql`
    select from attestations where workspace_id = ${workspaceId} and id = any(${ids}) and status = 'pending' limit 1`
  const also = pending.length > 0 ? (["attestation_revoke"] as const) : []
  const about = { action: "attestation_revoke_bulk", subject: id, request, also, rules: "" } as const
  const bound = { ...about, personal: ["reason", "public_reason"], author: caller, idempotency, replay }
  return underPolicy(sql, workspaceId, bound, async (sql) => {
    await sql`
      insert into bulk_revocations
        (workspace_id, id, reason, public_reason, attestations, author_id, author_name, request_id, created_at)
      values (${workspaceId}, ${id}, ${reason}, ${public_reason}, ${ids.length}, ${by.id}, ${by.name},
        ${caller.requestId}, ${clock.now()})`
    await sql`
      insert into bulk_revocation_items (workspace_id, revocation_id, place, attestation_id)
      select ${workspaceId}, ${id}, t.place, t.id from unnest(${ids}::text[]) with ordinality as t(id, place)`
    const detail = { attestations: ids.length }
    await recordChange(sql, workspaceId, { author: caller, action: "bulk_revocation.started", subject: id, detail })
    if (idempotency) await claimKey(sql, idempotency, id)
    return { id }
  })
}

/** Serialized, so that two requests cannot exceed the limit together. Errors: too_many_bulk_revocations. */
async function requireRoom(sql: Queryable, workspaceId: string): Promise<void> {
  await sql`select from workspaces where id = ${workspaceId} for no key update`
  const open = await sql`
    select from bulk_revocations where workspace_id = ${workspaceId} and ended_at is null limit ${MOST_OPEN}`
  if (open.length < MOST_OPEN) return
  fail(
    "too_many_bulk_revocations",
    `${MOST_OPEN} lists of attestations are already being revoked. Wait until one ends.`,
  )
}

const jobColumns = columns("bulk_revocations", "id, attestations, author_name, canceller_name, created_at, ended_at")

const bulkRevocationNotFound = (): never =>
  fail(
    "bulk_revocation_not_found",
    "This list of attestations does not exist, or is no longer kept. Check the address.",
  )

/** The progress of a list. Without an id: the oldest list in progress, or null. Errors: bulk_revocation_not_found. */
export async function readBulkRevocation({ workspaceId }: Principal, id: string | null) {
  const [job] = await sql<RowOf<typeof jobColumns>[]>`
    select ${sql(jobColumns)} from bulk_revocations
    where workspace_id = ${workspaceId} ${id === null ? sql`and ended_at is null` : sql`and id = ${id}`}
    order by created_at limit 1`
  if (!job) return id === null ? null : bulkRevocationNotFound()
  const items = await sql<{ attestation_id: string; outcome: string; error: RevocationFailure | null }[]>`
    select attestation_id, outcome, failure as error from bulk_revocation_items
    where workspace_id = ${workspaceId} and revocation_id = ${job.id} and outcome is not null order by place`
  const count = (outcome: string) => items.filter((item) => item.outcome === outcome).length
  const { author_name, canceller_name, created_at, ...others } = job
  return {
    ...timestamped({ ...others, started_at: created_at }),
    started_by: author_name,
    cancelled_by: canceller_name,
    revoked: count("revoked"),
    /** How many had already ended or been revoked. */
    ended_before: count("ended before"),
    failed: items.flatMap(({ attestation_id, error }) => (error === null ? [] : [{ attestation_id, error }])),
    /** How many had not been started when a member cancelled the list. */
    left: count("left"),
  }
}

export type BulkRevocation = NonNullable<Awaited<ReturnType<typeof readBulkRevocation>>>

/**
 * Cancels a list in progress: revoked attestations stay revoked, the current one is finished, and the others are left
 * unchanged. A list that has ended stays unchanged. Errors: bulk_revocation_not_found, insufficient_scope.
 */
export async function cancelBulkRevocation({ id, ...caller }: Caller<Member> & { id: string }) {
  const { workspaceId, via } = caller.principal
  await sql.begin(async (sql) => {
    // Waits for the worker, which holds the lock while it revokes one.
    const [job] = await sql<{ attestations: number; ended_at: Date | null }[]>`
      select attestations, ended_at from bulk_revocations
      where workspace_id = ${workspaceId} and id = ${id} for no key update`
    await holdPermission(sql, workspaceId, caller, "attestation:write")
    if (!job) return bulkRevocationNotFound()
    if (job.ended_at !== null) return
    const { count: left } = await sql`
      update bulk_revocation_items set outcome = 'left'
      where workspace_id = ${workspaceId} and revocation_id = ${id} and outcome is null`
    // All are done, and a worker is about to mark the list as finished.
    if (left === 0) return
    await sql`
      update bulk_revocations set ended_at = ${clock.now()}, reason = null, canceller_name = ${via.name}
      where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { attestations: job.attestations, left }
    await recordChange(sql, workspaceId, { author: caller, action: "bulk_revocation.stopped", subject: id, detail })
  })
  publishActivity(workspaceId)
  return readBulkRevocation(caller.principal, id)
}
