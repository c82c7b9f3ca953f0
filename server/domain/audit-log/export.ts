import type { ServerResponse } from "node:http"
import type { Principal } from "#domain/requests"
import { sendCsv } from "#server/lib/csv.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { type AuditFilter, type AuditRow, countAuditEntries, findAuditEntries } from "./read.ts"

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
] as const

const toLine = (row: AuditRow) => ({
  ...row,
  at: toTimestamp(row.at),
  scope: row.workspace_id === null ? "account" : "workspace",
  detail: JSON.stringify(row.detail),
})

/** Sends all matching entries of the audit log as CSV, newest first. */
export const exportAuditLog = async (
  { workspaceId }: Principal,
  filter: AuditFilter,
  response: ServerResponse,
  principalNow: () => Promise<Principal>,
): Promise<void> =>
  sendCsv(response, {
    filename: `audit-log-${clock.now().toISOString().slice(0, 10)}.csv`,
    rows: await countAuditEntries(workspaceId, filter),
    columns,
    requireAccess: principalNow,
    toLine,
    readAfter: (last) => findAuditEntries(workspaceId, filter, { before: last?.seq ?? null, limit: BATCH }),
  })
