import type { Fragment } from "postgres"
import { badCursor, fromCursor } from "#server/lib/cursor.ts"
import type { IdPrefix } from "#server/lib/ids.ts"
import { sql } from "./client.ts"
import { only, type TableName } from "./rows.ts"

/**
 * Rows get their sequence in the order of their times, except for concurrent transactions and slightly different
 * clocks: rows farther apart than this are in order.
 */
const OUT_OF_ORDER_S = 120

/** Rows of one workspace in an index's order, newest first. The fragments are created for each use. */
export type Sequenced = {
  /** The table and its index's condition, after `from`. */
  rows: () => Fragment
  seq: string
  at: string
  /** The index's order, with its place for nulls: otherwise Postgres would sort. */
  newestFirst: () => Fragment
}

/** Times as in requests: from `after` on, and before `before`. */
export type TimeFilter = { after: string | null; before: string | null }

/**
 * A condition for a filter by time, with bounds of the sequence, so that a page is read from this index, and no index
 * on times is needed. Null if nothing can match.
 */
export async function inTime(
  list: Sequenced,
  { after, before }: TimeFilter,
  alias = "",
): Promise<(() => Fragment) | null> {
  if (after === null && before === null) return () => sql``
  if (after !== null && before !== null && new Date(after) >= new Date(before)) return null
  const name = (column: string) => sql(alias === "" ? column : `${alias}.${column}`)
  const [first, end] = await Promise.all([
    after === null ? null : firstSince(list, new Date(after), -OUT_OF_ORDER_S),
    before === null ? null : firstSince(list, new Date(before), OUT_OF_ORDER_S),
  ])
  return () => sql`
    ${after === null ? sql`` : sql`and ${name(list.seq)} >= ${first} and ${name(list.at)} >= ${new Date(after)}`}
    ${before === null ? sql`` : sql`and ${name(list.seq)} < ${end} and ${name(list.at)} < ${new Date(before)}`}`
}

/**
 * The first sequence of a time or later, by binary search: each step reads one entry of the index. Past the last row if
 * there is none.
 */
async function firstSince({ rows, seq, at, newestFirst }: Sequenced, time: Date, slack_s: number): Promise<bigint> {
  const found = await sql<{ seq: bigint }[]>`
    with recursive search(low, high) as (
      select 0::bigint, coalesce((select ${sql(seq)} from ${rows()} order by ${newestFirst()} limit 1), 0) + 1
      union all
      select
        case when r.at >= t.at then s.low else m.middle + 1 end,
        case when r.at >= t.at then r.seq else s.high end
      from search s
        cross join lateral (select (s.low + s.high) / 2 as middle) m
        cross join (select ${time}::timestamptz + ${slack_s} * interval '1 second' as at) t
        left join lateral (
          select ${sql(seq)} as seq, ${sql(at)} as at from ${rows()} and ${sql(seq)} <= m.middle and ${sql(seq)} >= s.low
          order by ${newestFirst()} limit 1
        ) r on true
      where s.low < s.high
    )
    select low as seq from search where low >= high limit 1`
  return only(found).seq
}

/** The sequence of the row at which a page of a workspace's list ended. Errors: validation_failed for a cursor. */
export async function seqAt(table: TableName, prefix: IdPrefix, workspaceId: string, cursor: string): Promise<bigint> {
  const [row] = await sql<{ seq: bigint }[]>`
    select seq from ${sql(table)} where workspace_id = ${workspaceId} and id = ${fromCursor(prefix, cursor)}`
  return row?.seq ?? badCursor()
}

/** Those of the ids whose rows are not newer than the row of a cursor. Errors: validation_failed for a cursor. */
export async function idsUpTo(
  table: TableName,
  prefix: IdPrefix,
  workspaceId: string,
  { ids, upTo }: { ids: readonly string[]; upTo: string },
): Promise<string[]> {
  const last = await seqAt(table, prefix, workspaceId, upTo)
  const rows = await sql<{ id: string }[]>`
    select id from ${sql(table)} where workspace_id = ${workspaceId} and id = any(${[...ids]}) and seq <= ${last}`
  return rows.map(({ id }) => id)
}
