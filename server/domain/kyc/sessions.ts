import { sql } from "#db/client.ts"
import { type ApiFilter, listInApi } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { isId } from "#server/lib/ids.ts"
import { fail } from "#shared/errors.ts"
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

/** Newest first. Errors: validation_failed for a cursor, unknown_schema. */
export const listSessions = (principal: Principal, filter: ApiFilter) =>
  listInApi(principal, filter, {
    fields: () => sql`${sql(sessionColumns)}`,
    show: (row: SessionRow) => toSessionRecord(row, principal),
  })
