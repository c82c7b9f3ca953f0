import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Caller, Principal } from "#domain/requests"
import { badCursor, fromCursor, toCursor } from "#server/lib/cursor.ts"
import { instant, page } from "#server/lib/fields.ts"
import { isId } from "#server/lib/ids.ts"
import { addDays, clock, startOfDay, toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { keptDays } from "#shared/retention.ts"
import { aboutEach, subjectsOf, viewRefusedClaims } from "./request-subjects.ts"

export const requestSearch = z.object({
  request_id: z.string().max(100).optional(),
  /** A class, or one status. */
  status: z
    .string()
    .regex(/^([245]xx|[1-5][0-9]{2})$/, "must be 2xx, 4xx, 5xx or a status")
    .optional(),
  method: z.enum(["GET", "HEAD", "POST", "PATCH", "DELETE"]).optional(),
  /** The beginning of the path. */
  path: z.string().max(200).optional(),
  key_id: z.string().max(100).optional(),
  /** The beginning of an error code. */
  error: z.string().max(100).optional(),
  from: instant.optional(),
  to: instant.optional(),
  ...page,
})
type RequestSearch = z.infer<typeof requestSearch>

const requestColumns = columns("api_requests", "id, at, method, path, status, error_code, duration_us, key_id")
const contentColumns = columns("api_requests", "headers, request_body, response_body")
type Row = RowOf<typeof requestColumns> & { key_name: string; request_body: string | null }
type WholeRow = Row & RowOf<typeof contentColumns>

/** The most requests to search for one page, so that a filter without matches does not read a month. */
const LOOKED_THROUGH = 20_000

/**
 * The log, newest first. A page may have fewer than `limit` requests, or none, and still a cursor: then older ones have
 * not been searched yet. Errors: validation_failed for a cursor.
 */
export async function listRequests(principal: Principal, search: RequestSearch) {
  const { workspaceId } = principal
  const used_up = await usedUp(workspaceId)
  const { request_id, status, method, path, key_id, error, limit, cursor } = search
  if (request_id !== undefined) {
    const [row] = await rowOf(workspaceId, request_id)
    return { data: await toSummaries(principal, row ? [row] : []), next_cursor: null, used_up }
  }
  const before = cursor === undefined ? null : await placeOf(workspaceId, cursor)
  const range = rangeOf(workspaceId, search, before)
  const rows = await sql<Row[]>`
    select r.*, k.name as key_name,
      (select request_body from api_requests b where b.workspace_id = ${workspaceId} and b.id = r.id) as request_body
    from (
      select * from (
        select ${sql(requestColumns)} from api_requests
        where ${range} ${newestFirst()} limit ${LOOKED_THROUGH}
      ) recent
      where ${status === undefined ? sql`true` : ofStatus(status)}
        ${method === undefined ? sql`` : sql`and method = ${method}`}
        ${path === undefined ? sql`` : sql`and starts_with(path, ${path})`}
        ${key_id === undefined ? sql`` : sql`and key_id = ${key_id}`}
        ${error === undefined ? sql`` : sql`and starts_with(error_code, ${error})`}
      ${newestFirst()} limit ${limit + 1}
    ) r
    join api_keys k on k.workspace_id = ${workspaceId} and k.id = r.key_id
    ${newestFirst()}`
  const data = await toSummaries(principal, rows.slice(0, limit))
  if (rows.length > limit) return { data, next_cursor: toCursor(data.at(-1)!.request_id), used_up }
  const [last] = await sql<{ id: string }[]>`
    select id from api_requests where ${range} ${newestFirst()} limit 1 offset ${LOOKED_THROUGH - 1}`
  return { data, next_cursor: last ? toCursor(last.id) : null, used_up }
}

/** Set while the workspace's log has used its space for the day and keeps no headers and bodies. */
async function usedUp(workspaceId: string) {
  const mib_per_day = deployment.settings.VOUCH_REQUEST_LOG_MIB_PER_DAY
  const today = startOfDay(clock.now())
  const [over] = await sql`
    select from request_log_usage
    where workspace_id = ${workspaceId} and day >= ${today} and bytes > ${String(mib_per_day)}::float8 * 1024 * 1024`
  return over ? { mib_per_day, until: toTimestamp(addDays(today, 1)) } : null
}

/** Exactly the order of the indexes. Without "nulls last" Postgres would sort, although neither column can be null. */
const newestFirst = () => sql`order by at desc nulls last, id desc nulls last`

/** Conditions that an index covers. Errors have a partial index, whose condition must be repeated here exactly. */
const rangeOf = (workspaceId: string, { status, error, from, to }: RequestSearch, before: Place | null) => sql`
  workspace_id = ${workspaceId}
  ${error !== undefined || (status !== undefined && status >= "4") ? sql`and status >= 400` : sql``}
  ${from === undefined ? sql`` : sql`and at >= ${new Date(from)}`}
  ${to === undefined ? sql`` : sql`and at < ${new Date(to)}`}
  ${before === null ? sql`` : sql`and (at, id) < (${before.at}, ${before.id})`}`

function ofStatus(status: string) {
  const first = Number(status.replace("xx", "00"))
  return status.endsWith("xx") ? sql`status between ${first} and ${first + 99}` : sql`status = ${first}`
}

type Place = { at: Date; id: string }

async function placeOf(workspaceId: string, cursor: string): Promise<Place> {
  const [row] = await sql<Place[]>`
    select at, id from api_requests where workspace_id = ${workspaceId} and id = ${fromCursor("req", cursor)}`
  return row ?? badCursor()
}

/** A request with what it is about. Errors: request_not_found. */
export async function getRequest(principal: Principal, requestId: string) {
  const row = await requireRow(principal.workspaceId, requestId)
  const { headers, request_body, response_body } = row
  const is_whole = Object.keys(headers).length > 0
  const subjects = await subjectsOf(principal, row)
  return { ...toSummary(row), headers, request_body, response_body, is_whole, ...subjects }
}

/** See `viewRefusedClaims`. Errors: request_not_found, insufficient_scope. */
export const viewClaimsOfRequest = async (caller: Caller, requestId: string) =>
  viewRefusedClaims(caller, await requireRow(caller.principal.workspaceId, requestId))

async function requireRow(workspaceId: string, requestId: string): Promise<WholeRow> {
  const [row] = await rowOf(workspaceId, requestId)
  return (
    row ??
    fail(
      "request_not_found",
      `request_id: this workspace's log has no request ${isId("req", requestId) ? requestId : "with this id"}. Requests are kept for ${keptDays.requests} days.`,
    )
  )
}

const rowOf = (workspaceId: string, requestId: string) => sql<WholeRow[]>`
  select ${sql(qualified("r", requestColumns))}, ${sql(qualified("r", contentColumns))}, k.name as key_name
  from api_requests r join api_keys k on k.workspace_id = r.workspace_id and k.id = r.key_id
  where r.workspace_id = ${workspaceId} and r.id = ${requestId}`

const toSummaries = async (principal: Principal, rows: readonly Row[]) => {
  const about = await aboutEach(principal, rows)
  return rows.map((row, n) => ({ ...toSummary(row), about: about[n]! }))
}

const toSummary = (row: Row) => ({
  request_id: row.id,
  at: toTimestamp(row.at),
  method: row.method,
  path: row.path,
  status: row.status,
  error: row.error_code,
  duration_ms: Math.round(row.duration_us / 100) / 10,
  key_id: row.key_id,
  key_name: row.key_name,
})
