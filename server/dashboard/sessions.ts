import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { listRows, sessionStateAt, shownStatusAt } from "#domain/attestations"
import { flowOf } from "#domain/deployment"
import { searchText } from "#domain/investor-search"
import { sessionUrl } from "#domain/kyc"
import type { Principal } from "#domain/requests"
import { page } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { shownStatuses } from "#shared/statuses.ts"

const sessionColumns = columns(
  "attestations",
  "id, session_id, wallet, schema_id, investor_id, external_id, provider, status, created_at, consented_at",
  "event_at, event_decision, open_until, issued_at, expires_at, verified_at, revoked_at",
)
type Row = RowOf<typeof sessionColumns>

const PAGE = 50

/** The filter and order of sessions. Newest first by default. */
export const sessionQuery = z.object({
  state: z.enum(["open", "closed"]).default("open"),
  /** The status of its attestation. */
  status: z.enum(shownStatuses).optional(),
  q: searchText.optional(),
  order: z.enum(["newest", "oldest"]).optional(),
  cursor: page.cursor,
})
type SessionQuery = z.infer<typeof sessionQuery>

/** Open or closed sessions. Errors: validation_failed for a cursor. */
export async function listSessions(
  { workspaceId, mode, scopes }: Principal,
  { state, status, q, order, cursor }: SessionQuery,
) {
  const now = clock.now()
  const mayOpen = scopes.has("kyc:write")
  return listRows(
    workspaceId,
    { isOpen: state === "open", status, q, order, cursor, limit: PAGE },
    { fields: () => sql`${sql(sessionColumns)}`, show: (row: Row) => toSession(row, { mode, now, mayOpen }) },
  )
}

const time = (at: Date | null) => at && toTimestamp(at)

const toSession = (row: Row, { mode, now, mayOpen }: { mode: Mode; now: Date; mayOpen: boolean }) => ({
  attestation_id: row.id,
  // Hidden from readers who may not start sessions, because either one is enough to open the hosted page.
  session_id: mayOpen ? row.session_id : null,
  session_url: mayOpen ? sessionUrl(row.session_id) : null,
  user_pubkey: row.wallet,
  schema: row.schema_id,
  investor_id: row.investor_id,
  external_id: row.external_id,
  status: shownStatusAt(row, now),
  state: sessionStateAt(row, now),
  started_at: toTimestamp(row.created_at),
  flow: flowOf({ mode, provider: row.provider }),
  // When the investor consented: with the form, or before going to the vendor's page.
  consented_at: time(row.consented_at),
  decision: row.event_decision,
  decided_at: time(row.event_at),
  // Null once approved.
  open_until: time(row.open_until),
})
