import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { RevocationFailure } from "#shared/statuses.ts"

const jobColumns = columns("bulk_revocations", "id, attestations, author_name, canceller_name, created_at, ended_at")

export type BulkRevocation = {
  id: string
  /** How many to revoke. */
  attestations: number
  revoked: number
  /** How many had already ended or been revoked. */
  ended_before: number
  failed: { attestation_id: string; error: RevocationFailure }[]
  /** How many had not been started when a member cancelled the list. */
  left: number
  started_by: string
  cancelled_by: string | null
  started_at: string
  /** Null while it is in progress. */
  ended_at: string | null
}

export const bulkRevocationNotFound = (): never =>
  fail(
    "bulk_revocation_not_found",
    "This list of attestations does not exist, or is no longer kept. Check the address.",
  )

/** The progress of a list. Without an id: the oldest list in progress, or null. Errors: bulk_revocation_not_found. */
export async function readBulkRevocation(
  { workspaceId }: Principal,
  id: string | null,
): Promise<BulkRevocation | null> {
  const [job] = await sql<RowOf<typeof jobColumns>[]>`
    select ${sql(jobColumns)} from bulk_revocations
    where workspace_id = ${workspaceId} ${id === null ? sql`and ended_at is null` : sql`and id = ${id}`}
    order by created_at limit 1`
  if (!job) {
    return id === null ? null : bulkRevocationNotFound()
  }
  const items = await sql<{ attestation_id: string; outcome: string; failure: RevocationFailure | null }[]>`
    select attestation_id, outcome, failure from bulk_revocation_items
    where workspace_id = ${workspaceId} and revocation_id = ${job.id} and outcome is not null order by place`
  const count = (outcome: string) => items.filter((item) => item.outcome === outcome).length
  return {
    id: job.id,
    attestations: job.attestations,
    revoked: count("revoked"),
    ended_before: count("ended before"),
    failed: items.flatMap(({ attestation_id, failure }) =>
      failure === null ? [] : [{ attestation_id, error: failure }],
    ),
    left: count("left"),
    started_by: job.author_name,
    cancelled_by: job.canceller_name,
    started_at: toTimestamp(job.created_at),
    ended_at: job.ended_at && toTimestamp(job.ended_at),
  }
}
