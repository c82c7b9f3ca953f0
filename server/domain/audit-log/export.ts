import type { ServerResponse } from "node:http"
import type { Principal } from "#server/domain/context.ts"
import { type CsvFile, sendCsv } from "#server/lib/csv.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { type AuditFilter, type AuditRow, findAuditEntries } from "./read.ts"

/** Rows that are read and written at a time. */
const BATCH = 1000

const columns: CsvFile<AuditRow>["columns"] = {
  at: (row) => toTimestamp(row.at),
  action: (row) => row.action,
  actor: (row) => row.actor,
  actor_id: (row) => row.actor_id,
  actor_name: (row) => row.actor_name,
  subject: (row) => row.subject,
  subject_name: (row) => row.subject_name,
  scope: (row) => (row.workspace_id === null ? "account" : "workspace"),
  detail: (row) => JSON.stringify(row.detail),
  request_id: (row) => row.request_id,
}

/** Sends all lines of the audit log that match as CSV, newest first. */
export const exportAuditLog = (
  { workspaceId }: Principal,
  filter: AuditFilter,
  response: ServerResponse,
): Promise<void> =>
  sendCsv<AuditRow>(response, {
    filename: `audit-log-${clock.now().toISOString().slice(0, 10)}.csv`,
    columns,
    readAfter: (last) => findAuditEntries(workspaceId, filter, { before: last?.seq ?? null, limit: BATCH }),
  })
