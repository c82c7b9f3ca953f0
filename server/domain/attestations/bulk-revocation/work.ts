import { deleteRows } from "#db/batches.ts"
import { type Queryable, repeatOnDeadlock, background as sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { heldRole } from "#domain/people"
import { refuseToEndAlone } from "#domain/reviews"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { addDays, clock } from "#server/lib/time.ts"
import { Failure } from "#shared/errors.ts"
import { keptDays } from "#shared/retention.ts"
import { permissionsOf } from "#shared/roles.ts"
import { lockRevocable, revokeIn } from "../revoke.ts"
import { statusAt } from "../status.ts"

/** How many attestations a worker revokes before it turns to the next list, so that long lists delay no short ones. */
const SLICE = 20
/** How many lists a worker reads at a time. */
const LISTS = 50
/** How often to retry an attestation that cannot be revoked for a reason that may pass. */
const MOST_ATTEMPTS = 8

/** Lists with a failure are paused for a while. */
const troubled = new Backoff({ firstMs: 500, longestMs: 30_000 })

const jobColumns = columns(
  "bulk_revocations",
  "workspace_id, id, reason, public_reason, filter, author_id, author_name, request_id",
)
// The list keeps its reason as long as there is something to revoke.
type Job = RowOf<typeof jobColumns, { reason: string }> & {
  /** Whether further members have approved the list. */
  is_approved: boolean
}

const itemColumns = columns("bulk_revocation_items", "place, attestation_id, seen_status")
type Item = RowOf<typeof itemColumns>

/** Revokes some attestations of every list in progress. Returns whether there is more to do now. */
export async function revokeDue(): Promise<boolean> {
  const jobs = await sql<Job[]>`
    select ${sql(jobColumns)}, exists (select from approvals a
      where a.workspace_id = r.workspace_id and a.subject = r.id and a.state = 'approved') as is_approved
    from bulk_revocations r where ended_at is null and not id = any(${troubled.held}) order by created_at limit ${LISTS}`
  let isMore = false
  for (const job of jobs) if (await workOn(job)) isMore = true
  return isMore
}

/** Revokes the next attestations of a list. Returns whether more are left. */
async function workOn(job: Job): Promise<boolean> {
  let taken = 0
  try {
    while (taken < SLICE && (await revokeNext(job))) taken += 1
    troubled.succeeded(job.id)
  } catch (error) {
    troubled.failed(job.id)
    logger.warn({ err: error, bulkRevocation: job.id }, "an attestation could not be revoked; retrying later")
  }
  const ended = taken < SLICE && (await end(job))
  if (taken > 0 || ended) {
    publish("ledger")
    publishActivity(job.workspace_id)
  }
  return taken === SLICE
}

/**
 * Revokes one attestation and marks it done in the same commit, so that it is revoked once even if this process stops.
 * Only one worker at a time works on a list, since revocations of a workspace wait for each other anyway. Returns false
 * if none is left or another worker is revoking one.
 */
async function revokeNext(job: Job): Promise<boolean> {
  const { workspace_id: workspaceId, id } = job
  const taken: { place: number | null } = { place: null }
  try {
    return await repeatOnDeadlock(() =>
      sql.begin(async (sql) => {
        // Two statements: only the second one sees what the previous holder of the lock did, or that it was cancelled.
        const [[held], [item]] = await Promise.all([
          sql`
            select id from bulk_revocations
            where workspace_id = ${workspaceId} and id = ${id} and ended_at is null for update skip locked`,
          sql<Item[]>`
            select ${sql(itemColumns)} from bulk_revocation_items
            where workspace_id = ${workspaceId} and revocation_id = ${id} and outcome is null
            order by attempts, place limit 1`,
        ])
        if (!held || !item) return false
        taken.place = item.place
        const outcome = await revoke(sql, job, item)
        const isFailed = outcome !== "revoked" && outcome !== "ended before"
        await sql`
          update bulk_revocation_items
          set outcome = ${isFailed ? "failed" : outcome}, failure = ${isFailed ? outcome : null}
          where workspace_id = ${workspaceId} and revocation_id = ${id} and place = ${item.place}`
        return true
      }),
    )
  } catch (error) {
    if (taken.place !== null) await noteAttempt(job, taken.place)
    throw error
  }
}

/** Acts for the member who started the list, as long as they have the permission. */
async function revoke(sql: Queryable, job: Job, { attestation_id: attestationId, seen_status }: Item) {
  const { workspace_id: workspaceId, author_id: userId, author_name: name, request_id: requestId } = job
  const role = await heldRole(sql, workspaceId, userId)
  if (role === null || !permissionsOf(role).has("attestation:write")) return "insufficient_scope"
  const author = { principal: { via: { kind: "user" as const, userId, name, role } }, requestId }
  const row = await lockRevocable(sql, workspaceId, attestationId)
  const status = row && statusAt(row, clock.now())
  // The member asked to end what waits, and not what has been verified since, or the reverse.
  const wanted = seen_status ?? job.filter?.status
  if (wanted !== undefined && (status === "pending" || status === "verified") && status !== wanted)
    return "status_changed"
  if (status === "pending" && !job.is_approved) {
    const open = await refuseToEndAlone(sql, { workspaceId, author, attestationIds: [attestationId] }).catch(codeOf)
    if (open === "review_open") return open
  }
  const { reason, public_reason: publicReason } = job
  const outcome = await revokeIn(sql, { workspaceId, attestationId, author, reason, publicReason })
  return outcome === "unknown" ? "attestation_not_found" : outcome
}

const codeOf = (error: unknown) => {
  if (error instanceof Failure && error.code === "review_open") return error.code
  throw error
}

/** An attestation that fails repeatedly is recorded as a failure, so that its list can end. */
async function noteAttempt({ workspace_id, id }: Job, place: number): Promise<void> {
  await sql`
    update bulk_revocation_items set attempts = attempts + 1,
      outcome = case when attempts + 1 >= ${MOST_ATTEMPTS} then 'failed' end,
      failure = case when attempts + 1 >= ${MOST_ATTEMPTS} then 'internal_error' end
    where workspace_id = ${workspace_id} and revocation_id = ${id} and place = ${place} and outcome is null`
}

/** Ends a list when all its attestations are done and no other worker is on one. */
async function end({ workspace_id, id }: Job): Promise<boolean> {
  const ended = await sql`
    update bulk_revocations r set ended_at = ${clock.now()}, reason = null
    where workspace_id = ${workspace_id} and id = ${id} and ended_at is null and not exists (
      select from bulk_revocation_items i
      where i.workspace_id = r.workspace_id and i.revocation_id = r.id and i.outcome is null)
    returning id`
  return ended.length > 0
}

/** Deleting a list also deletes its entries, thousands if it matched a filter. */
const BATCH = 10

/**
 * Deletes lists that ended long ago. The audit log keeps who revoked what. A request for a list that matched a filter
 * loses its reasons, because an erasure finds it by the list's entries.
 */
export async function dropOldBulkRevocations(now: Date): Promise<void> {
  const old = addDays(now, -keptDays.bulkRevocations)
  await sql`
    update approvals a set request = request - array['reason', 'public_reason']
    from bulk_revocations r
    where r.ended_at <= ${old} and a.workspace_id = r.workspace_id and a.subject = r.id
      and a.request ? 'list_sha256' and a.request ?| array['reason', 'public_reason']`
  await deleteRows("bulk_revocations", () => sql`select ctid from bulk_revocations where ended_at <= ${old}`, BATCH)
}
