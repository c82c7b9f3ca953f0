import { type Queryable, repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { type Author, recordChange } from "#domain/audit-log"
import { type Caller, claimKey, type IdempotencyClaim } from "#domain/requests"
import { refuseToEndAlone } from "#domain/reviews"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import type { PublicReason } from "#shared/public-reasons.ts"
import { endPending, revokeCredential } from "./end.ts"
import { attestationNotFound, getAttestation } from "./read.ts"
import { statusAt } from "./status.ts"

const revokedColumns = columns("attestations", "workspace_id, id, status, schema_id, wallet, open_until, expires_at")

/**
 * Revokes an attestation. A pending one is rejected, and its attest operation is cancelled if it is still queued; a
 * verified one has its credential burned. One that has ended is returned unchanged. Ending a pending one may need
 * approval. A verified one can always be revoked at once. Errors: attestation_not_found, review_open, approver_missing,
 * approval_ended for an approved request if it was verified since; throws AwaitingApproval.
 */
export async function revokeAttestation({
  idempotency,
  attestationId,
  reason,
  publicReason,
  replay,
  ...caller
}: Caller & Omit<Revocation, "workspaceId" | "author"> & { idempotency: IdempotencyClaim | null; replay?: Replay }) {
  if (!isId("att", attestationId)) return attestationNotFound(attestationId)
  const { workspaceId } = caller.principal
  const claim = idempotency?.begun === null ? idempotency : null
  const decided = await repeatOnDeadlock(() =>
    sql.begin(async (sql): Promise<Decided<void>> => {
      const row = await lockRevocable(sql, workspaceId, attestationId)
      if (row === null) return attestationNotFound(attestationId)
      const status = statusAt(row, clock.now())
      const isPending = status === "pending"
      const revoke = async (sql: Transaction) => {
        if (isPending && !replay)
          await refuseToEndAlone(sql, { workspaceId, author: caller, attestationIds: [attestationId] })
        await revokeIn(sql, { workspaceId, attestationId, author: caller, reason, publicReason })
        if (claim) await claimKey(sql, claim, attestationId)
      }
      // What was approved is the end of a pending verification, not the destruction of a credential issued since.
      if (status === "verified" && replay) fail("approval_ended", "The person has been verified since.")
      if (!isPending) return { done: await revoke(sql) }
      const request = { attestation_id: attestationId, reason, ...(publicReason && { public_reason: publicReason }) }
      const about = { action: "attestation_revoke", subject: attestationId, request, rules: "" } as const
      const bound = { ...about, personal: ["reason", "public_reason"], author: caller, idempotency: claim, replay }
      return underPolicy(sql, workspaceId, bound, revoke)
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
  doneOf(decided)
  return getAttestation(caller.principal, attestationId)
}

export async function lockRevocable(sql: Queryable, workspaceId: string, attestationId: string) {
  const [row] = await sql<RowOf<typeof revokedColumns>[]>`
    select ${sql(revokedColumns)} from attestations
    where workspace_id = ${workspaceId} and id = ${attestationId} for update`
  return row ?? null
}

type Revocation = {
  workspaceId: string
  attestationId: string
  author: Author
  reason: string
  /** The public reason for the investor; null for the default. */
  publicReason: PublicReason | null
}

/** The same, as part of a transaction. The caller publishes `ledger` and the activity after the commit. */
export async function revokeIn(
  sql: Queryable,
  { workspaceId, attestationId, author, reason, publicReason }: Revocation,
): Promise<"revoked" | "ended before" | "unknown"> {
  const now = clock.now()
  const row = await lockRevocable(sql, workspaceId, attestationId)
  if (row === null) return "unknown"
  // An expired attestation has ended, whether or not the sweep has run.
  const status = statusAt(row, now)
  if (status === "pending") {
    await endPending(sql, { workspaceId, attestationId, status: "rejected", reason, revokedAt: now, now })
  } else if (status === "verified") {
    await sql`
      update attestations set status = 'rejected', reason = ${reason}, revoked_at = ${now}, ended_at = ${now}
      where workspace_id = ${workspaceId} and id = ${attestationId}`
    await revokeCredential(sql, row)
  } else return "ended before"
  await sql`
    update attestations set public_reason = ${publicReason}
    where workspace_id = ${workspaceId} and id = ${attestationId}`
  // The reason is left out, because a line of the audit log can never be erased. The attestation has it.
  const detail = { was: status }
  await recordChange(sql, workspaceId, { author, action: "attestation.revoked", subject: attestationId, detail })
  return "revoked"
}
