import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { attestationNotFound, listRows, sessionStateAt, shownStatusAt } from "#domain/attestations"
import { flowOf, providerLabel } from "#domain/deployment"
import { searchText } from "#domain/investor-search"
import { sessionUrl } from "#domain/kyc"
import type { Principal } from "#domain/requests"
import { vendorReviewsOf } from "#domain/reviews"
import { schemaId } from "#domain/schemas"
import { page } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { shownStatuses } from "#shared/statuses.ts"

const sessionColumns = columns(
  "attestations",
  "id, session_id, wallet, schema_id, investor_id, external_id, provider, status, created_at, opened_at",
  "consented_at, wallet_proof_required, wallet_proved_at, held_at, submitted_at, earlier_references",
  "event_at, event_decision, open_until, issued_at, expires_at, verified_at, revoked_at, ended_at",
)
type Row = RowOf<typeof sessionColumns>

const PAGE = 50

/** The filter and order of sessions. Newest first by default. */
export const sessionQuery = z.object({
  state: z.enum(["open", "closed"]).default("open"),
  /** The status of its attestation. */
  status: z.enum(shownStatuses).optional(),
  q: searchText.optional(),
  /** What an open session waits for: the investor or the provider, a review, or the chain. */
  waits: z.enum(["open", "in_review", "approved"]).optional(),
  schema: schemaId.optional(),
  order: z.enum(["newest", "oldest"]).optional(),
  cursor: page.cursor,
})
type SessionQuery = z.infer<typeof sessionQuery>

/** Open or closed sessions. Errors: validation_failed for a cursor. */
export async function listSessions(
  { workspaceId, mode, scopes }: Principal,
  { state, status, q, waits, schema, order, cursor }: SessionQuery,
) {
  const now = clock.now()
  const mayOpen = scopes.has("kyc:write")
  const page = await listRows(
    workspaceId,
    { isOpen: state === "open", status, q, schema, sessionState: waits, order, cursor, limit: PAGE },
    { fields: () => sql`${sql(sessionColumns)}`, show: (row: Row) => toSession(row, { mode, now, mayOpen }) },
  )
  return { ...page, data: await withReviews({ workspaceId, scopes }, page.data) }
}

/** The session of an attestation, as its page shows it. Errors: attestation_not_found. */
export async function viewSession({ workspaceId, mode, scopes }: Principal, attestationId: string) {
  if (!isId("att", attestationId)) return attestationNotFound(attestationId)
  const [row] = await sql<(Row & { redirect_url: string | null })[]>`
    select ${sql(sessionColumns)}, redirect_url from attestations
    where workspace_id = ${workspaceId} and id = ${attestationId}`
  if (!row) return attestationNotFound(attestationId)
  const session = toSession(row, { mode, now: clock.now(), mayOpen: scopes.has("kyc:write") })
  const [reviewed] = await withReviews({ workspaceId, scopes }, [session])
  // Where the hosted page sends the investor at the end; null if it was started without one.
  return { ...reviewed!, redirect_url: row.redirect_url }
}

type Shown = ReturnType<typeof toSession>

/** Each with the review that it waits for, for members who decide reviews. */
async function withReviews({ workspaceId, scopes }: Pick<Principal, "workspaceId" | "scopes">, sessions: Shown[]) {
  const inReview = sessions.filter(({ state }) => state === "in_review").map(({ attestation_id }) => attestation_id)
  const mayReview = scopes.has("review:write") && inReview.length > 0
  const reviews = mayReview ? await vendorReviewsOf(workspaceId, inReview) : new Map<string, never>()
  return sessions.map((session) => ({ ...session, review: reviews.get(session.attestation_id) ?? null }))
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
  provider: providerLabel(mode, row.provider),
  // When a browser first opened the link.
  opened_at: time(row.opened_at),
  // When the investor consented: with the form, or before going to the vendor's page.
  consented_at: time(row.consented_at),
  wallet_proved_at: time(row.wallet_proved_at),
  // When the vendor first reported a submission, and how many of its checks were replaced by another one.
  submitted_at: time(row.submitted_at),
  earlier_checks: row.earlier_references?.length ?? 0,
  decision: row.event_decision,
  // What an approval waits for before it takes effect.
  held_for: row.held_at && (row.wallet_proof_required && !row.wallet_proved_at ? "wallet_proof" : "screening"),
  decided_at: time(row.event_at),
  // Null once approved.
  open_until: time(row.open_until),
  closed_at: time(closedAt(row, now)),
})

/** When it was verified, refused or cancelled, or when its time was over. Null while it is open. */
function closedAt(row: Row, now: Date): Date | null {
  switch (sessionStateAt(row, now)) {
    case "verified":
      return row.verified_at
    case "rejected":
      return row.ended_at ?? row.event_at
    case "cancelled":
      return row.revoked_at
    case "expired": {
      // A provider may have ended it early, and a sweep records the end a little late.
      const due = row.open_until ?? row.expires_at
      return due !== null && row.ended_at !== null && row.ended_at < due ? row.ended_at : (due ?? row.ended_at)
    }
    default:
      return null
  }
}
