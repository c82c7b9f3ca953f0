import { sql } from "#db/client.ts"
import { idsUpTo } from "#db/seq-at.ts"
import type { Principal } from "#domain/requests"
import { requireSchema } from "#domain/schemas"
import { toCursor } from "#server/lib/cursor.ts"
import { MOST_MATCHING } from "#shared/bulk.ts"
import { fail } from "#shared/errors.ts"
import { findRows, ofInvestor, placeOf, type SearchFilter } from "../search.ts"

/** All attestations that match a filter, as a member saw them. */
export type Matching = {
  filter: SearchFilter
  /** How many could be revoked when they looked. */
  seen: number
  /** The newest attestation at that time, as a cursor. */
  upTo: string
}

const open = ["pending", "verified"] as const

/**
 * How many of the attestations that match can be revoked, by status and exactly up to `MOST_MATCHING`; and the newest
 * attestation, so that the member's request leaves out those that start after they looked. Errors: unknown_schema.
 */
export async function countRevocable({ workspaceId }: Principal, filter: SearchFilter) {
  const [newest] = await sql<{ id: string }[]>`
    select id from attestations where workspace_id = ${workspaceId} order by seq desc nulls last limit 1`
  const upTo = newest ? toCursor(newest.id) : null
  const found = upTo === null ? [] : await findRevocable(workspaceId, filter, upTo)
  const count = (status: string) => found.filter((row) => row.status === status).length
  return {
    verified: count("verified"),
    pending: count("pending"),
    is_too_many: found.length > MOST_MATCHING,
    up_to: upTo,
  }
}

/** Those of the attestations that are not newer than `upTo`, and may be among those that the member revokes. */
export const attestationsUpTo = ({ workspaceId }: Principal, of: { ids: readonly string[]; upTo: string }) =>
  idsUpTo("attestations", "att", workspaceId, of)

/**
 * The ids of the attestations to revoke, oldest first. Errors: selection_changed if none is left or more match than the
 * member saw; validation_failed for too many.
 */
export async function freezeMatching(workspaceId: string, { filter, seen, upTo }: Matching): Promise<string[]> {
  const found = await findRevocable(workspaceId, filter, upTo)
  if (found.length > MOST_MATCHING)
    fail("validation_failed", `filter: more than ${MOST_MATCHING} attestations match. Narrow it.`)
  if (found.length === 0) fail("selection_changed", "None of these attestations can still be revoked.")
  if (found.length > seen)
    fail("selection_changed", `${found.length} attestations match now. When you selected them, ${seen} did.`)
  return found.map(({ id }) => id)
}

type Found = { id: string; seq: bigint; status: (typeof open)[number] }

/** One more than the most, if there are that many. */
async function findRevocable(workspaceId: string, filter: SearchFilter, upTo: string): Promise<Found[]> {
  if (filter.schema !== undefined) await requireSchema(workspaceId, filter.schema)
  const asked = { ...(await ofInvestor(workspaceId, filter)), upTo: await placeOf(workspaceId, upTo) }
  const found = new Map<string, Found>()
  // Pending ones first: one that is verified between the two reads is in both of them, and not in neither.
  for (const status of open) {
    if (filter.status !== undefined && filter.status !== status) continue
    const page = { last: null, limit: MOST_MATCHING + 1, fields: () => sql`id, seq` }
    const rows = await findRows<Omit<Found, "status">>(workspaceId, { ...asked, status }, page)
    for (const row of rows) found.set(row.id, { ...row, status })
  }
  return [...found.values()].sort((a, b) => Number(a.seq - b.seq)).slice(0, MOST_MATCHING + 1)
}
