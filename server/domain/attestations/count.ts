import { sql } from "#db/client.ts"
import type { Principal } from "#server/domain/context.ts"
import { clock } from "#server/lib/time.ts"
import type { Count } from "#shared/counts.ts"
import { type ShownStatus, shownStatuses } from "#shared/statuses.ts"
import { inStatus, matching, ofInvestor, readSpan, type SearchFilter } from "./search.ts"
import { readTexts } from "./search-texts.ts"

/** A number on a screen says no more than that there are so many. */
const MOST = 1000
/** Rows that are looked at for one number, where no index knows all that is asked for. */
const MOST_READ = 10_000

/**
 * How many attestations match, by status, up to a thousand each. Each number reads an index in its order, and ends with
 * so many rows: what else is asked for is looked for in the newest ones of the status, or those that expire first.
 */
export async function countAttestations(
  { workspaceId }: Principal,
  asked: Omit<SearchFilter, "status">,
): Promise<Record<ShownStatus, Count>> {
  const now = clock.now()
  const filter = await ofInvestor(workspaceId, asked)
  const [span, texts] = await Promise.all([readSpan(workspaceId, filter), readTexts(workspaceId, filter)])
  const { schema, investorId, expiring_before: expiring } = filter
  const ids = texts.flatMap((text) => ("ids" in text ? [text.ids] : []))[0]
  const wallet = texts.flatMap((text) => ("wallet" in text ? [text.wallet] : []))[0]
  const newestFirst = sql`order by seq desc nulls last`
  const ofSchema = () => (schema === undefined ? sql`` : sql`and schema_id = ${schema}`)
  const ofSpan = () => sql`
    ${span?.start ? sql`and seq >= ${span.start.seq}` : sql``} ${span?.end ? sql`and seq <= ${span.end.seq}` : sql``}`

  /** What an index gives, and what is left to ask of it. */
  const source = (status: ShownStatus) => {
    if (ids) return sql`and id = any(${ids})`
    if (wallet) return sql`and wallet = ${wallet} ${newestFirst}`
    if (investorId) return sql`and investor_id = ${investorId} ${newestFirst}`
    if (expiring) {
      return sql`and status = 'verified' and expires_at > ${now} and expires_at < ${new Date(expiring)}
        order by expires_at`
    }
    if (schema === undefined && status === "revoked")
      return sql`and revoked_at is not null ${ofSpan()} ${newestFirst}`
    if (schema === undefined && status === "rejected")
      return sql`and status = 'rejected' and revoked_at is null ${ofSpan()} ${newestFirst}`
    const recorded = status === "revoked" ? "rejected" : status
    return sql`and status = ${recorded} ${ofSchema()} ${ofSpan()} ${newestFirst}`
  }
  const is = (status: ShownStatus) =>
    status === "expired" ? sql`and status = 'expired'` : inStatus(status, now)

  if (span === null) return toCounts([])
  // In one statement, which takes one connection. What has expired is counted as such once it is swept, within a second.
  const counted = expiring ? (["verified"] as const) : shownStatuses
  const each = counted.map((status) => {
    const near = () =>
      sql`select * from attestations where workspace_id = ${workspaceId} ${source(status)} limit ${MOST_READ}`
    return sql`
      select ${status} as status, m.count, case when m.count <= ${MOST}
        then (select count(*) from (${near()}) n) = ${MOST_READ} else true end as at_least
      from (select count(*)::int as count from (
        select from (${near()}) attestations where ${matching(workspaceId, { filter, span, texts, now })} ${is(status)}
        limit ${MOST + 1}) matched) m`
  })
  return toCounts(await sql<Row[]>`${each.reduce((all, one) => sql`${all} union all ${one}`)}`)
}

type Row = { status: ShownStatus; count: number; at_least: boolean }

const toCounts = (rows: readonly Row[]): Record<ShownStatus, Count> =>
  mapStatuses((status) => {
    const row = rows.find((one) => one.status === status)
    return row ? { count: Math.min(row.count, MOST), atLeast: row.at_least } : { count: 0, atLeast: false }
  })

const mapStatuses = <T>(of: (status: ShownStatus) => T) =>
  Object.fromEntries(shownStatuses.map((status) => [status, of(status)])) as Record<ShownStatus, T>
