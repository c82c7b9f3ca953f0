import type { Fragment } from "postgres"
import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, only, type RowOf } from "#db/rows.ts"
import { seqAt } from "#db/seq-at.ts"
import { resolveInvestor, searchText } from "#domain/investor-search"
import type { Principal } from "#domain/requests"
import { requireSchema, schemaId } from "#domain/schemas"
import { fromCursor, pageOf } from "#server/lib/cursor.ts"
import { instant } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { type ListOrder, listOrders } from "#shared/list-orders.ts"
import { type AttestationStatus, type SessionState, type ShownStatus, shownStatuses } from "#shared/statuses.ts"
import { likeText, readTexts, type Text } from "./search-texts.ts"
import { inSessionState, shownStatusAt, statusInSql } from "./status.ts"

/** Filters of the dashboard's table and its export: started at `from` or later and before `to`. */
export const searchFilter = z.object({
  schema: schemaId.optional(),
  status: z.enum(shownStatuses).optional(),
  from: instant.optional(),
  to: instant.optional(),
  /**
   * A wallet, its start, its end, or both with `…` between; the id of an attestation or an investor; or words of an
   * external id, in any order and case.
   */
  q: searchText.optional(),
  investor: z.string().max(100).optional(),
  /** Verified, and expires before this time. */
  expiring_before: instant.optional(),
})
export type SearchFilter = z.infer<typeof searchFilter>

/** The same with the order, by default the newest first. */
export const orderedSearch = searchFilter.extend({ order: z.enum(listOrders).optional() })
export type OrderedSearch = z.infer<typeof orderedSearch>

/** The conditions of a search. All must hold. */
export type FindFilter = {
  schema?: string | undefined
  /** In the API, `rejected` includes revoked attestations. */
  status?: ShownStatus | "rejected or revoked" | undefined
  from?: string | undefined
  to?: string | undefined
  q?: string | undefined
  wallet?: Address | undefined
  investorId?: string | undefined
  externalId?: string | undefined
  sessionId?: string | undefined
  /** Verified now, and expires before this time. */
  expiring_before?: string | undefined
  /** The state of its session. */
  sessionState?: SessionState | undefined
  /** Whether its session is still open. */
  isOpen?: boolean | undefined
  /** Only the first match of each investor in the list's order. */
  onePerInvestor?: boolean | undefined
  /** Only attestations that had started by this one, so that all pages of a reader show the list as of the first. */
  upTo?: Pick<Place, "seq"> | undefined
}

const PAGE = 50
/** `seq` has the order of `created_at`, except among attestations that start at the same moment: at most this many. */
const OUT_OF_ORDER = 500

/** A page of the attestations that match. Errors: validation_failed for a cursor, unknown_schema. */
export function searchAttestations(
  { workspaceId }: Principal,
  filter: OrderedSearch & { cursor?: string | undefined },
) {
  const now = clock.now()
  const show = (row: FoundRow) => toSummary(row, now)
  return listRows(workspaceId, { ...filter, limit: PAGE }, { fields: () => sql`${sql(foundColumns)}`, show })
}

/** The position of a row in lists of attestations. Other orders look up what else they need by it. */
export type Place = { id: string; seq: bigint }

/** The row at which a page ended. Errors: validation_failed for a cursor. */
export const placeOf = async (workspaceId: string, cursor: string): Promise<Place> => ({
  seq: await seqAt("attestations", "att", workspaceId, cursor),
  id: fromCursor("att", cursor),
})

type ListFilter = FindFilter & { investor?: string | undefined; order?: ListOrder | undefined }

/** A page of matching rows, the same while rows are added. Errors: validation_failed for a cursor, unknown_schema. */
export async function listRows<Row extends { id: string }, Shown>(
  workspaceId: string,
  { cursor, limit, order, ...filter }: ListFilter & { cursor?: string | undefined; limit: number },
  { fields, show }: { fields: () => Fragment; show: (row: Row) => Shown },
): Promise<{ data: Shown[]; next_cursor: string | null }> {
  const last = cursor === undefined ? null : await placeOf(workspaceId, cursor)
  const found = await ofInvestor(workspaceId, filter)
  const rows = await findRows<Row>(workspaceId, found, { last, order, limit: limit + 1, fields })
  if (rows.length === 0 && filter.schema !== undefined) await requireSchema(workspaceId, filter.schema)
  return pageOf(rows, limit, show)
}

export type ApiFilter = Omit<Parameters<typeof listRows>[1], "status"> & { status?: AttestationStatus | undefined }

/** The same for the API, where `rejected` includes revoked attestations. */
export const listInApi = <Row extends { id: string }, Shown>(
  { workspaceId }: Principal,
  { status, ...filter }: ApiFilter,
  list: { fields: () => Fragment; show: (row: Row) => Shown },
) => listRows(workspaceId, { ...filter, status: status === "rejected" ? "rejected or revoked" : status }, list)

