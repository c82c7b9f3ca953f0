import type { IncomingHttpHeaders } from "node:http"
import { isDatabaseUnavailable, background as sql } from "#db/client.ts"
import { namesOfErased } from "#domain/privacy"
import { logger } from "#server/lib/log.ts"
import { clock, sleep, startOfDay } from "#server/lib/time.ts"
import { finderOf, MASK } from "#server/lib/without-secrets.ts"
import { headersAsJson, maskPath, maskRequestBody, maskResponseBody, startOfBody } from "./mask.ts"

/** An answered request. */
export type AnsweredRequest = {
  workspaceId: string
  keyId: string
  requestId: string
  /** Time of arrival, in milliseconds since 1970. */
  at_ms: number
  duration_us: number
  method: string
  /** Whether it changes nothing: its successful response is then not kept. */
  onlyReads: boolean
  /** Its path below /v1, with the query. */
  target: string
  /** Names of the endpoint's fields. Null if the endpoint does not exist. */
  fields: ReadonlySet<string> | null
  headers: IncomingHttpHeaders
  received: Buffer | null
  status: number
  body: string
}

const FLUSH_EVERY_MS = 1000
/** The most requests in one statement. Few, because building it blocks all other requests. */
const BATCH = 200
/** The most requests and bytes that wait while the database is down. */
const MAX_WAITING = 20_000
const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** Bytes that a request takes in addition to its texts, both while it waits and in the table with its four indexes. */
const ROW_BYTES = 500
/** Once the budget is used this many times, nothing more is kept for the day, because short rows also fill a disk. */
const MOST_BUDGETS = 2
/** How many characters of a path are kept once the budget is used up. */
const SHORT_PATH = 200
/** How long stopping waits for the database. */
const LAST_FLUSH_MS = 5000

/**
 * Writes the request log without delaying requests. Answered requests are collected and written about once per second,
 * or when a batch is full. While the database is down they wait. When no more fit, the newest are dropped.
 */
export class RequestLog {
  readonly #maxWaiting: number
  readonly #bytesPerDay: number
  #waiting: Row[] = []
  #bytes = 0
  #dropped = 0
  #isDatabaseDown = false
  #writing: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  /** `bytesPerDay`: the size of a workspace's log in a day (UTC) after which contents are left out. */
  constructor({ maxWaiting = MAX_WAITING, bytesPerDay = Number.POSITIVE_INFINITY } = {}) {
    this.#maxWaiting = maxWaiting
    this.#bytesPerDay = bytesPerDay
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref()
  }

  /** Writes what still waits. Call it when no more requests are answered and before the database is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.race([this.flush(), sleep(LAST_FLUSH_MS)])
  }

  /** Approximate size of the waiting requests, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  note(request: AnsweredRequest): void {
    if (this.#waiting.length >= this.#maxWaiting || this.#bytes >= MAX_WAITING_BYTES) {
      this.#drop()
      return
    }
    try {
      const row = toRow(request)
      this.#bytes += sizeOf(row)
      this.#waiting.push(row)
    } catch (error) {
      logger.error({ err: error, requestId: request.requestId }, "the request log lost a request")
    }
    // While the database is down, only the timer tries again.
    if (this.#waiting.length >= BATCH && !this.#isDatabaseDown) void this.flush()
  }

  /** Writes all waiting requests. Resolves when they are written, or cannot be for now. Never rejects. */
  flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH)
      try {
        await writeAll(batch, this.#bytesPerDay)
        this.#isDatabaseDown = false
      } catch {
        this.#isDatabaseDown = true
        return
      }
      this.#waiting.splice(0, batch.length)
      this.#bytes -= batch.reduce((sum, row) => sum + sizeOf(row), 0)
    }
    if (this.#dropped > 0) logger.info({ requests: this.#dropped }, "the request log continues without these")
    this.#dropped = 0
  }

  #drop(): void {
    if (this.#dropped++ === 0) logger.warn("the database is unreachable: the request log drops new requests")
  }
}

/** Approximate size while it waits, in bytes. */
const sizeOf = ({ path, headers, received, body }: Row): number =>
  ROW_BYTES + path.length + headers.length + (received?.length ?? 0) + (body?.length ?? 0)

/** Writes a batch; if that fails, each request alone, so that a bad row loses no other. Rejects without a database. */
async function writeAll(requests: readonly Row[], bytesPerDay: number): Promise<void> {
  try {
    await write(requests, bytesPerDay)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    if (requests.length > 1) for (const request of requests) await writeAll([request], bytesPerDay)
    else logger.error({ err: error, requestId: requests[0]!.requestId }, "the request log lost a request")
  }
}

/**
 * Some may have been written although the answer was lost. Ids are random, so an existing id is the same request. Requests
 * from before an erasure that name its person are left out, because the erasure could not delete them.
 *
 * The same statement counts the requests of each key, and what each workspace has written today, for all replicas. A batch that exceeds the budget is
 * written without contents and without rate-limited requests. One that exceeds twice the budget is not written.
 */
