import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { clock } from "#server/lib/time.ts"
import { type Count, sumOf } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"
import { inStatus, matching, type OrderedSearch, ofInvestor, readSpan, type SearchFilter, type Span } from "./search.ts"
import { readTexts } from "./search-texts.ts"

/** Beyond this, a screen shows "more than". */
const MOST = 1000
/** The most rows to read for one count if no index covers the whole filter. */
const MOST_READ = 10_000
/** The same if the investor of each row must be read, because very many match the search text. */
const MOST_LOOKED_UP = 1000

/** The most rows to read to find the length of a file: a fraction of a second, while the file itself takes seconds. */
const MOST_COUNTED = 100_000

/** The count for each status, and for all of them. */
export type StatusCounts = Record<ShownStatus | "all", Count>

/**
 * Counts the attestations that match, by status, up to a thousand each. Each count reads an index in order and stops at
 * a limit of rows. Other conditions are checked on the newest rows of the status, or on those that expire first.
 */
export async function countAttestations(
  { workspaceId }: Principal,
  asked: Omit<SearchFilter, "status">,
): Promise<StatusCounts> {
  const counts = await countEach(await prepare(workspaceId, asked), { of: "attestations" })
  return { ...counts, all: sumOf(shownStatuses.map((status) => counts[status])) }
}

/** Counts the investors who have a matching attestation. An investor with several statuses counts once for each. */
export async function countInvestors(
  { workspaceId }: Principal,
  asked: Omit<SearchFilter, "status">,
): Promise<StatusCounts> {
  return countEach(await prepare(workspaceId, asked), { of: "investors" })
}

/** Counts the matches for a file that will contain all of them. Null if that would mean reading too many rows. */
export async function countAll(
  workspaceId: string,
  asked: OrderedSearch,
  { most = MOST_COUNTED } = {},
): Promise<number | null> {
  // Only verified attestations are ordered by expiry.
  const status = asked.order === "expiry" ? "verified" : (asked.status ?? "all")
  if (status !== (asked.status ?? status)) return 0
  const prepared = await prepare(workspaceId, asked)
  const { span } = prepared
  if (span === null) return 0
  const [row] = await sql<{ near: number; count: number }[]>`
    select count(*)::int as near, (count(*) filter (where ${matchesIn({ ...prepared, span }, status)}))::int as count
    from (${nearRows(prepared, status, most + 1)}) attestations`
  return row!.near > most ? null : row!.count
}

type Prepared = Awaited<ReturnType<typeof prepare>>

/** The filter, with the ids and bounds looked up for it. `span` is null if nothing can match. */
async function prepare(workspaceId: string, asked: SearchFilter) {
  const now = clock.now()
  const filter = await ofInvestor(workspaceId, asked)
  const [span, texts] = await Promise.all([readSpan(workspaceId, filter), readTexts(workspaceId, filter)])
  return { workspaceId, filter, span, texts, now }
}

/** The rows that an index returns for it, up to a limit: they include all matches, and others. */
function nearRows({ workspaceId, filter, span, texts, now }: Prepared, status: ShownStatus | "all", limit: number) {
  const { schema, investorId, expiring_before: expiring } = filter
  const ids = texts.flatMap((text) => ("ids" in text ? [text.ids] : []))[0]
  const wallet = texts.flatMap((text) => ("wallet" in text ? [text.wallet] : []))[0]
  const newestFirst = sql`order by seq desc nulls last`
  const ofSchema = () => (schema === undefined ? sql`` : sql`and schema_id = ${schema}`)
  const ofSpan = () => sql`
    ${span?.start ? sql`and seq >= ${span.start.seq}` : sql``} ${span?.end ? sql`and seq <= ${span.end.seq}` : sql``}`

  /** The conditions that an index covers, and those that remain. */
  const source = () => {
    if (ids) return sql`and id = any(${ids})`
    if (wallet) return sql`and wallet = ${wallet} ${newestFirst}`
    if (investorId) return sql`and investor_id = ${investorId} ${newestFirst}`
    if (expiring) {
      return sql`and status = 'verified' and expires_at > ${now} and expires_at < ${new Date(expiring)}
        order by expires_at`
    }
    if (schema === undefined && status === "revoked") return sql`and revoked_at is not null ${ofSpan()} ${newestFirst}`
    if (schema === undefined && status === "rejected")
      return sql`and status = 'rejected' and revoked_at is null ${ofSpan()} ${newestFirst}`
    if (status === "all") return sql`${ofSchema()} ${ofSpan()} ${newestFirst}`
    const recorded = status === "revoked" ? "rejected" : status
    return sql`and status = ${recorded} ${ofSchema()} ${ofSpan()} ${newestFirst}`
  }
  return sql`select * from attestations where workspace_id = ${workspaceId} ${source()} limit ${limit}`
}

/** The rows that match. Expired attestations count as expired once a sweep has marked them, within a second. */
const matchesIn = ({ span, ...prepared }: Prepared & { span: Span }, status: ShownStatus | "all") => {
  const is =
    status === "all" ? sql`` : status === "expired" ? sql`and status = 'expired'` : inStatus(status, prepared.now)
  return sql`${matching(prepared.workspaceId, { ...prepared, span })} ${is}`
}

type Row = { status: ShownStatus | "all"; count: number; at_least: boolean }

async function countEach(prepared: Prepared, { of }: { of: "attestations" | "investors" }): Promise<StatusCounts> {
  const { span } = prepared
  if (span === null) return toCounts([])
  // An investor with several attestations of a status counts once.
  const isOfAll = of === "investors"
  const counted: readonly (ShownStatus | "all")[] = [
    ...(prepared.filter.expiring_before ? (["verified"] as const) : shownStatuses),
    ...(isOfAll ? (["all"] as const) : []),
  ]
  const most = prepared.texts.some((text) => "anyOf" in text) ? MOST_LOOKED_UP : MOST_READ
  const each = counted.map((status) => {
    const near = () => nearRows(prepared, status, most)
    return sql`
      select ${status} as status, m.count, case when m.count <= ${MOST}
        then (select count(*) from (${near()}) n) = ${most} else true end as at_least
      from (select count(*)::int as count from (
        select ${isOfAll ? sql`distinct investor_id` : sql``} from (${near()}) attestations
        where ${matchesIn({ ...prepared, span }, status)} limit ${MOST + 1}) matched) m`
  })
  // One statement, so that it uses one connection.
  return toCounts(await sql<Row[]>`${each.reduce((all, one) => sql`${all} union all ${one}`)}`)
}

const toCounts = (rows: readonly Row[]): StatusCounts =>
  Object.fromEntries(
    [...shownStatuses, "all" as const].map((status) => {
      const row = rows.find((one) => one.status === status)
      return [status, row ? { count: Math.min(row.count, MOST), atLeast: row.at_least } : { count: 0, atLeast: false }]
    }),
  ) as StatusCounts
