import type { ServerResponse } from "node:http"
import type { Principal } from "#domain/requests"
import { sendCsv } from "#server/lib/csv.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { FIRST_HASH, hashedText, scopeOf, showHash } from "./chain.ts"
import {
  type AuditFilter,
  type AuditRow,
  countAuditEntries,
  findAuditEntries,
  findLinkedEntries,
  rangeIn,
  readSubject,
} from "./read.ts"

/** Rows to read and write at a time. */
const BATCH = 1000

const columns = [
  "at",
  "action",
  "actor",
  "actor_id",
  "actor_name",
  "subject",
  "subject_name",
  "scope",
  "detail",
  "request_id",
  "place",
  "previous_hash",
  "hash",
  "hashed_text",
] as const

const toLine = (row: AuditRow) => ({
  ...row,
  at: toTimestamp(row.at),
  scope: scopeOf(row),
  detail: JSON.stringify(row.detail),
  place: row.place === null ? null : String(row.place),
  previous_hash: row.place === null ? null : showHash(row.previous_hash ?? FIRST_HASH),
  hash: row.hash && showHash(row.hash),
  hashed_text: row.place === null ? null : hashedText(row.place, row),
})

/**
 * Sends all matching entries of the audit log as CSV, newest first. A file that is filtered by nothing but times is in the
 * order of the hash chain and has no gaps, so that it can be verified.
 */
export async function exportAuditLog(
  { workspaceId }: Principal,
  filter: AuditFilter,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> {
  const { from, to, ...others } = filter
  const isFiltered = Object.values(others).some((value) => value !== undefined)
  const range = isFiltered ? null : await rangeIn(workspaceId, { from, to })
  const found = await readSubject(workspaceId, filter)
  await sendCsv(response, {
    filename: `audit-log-${clock.now().toISOString().slice(0, 10)}.csv`,
    rows: await countAuditEntries(workspaceId, found),
    columns,
    requireAccess: principalNow,
    toLine,
    readAfter: (last) => {
      const page = { before: last?.seq ?? null, limit: BATCH }
      return range === null ? findAuditEntries(workspaceId, found, page) : findLinkedEntries(workspaceId, range, page)
    },
  })
}