async function write(rows: readonly Row[], bytesPerDay: number): Promise<void> {
  // In Postgres, arrays cost half as much as JSON. Here, their text costs half as much as arrays of postgres.js.
  const all = (column: keyof Row) => arrayOf(rows.map((row) => row[column]))
  await sql`
    with r as materialized (
      select * from unnest(${all("workspaceId")}::text::text[], ${all("requestId")}::text::text[],
        ${all("at_ms")}::text::bigint[], ${all("method")}::text::text[], ${all("path")}::text::text[],
        ${all("status")}::text::smallint[], ${all("code")}::text::text[], ${all("duration_us")}::text::int[],
        ${all("keyId")}::text::text[], ${all("headers")}::text::text[], ${all("received")}::text::text[],
        ${all("body")}::text::text[])
      as r(workspace_id, id, at_ms, method, path, status, error_code, duration_us, key_id, headers, request_body,
        response_body)
    ), today as (
      insert into request_log_usage as d (workspace_id, day, bytes)
      select workspace_id, ${startOfDay(clock.now())}::timestamptz, sum(${ROW_BYTES}::int + octet_length(path) + octet_length(headers)
        + coalesce(octet_length(request_body), 0) + coalesce(octet_length(response_body), 0))
      from r group by workspace_id
      -- In a fixed order, so that two replicas cannot deadlock.
      order by workspace_id
      on conflict (workspace_id) do update set day = greatest(d.day, excluded.day),
        bytes = excluded.bytes + case when d.day >= excluded.day then d.bytes else 0 end
      returning workspace_id, bytes > ${String(bytesPerDay)}::float8 as is_over,
        bytes > ${String(bytesPerDay * MOST_BUDGETS)}::float8 as is_full
    ), used as (
      insert into key_usage as u (workspace_id, key_id, day, requests, errors)
      select r.workspace_id, key_id, date_trunc('day', to_timestamp(at_ms / 1000.0), 'UTC') as day, count(*),
        count(*) filter (where status >= 400)
      -- The rows of \`today\` are locked first, then these in a fixed order, so that two replicas cannot deadlock.
      from r join today on today.workspace_id = r.workspace_id
      group by r.workspace_id, key_id, day order by r.workspace_id, key_id, day
      on conflict (workspace_id, key_id, day) do update set requests = u.requests + excluded.requests,
        errors = u.errors + excluded.errors
    ), erased as materialized (
      select e.workspace_id, e.requests_until, ${namesOfErased()} as names from erasures e
      where e.workspace_id in (select workspace_id from r)
        and e.requests_until >= (select to_timestamp(min(at_ms) / 1000.0) from r)
    )
    insert into api_requests (workspace_id, id, at, method, path, status, error_code, duration_us, key_id, headers,
      request_body, response_body)
    select r.workspace_id, id, to_timestamp(at_ms / 1000.0), method,
      case when is_over then left(split_part(path, '?', 1), ${SHORT_PATH}) else path end,
      status, error_code, duration_us, key_id, case when is_over then '{}' else headers::jsonb end,
      case when not is_over then request_body end, case when not is_over then response_body end
    from r join today on today.workspace_id = r.workspace_id
    where not is_full and (not is_over or error_code is distinct from 'rate_limited')
      and not exists (select from erased e cross join unnest(e.names) as named
        where e.workspace_id = r.workspace_id and e.requests_until >= to_timestamp(r.at_ms / 1000.0)
          and strpos(concat_ws(' ', r.path, r.request_body, r.response_body), named) > 0)
    on conflict do nothing`
}

/** A Postgres array as text. */
const arrayOf = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => (typeof value === "string" ? quoted(value) : (value ?? "NULL"))).join()}}`

const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`

/** The part of a request to keep. Made as soon as it is answered, so that the much larger request can be freed. */
type Row = ReturnType<typeof toRow>

function toRow(request: AnsweredRequest) {
  const { method, target, fields, headers, received, status, body, onlyReads } = request
  const answer = onlyReads && status < 400 ? { text: null, code: null } : maskResponseBody(body)
  // A valid request has no field for a key. An invalid one may contain a key or a part of it, in any form.
  const holdsKey = status < 400 ? () => false : finderOf(/\S+$/.exec(headers.authorization ?? "")?.[0] ?? "")
  const unlessKey = (text: string) => (holdsKey(text) ? MASK : text)
  const request_body = received === null ? null : maskRequestBody(received, fields ?? new Set())
  // Cut last, because a key cut in two would not be found.
  const keptOf = (text: string) => (status < 400 ? text : startOfBody(unlessKey(text)))
  return {
    workspaceId: request.workspaceId,
    requestId: request.requestId,
    at_ms: request.at_ms,
    method,
    // Checked before masking as well: the rest of a masked key may be too short to be found.
    path: holdsKey(target.split("?", 1)[0]!) ? MASK : unlessKey(maskPath(target, fields)),
    status,
    code: answer.code,
    duration_us: request.duration_us,
    keyId: request.keyId,
    headers: headersAsJson(headers),
    received: request_body === null ? null : keptOf(request_body),
    body: answer.text === null ? null : keptOf(answer.text),
  }
}