/** Resolves the investor that the filter names. */
export const ofInvestor = async (workspaceId: string, filter: ListFilter): Promise<FindFilter> => ({
  ...filter,
  investorId: filter.investor && ((await resolveInvestor(workspaceId, filter.investor)) ?? filter.investor),
})

/** The newest ones of a workspace. */
export async function latestAttestations(workspaceId: string, limit: number): Promise<AttestationSummary[]> {
  const rows = await findAttestations(workspaceId, {}, { last: null, limit })
  const now = clock.now()
  return rows.map((row) => toSummary(row, now))
}

const foundColumns = columns(
  "attestations",
  "workspace_id, id, seq, status, wallet, schema_id, investor_id, external_id, created_at, open_until, issued_at",
  "expires_at, verified_at, revoked_at, reason, onchain_tx",
)
export type FoundRow = RowOf<typeof foundColumns>

/** Rows after `last`, in order. */
type Page = { last: Place | null; limit: number; order?: ListOrder | undefined }

/** The matching attestations, as lists show them. */
export const findAttestations = (workspaceId: string, filter: FindFilter, page: Page): Promise<FoundRow[]> =>
  findRows<FoundRow>(workspaceId, filter, { ...page, fields: () => sql`${sql(foundColumns)}` })

/**
 * The matching attestations, with `fields` of the table `attestations`. Every filter has an index that returns its rows
 * in this order or its reverse, or so few of them that sorting is cheap. Only rows that are shown are read. The order
 * says `nulls last` because the indexes do: without it, Postgres would sort the whole workspace.
 */
export async function findRows<Row extends object>(
  workspaceId: string,
  filter: FindFilter,
  { last, limit, order = "newest", fields }: Page & { fields: () => Fragment },
): Promise<Row[]> {
  const now = clock.now()
  const span = await readSpan(workspaceId, filter)
  const { sessionState } = filter
  const isByExpiry = order === "expiry"
  // Only a verified attestation can still expire, and a session that is over shows nothing else.
  const status = isByExpiry ? "verified" : sessionState === "expired" ? "expired" : filter.status
  if (span === null || (filter.status ?? status) !== status) return []
  const texts = await readTexts(workspaceId, filter)
  const matches = () => matching(workspaceId, { filter, span, texts, now })
  // Looked up by id first: a planner that expects few rows may otherwise scan the whole list for them.
  const ids = texts.flatMap((text) => ("ids" in text ? [text.ids] : []))[0]
  const source = () =>
    ids === undefined
      ? sql`attestations`
      : sql`(select * from attestations where workspace_id = ${workspaceId} and id = any(${ids}) offset 0) attestations`
  const { after, by, isBefore } = inOrders[order]
  const ofPage = last === null ? sql`` : after(workspaceId, last)
  // The caller has a table or query named `attestations`. An inner one of that name would hide its columns.
  const isFirstOfInvestor = !filter.onePerInvestor
    ? sql``
    : sql`and not exists (
        select from attestations other
        where other.investor_id = attestations.investor_id and ${matches()}
          and ${isBefore()}
          ${status === undefined ? sql`` : status === "expired" ? sql`and ${statusInSql(now)} = 'expired'` : inStatus(status, now)})`
  if (status !== "expired") {
    return sql<Row[]>`
      select ${fields()} from ${source()}
      where ${matches()} ${ofPage} ${status === undefined ? sql`` : inStatus(status, now)} ${isFirstOfInvestor}
      order by ${by()} limit ${limit}`
  }
  // Those that ended, and those that have expired but are not swept yet. The latter are few, and are read through the
  // sweeps' indexes first: a planner that searches for 50 of them in order scans all verified ones.
  return sql<Row[]>`
    with due as materialized (
      select * from attestations
      where workspace_id = ${workspaceId} and status = 'pending' and open_until <= ${now}
      union all
      select * from attestations
      where workspace_id = ${workspaceId} and status in ('pending', 'verified') and expires_at <= ${now}
        and (status = 'verified' or open_until is null or open_until > ${now})
    )
    select ${fields()} from (
      (select * from ${source()}
        where ${matches()} ${ofPage} and ${sessionState === undefined ? sql`status = 'expired'` : sql`status = 'expired' ${inSessionState(sessionState, now)}`} ${isFirstOfInvestor} order by ${by()} limit ${limit})
      union all
      (select * from due attestations where ${matches()} ${ofPage} ${isFirstOfInvestor})
    ) attestations order by ${by()} limit ${limit}`
}

