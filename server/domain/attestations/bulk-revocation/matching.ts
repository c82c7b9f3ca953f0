import { sql } from "#db/client.ts"
import { idsUpTo } from "#db/seq-at.ts"
import { openRows, sealRows } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { requireSchema } from "#domain/schemas"
import { toCursor } from "#server/lib/cursor.ts"
import { MOST_MATCHING } from "#shared/bulk.ts"
import { fail } from "#shared/errors.ts"
import { findRows, ofInvestor, type SearchFilter } from "../search.ts"

/** All attestations that match a filter, as a member counted them. */
export type Matching = { filter: SearchFilter; rows: Record<OpenStatus, string> }

const open = ["pending", "verified"] as const
export type OpenStatus = (typeof open)[number]
/** An attestation with the status that the member saw. Null if that is not known. */
export type Selected = { id: string; seen: OpenStatus | null }

/**
 * How many of the attestations that match can be revoked, by status and exactly up to `MOST_MATCHING`. `rows` are these,
 * for the member's request, and `up_to` is the newest attestation of all, as a cursor. Errors: unknown_schema.
 */
export async function countRevocable({ workspaceId }: Principal, filter: SearchFilter) {
  const [newest] = await sql<{ id: string; seq: bigint }[]>`
    select id, seq from attestations where workspace_id = ${workspaceId} order by seq desc nulls last limit 1`
  const found = newest ? await findRevocable(workspaceId, filter, newest) : []
  const isTooMany = found.length > MOST_MATCHING
  const of = (wanted: OpenStatus) => found.filter(({ status }) => status === wanted)
  const rowsOf = (status: OpenStatus) => sealRows(ownerOf(workspaceId, status), of(status))
  return {
    verified: of("verified").length,
    pending: of("pending").length,
    is_too_many: isTooMany,
    rows: isTooMany ? null : { verified: rowsOf("verified"), pending: rowsOf("pending") },
    up_to: newest ? toCursor(newest.id) : null,
  }
}

/** Those of the attestations that are not newer than `upTo`, and may be among those that the member revokes. */
export const attestationsUpTo = ({ workspaceId }: Principal, of: { ids: readonly string[]; upTo: string }) =>
  idsUpTo("attestations", "att", workspaceId, of)

/**
 * The attestations to revoke, oldest first: those that the member counted, and that still match. `seen` is how many they
 * counted. Errors: selection_changed if none is left; validation_failed for too many, or for other rows.
 */
export async function freezeMatching(
  workspaceId: string,
  { filter, rows }: Matching,
): Promise<{ selected: Selected[]; seen: number }> {
  const [pending, verified] = open.map((status) => openRows(ownerOf(workspaceId, status), rows[status]))
  const counted = new Map<bigint, OpenStatus>()
  for (const seq of pending!) counted.set(seq, "pending")
  for (const seq of verified!) counted.set(seq, "verified")
  const newest = [...counted.keys()].reduce((one, other) => (one > other ? one : other), 0n)
  const found = await findRevocable(workspaceId, filter, { seq: newest })
  if (found.length > MOST_MATCHING)
    fail("validation_failed", `filter: more than ${MOST_MATCHING} attestations match. Narrow it.`)
  const selected = found.flatMap(({ id, seq }) => {
    const seen = counted.get(seq)
    return seen === undefined ? [] : [{ id, seen }]
  })
  if (selected.length === 0) fail("selection_changed", "None of these attestations can still be revoked.")
  return { selected, seen: counted.size }
}

const ownerOf = (workspaceId: string, status: OpenStatus): string => `${status} attestations of ${workspaceId}`

type Found = { id: string; seq: bigint; status: OpenStatus }

/** One more than the most, if there are that many. */
async function findRevocable(workspaceId: string, filter: SearchFilter, upTo: { seq: bigint }): Promise<Found[]> {
  if (filter.schema !== undefined) await requireSchema(workspaceId, filter.schema)
  const asked = { ...(await ofInvestor(workspaceId, filter)), upTo }
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
