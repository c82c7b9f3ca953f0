import { sql } from "#db/client.ts"
import { type FindFilter, findRows, placeOf, resolveInvestor } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { requireSchema } from "#domain/schemas"
import { toCursor } from "#server/lib/cursor.ts"
import { isId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { AttestationStatus, SessionState } from "#shared/statuses.ts"
import { type SessionRecord, type SessionRow, sessionColumns, toSessionRecord } from "./session-record.ts"

/** Does not repeat the id, because the id opens the hosted page. */
export const sessionNotFound = (): never =>
  fail("session_not_found", "id: this workspace has no session with this id. Check the id, and the key's workspace.")

/** Errors: session_not_found. */
export async function getSession(principal: Principal, id: string): Promise<SessionRecord> {
  if (!isId("sess", id)) return sessionNotFound()
  const [row] = await sql<SessionRow[]>`
    select ${sql(sessionColumns)} from attestations
    where workspace_id = ${principal.workspaceId} and session_id = ${id}`
  return row ? toSessionRecord(row, principal) : sessionNotFound()
}

export type SessionFilter = {
  wallet: Address | null
  schemaId: string | null
  state: SessionState | null
  status: AttestationStatus | null
  externalId: string | null
  investorId: string | null
  /** Only sessions created at or after the first time, and before the second. */
  createdAfter: Date | null
  createdBefore: Date | null
  limit: number
  cursor: string | null
}

/** Newest first; a page stays the same while rows are added. Errors: validation_failed for a cursor, unknown_schema. */
export async function listSessions(
  principal: Principal,
  filter: SessionFilter,
): Promise<{ data: SessionRecord[]; next_cursor: string | null }> {
  const { workspaceId } = principal
  const { schemaId, status, limit, cursor } = filter
  const last = cursor === null ? null : await placeOf(workspaceId, cursor)
  // Follow a merged investor to the one it was merged into. An unknown investor has no sessions.
  const investorId = filter.investorId === null ? undefined : await resolveInvestor(workspaceId, filter.investorId)
  const found: FindFilter = {
    wallet: filter.wallet ?? undefined,
    schema: schemaId ?? undefined,
    // The API shows a revoked attestation as `rejected`.
    status: status === "rejected" ? "rejected or revoked" : (status ?? undefined),
    sessionState: filter.state ?? undefined,
    externalId: filter.externalId ?? undefined,
    investorId: investorId ?? undefined,
    from: filter.createdAfter?.toISOString(),
    to: filter.createdBefore?.toISOString(),
  }
  const rows =
    investorId === null
      ? []
      : await findRows<SessionRow>(workspaceId, found, {
          last,
          limit: limit + 1,
          fields: () => sql`${sql(sessionColumns)}`,
        })
  if (rows.length === 0 && schemaId !== null) await requireSchema(workspaceId, schemaId)
  const page = rows.slice(0, limit)
  return {
    data: page.map((row) => toSessionRecord(row, principal)),
    next_cursor: rows.length > limit ? toCursor(page.at(-1)!.id) : null,
  }
}
