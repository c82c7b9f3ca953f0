import { sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { recordChange } from "#domain/audit-log"
import { holdPermission } from "#domain/people"
import { claimKey, type IdempotencyClaim, type Principal } from "#domain/requests"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"

/** The most lists of one workspace that can be in progress at the same time. */
const MOST_OPEN = 3

/**
 * Records which attestations to revoke, for one reason. A worker then revokes them, even if this process stops. An id
 * that is listed twice counts once; an id that does not exist is listed among the failures. Errors:
 * too_many_bulk_revocations, insufficient_scope.
 */
export async function startBulkRevocation({
  principal,
  requestId,
  idempotency,
  attestationIds,
  reason,
  publicReason,
}: {
  principal: Principal & { via: { kind: "user" } }
  requestId: string
  idempotency: IdempotencyClaim | null
  attestationIds: readonly string[]
  reason: string
  /** The public reason for the investors; null for the default. */
  publicReason: PublicReason | null
}): Promise<{ id: string }> {
  if (idempotency?.begun) return { id: idempotency.begun }
  const { workspaceId, via } = principal
  const ids = [...new Set(attestationIds)]
  const id = newId("blk")
  const author = { principal, requestId }
  await sql.begin(async (sql) => {
    await holdPermission(sql, workspaceId, author, "attestation:write")
    // Serialized, so that two requests cannot exceed the limit together.
    await sql`select from workspaces where id = ${workspaceId} for no key update`
    const open = await sql`
      select from bulk_revocations where workspace_id = ${workspaceId} and ended_at is null limit ${MOST_OPEN}`
    if (open.length === MOST_OPEN) {
      fail(
        "too_many_bulk_revocations",
        `${MOST_OPEN} lists of attestations are already being revoked. Wait until one ends.`,
      )
    }
    await sql`
      insert into bulk_revocations
        (workspace_id, id, reason, public_reason, attestations, author_id, author_name, request_id, created_at)
      values (${workspaceId}, ${id}, ${reason}, ${publicReason}, ${ids.length}, ${via.userId}, ${via.name}, ${requestId},
        ${clock.now()})`
    await sql`
      insert into bulk_revocation_items (workspace_id, revocation_id, place, attestation_id)
      select ${workspaceId}, ${id}, t.place, t.id from unnest(${ids}::text[]) with ordinality as t(id, place)`
    const detail = { attestations: ids.length }
    await recordChange(sql, workspaceId, { author, action: "bulk_revocation.started", subject: id, detail })
    if (idempotency) await claimKey(sql, idempotency, id)
  })
  publishActivity(workspaceId)
  return { id }
}
