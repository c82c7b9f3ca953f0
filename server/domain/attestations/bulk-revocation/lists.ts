import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { columns, only, type RowOf, timestamped } from "#db/rows.ts"
import { recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import type { Caller, Member, Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { RevocationFailure } from "#shared/statuses.ts"

const jobColumns = columns(
  "bulk_revocations",
  "workspace_id, id, attestations, seen, author_name, canceller_name, created_at, ended_at",
)

/** The most failures to return. The file has all of them. */
const MOST_FAILURES = 500

export const bulkRevocationNotFound = (): never =>
  fail(
    "bulk_revocation_not_found",
    "This list of attestations does not exist, or is no longer kept. Check the address.",
  )

type Outcomes = { revoked: number; ended_before: number; failed_count: number; left: number }

/**
 * The progress of a list. Without an id: the oldest list in progress, or null. A list that waits for approval, or never
 * got it, has no progress. Errors: bulk_revocation_not_found.
 */
export async function readBulkRevocation({ workspaceId }: Principal, id: string | null) {
  const [job] = await sql<RowOf<typeof jobColumns>[]>`
    select ${sql(jobColumns)} from bulk_revocations r
    where workspace_id = ${workspaceId} ${id === null ? sql`and ended_at is null` : sql`and id = ${id}`}
      and not (ended_at is not null and exists (select from bulk_revocation_items i
        where i.workspace_id = r.workspace_id and i.revocation_id = r.id and i.outcome is null))
    order by created_at limit 1`
  if (!job) return id === null ? null : bulkRevocationNotFound()
  const { workspace_id: _, author_name, canceller_name, created_at, seen, ...others } = job
  const [outcomes, failed] = await Promise.all([
    sql<Outcomes[]>`
      select (count(*) filter (where outcome = 'revoked'))::int as revoked,
        (count(*) filter (where outcome = 'ended before'))::int as ended_before,
        (count(*) filter (where outcome = 'failed'))::int as failed_count,
        (count(*) filter (where outcome = 'left'))::int as left
      from bulk_revocation_items where workspace_id = ${workspaceId} and revocation_id = ${job.id}`,
    sql<{ attestation_id: string; error: RevocationFailure }[]>`
      select attestation_id, failure as error from bulk_revocation_items
      where workspace_id = ${workspaceId} and revocation_id = ${job.id} and outcome = 'failed'
      order by place limit ${MOST_FAILURES}`,
  ])
  return {
    ...timestamped({ ...others, started_at: created_at }),
    started_by: author_name,
    cancelled_by: canceller_name,
    /**
     * The outcomes: `ended_before` had already ended or been revoked, and `left` had not been started when a member
     * cancelled the list.
     */
    ...only(outcomes),
    /** How many that the member saw no longer matched when they confirmed. */
    gone: seen === null ? 0 : seen - job.attestations,
    /** The first of those that could not be revoked. */
    failed: [...failed],
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