type InOrder = {
  /** The condition for rows after a given one. */
  after: (workspaceId: string, last: Place) => Fragment
  by: () => Fragment
  /** Whether it is an investor's first row. */
  isBefore: () => Fragment
}
const inOrders: Record<ListOrder, InOrder> = {
  newest: {
    after: (_, { seq }) => sql`and seq < ${seq}`,
    by: () => sql`seq desc nulls last`,
    isBefore: () => sql`other.seq > attestations.seq`,
  },
  oldest: {
    after: (_, { seq }) => sql`and seq > ${seq}`,
    by: () => sql`seq nulls first`,
    isBefore: () => sql`other.seq < attestations.seq`,
  },
  expiry: {
    // The time is looked up in SQL, because one that is read into JavaScript loses its microseconds.
    after: (workspaceId, { id }) => sql`and (expires_at, seq) > (
      select expires_at, seq from attestations where workspace_id = ${workspaceId} and id = ${id})`,
    by: () => sql`expires_at, seq`,
    isBefore: () => sql`(other.expires_at, other.seq) < (attestations.expires_at, attestations.seq)`,
  },
}

/** All conditions of a filter except the status, on a row. */
export const matching = (
  workspaceId: string,
  { filter, span, texts, now }: { filter: FindFilter; span: Span; texts: readonly Text[]; now: Date },
) => {
  const { sessionState } = filter
  return sql`
    workspace_id = ${workspaceId}
    ${filter.schema === undefined ? sql`` : sql`and schema_id = ${filter.schema}`}
    ${filter.wallet === undefined ? sql`` : sql`and wallet = ${filter.wallet}`}
    ${filter.investorId === undefined ? sql`` : sql`and investor_id = ${filter.investorId}`}
    ${filter.sessionId === undefined ? sql`` : sql`and session_id = ${filter.sessionId}`}
    ${sessionState === undefined ? sql`` : sessionState === "expired" ? sql`and verified_at is null` : inSessionState(sessionState, now)}
    ${filter.expiring_before === undefined ? sql`` : sql`and status = 'verified' and expires_at > ${now} and expires_at < ${new Date(filter.expiring_before)}`}
    ${filter.isOpen === undefined ? sql`` : filter.isOpen ? inStatus("pending", now) : sql`and (status <> 'pending' or open_until <= ${now} or expires_at <= ${now})`}
    ${filter.upTo === undefined ? sql`` : sql`and seq <= ${filter.upTo.seq}`}
    ${inSpan(span)} ${texts.reduce((all, one) => sql`${all} ${likeText(one)}`, sql``)}`
}

/** The status at a time, in a form that the index by status can serve. */
export const inStatus = (status: Exclude<NonNullable<FindFilter["status"]>, "expired">, now: Date) => {
  switch (status) {
    case "rejected or revoked":
      return sql`and status = 'rejected'`
    case "pending":
      return sql`and status = 'pending' and (open_until is null or open_until > ${now})
        and (expires_at is null or expires_at > ${now})`
    case "verified":
      return sql`and status = 'verified' and expires_at > ${now}`
    case "rejected":
      return sql`and status = 'rejected' and revoked_at is null`
    case "revoked":
      return sql`and status = 'rejected' and revoked_at is not null`
  }
}

/** A time, and the lowest or highest `seq` on its side. */
type Bound = { at: Date; seq: bigint }
export type Span = { start: Bound | null; end: Bound | null }

/** Times as bounds of `seq`, so that a page is read directly. Null if nothing can be between them. */
export async function readSpan(workspaceId: string, { from, to }: FindFilter): Promise<Span | null> {
  if (from === undefined && to === undefined) return { start: null, end: null }
  const start = from === undefined ? null : new Date(from)
  const end = to === undefined ? null : new Date(to)
  const bounds = await sql<{ first: bigint | null; last: bigint | null }[]>`
    select
      (select min(seq) from (select seq from attestations
        where workspace_id = ${workspaceId} and created_at >= ${start ?? new Date(0)}
        order by created_at limit ${start === null ? 0 : OUT_OF_ORDER}) early) as first,
      (select max(seq) from (select seq from attestations
        where workspace_id = ${workspaceId} and created_at < ${end ?? new Date(0)}
        order by created_at desc limit ${end === null ? 0 : OUT_OF_ORDER}) late) as last`
  const { first, last } = only(bounds)
  if ((start !== null && first === null) || (end !== null && last === null)) return null
  return {
    start: start && { at: start, seq: first! },
    end: end && { at: end, seq: last! },
  }
}

const inSpan = ({ start, end }: Span) => sql`
  ${start === null ? sql`` : sql`and seq >= ${start.seq} and created_at >= ${start.at}`}
  ${end === null ? sql`` : sql`and seq <= ${end.seq} and created_at < ${end.at}`}`

export type AttestationSummary = ReturnType<typeof toSummary>

export function toSummary(row: FoundRow, now: Date) {
  const shown = row.verified_at !== null
  return {
    attestation_id: row.id,
    status: shownStatusAt(row, now),
    user_pubkey: row.wallet,
    schema: row.schema_id,
    investor_id: row.investor_id,
    external_id: row.external_id,
    started_at: toTimestamp(row.created_at),
    issued_at: shown && row.issued_at ? toTimestamp(row.issued_at) : null,
    expires_at: shown && row.expires_at ? toTimestamp(row.expires_at) : null,
    onchain_tx: shown ? row.onchain_tx : null,
  }
}
