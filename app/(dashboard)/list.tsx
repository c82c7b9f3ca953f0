import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Empty, PageHeader } from "#app/components/frame.tsx"
import { type Cursor, type PageNames, useCursor } from "#app/components/paging.tsx"
import type { Selection } from "#app/components/selection.tsx"
import type { FilteredList } from "#shared/saved-filters.ts"
import { ExportCsv } from "./exports.tsx"
import { FilterRow } from "./filter-row.tsx"
import { type Asked, type Filtered, type Filters, useFilters } from "./filters.tsx"
import { StateTabs, type StateTabsProps } from "./tabs.tsx"
import { type InputOf, type OutputOf, type Procedure, usePath, usePolling } from "./workspace.tsx"

/** How often the newest rows are read again, if the server does not announce them. */
const FOLLOW_MS = 5000

type Page<Row> = { data: Row[]; next_cursor?: string | null }
type ListProcedure = { [Name in Procedure]: OutputOf<Name> extends Page<unknown> ? Name : never }[Procedure]
type RowOf<Name extends ListProcedure> = OutputOf<Name> extends Page<infer Row> ? Row : never

/** A list with its filters and its place in it. */
export type ListState<Result extends Page<unknown>, Input = object> = {
  query: UseQueryResult<Result>
  /** What the server was asked for, without the page. */
  asked: Input
  /** What its file is asked for: the same, with what the page itself fixes. */
  exported: Record<string, string>
  filtered: Filtered
  paging: Cursor
  /** Changes whenever a different list is shown. */
  name: string
  /** Whether a search with few matches has covered only a part of the rows. */
  goesOn: boolean
}

const NO_FILTERS: Filters = {}
const atRest = () => true
const asAsked = (asked: object) => asked

/** Reads a list page by page. Its filters and its page are in the address. */
export function useList<Name extends ListProcedure, const Some extends Filters>(
  procedure: Name,
  {
    filters,
    ask = asAsked,
    input,
    follows = false,
    isAtRest = atRest,
    searchesInParts = false,
  }: {
    /** Must be the same object at every render. */
    filters?: Some
    /** The input of the procedure, if it is not the filters themselves. */
    ask?: (asked: Asked<Some>) => Partial<InputOf<Name>>
    input?: Partial<InputOf<Name>> & { limit?: number }
    follows?: boolean
    /** Whether a row will not change soon. The list is polled until this holds for all rows. */
    isAtRest?: (row: RowOf<Name>) => boolean
    /** Whether the server searches a part of the rows at a time. Needs a limit. */
    searchesInParts?: boolean
  } = {},
): ListState<OutputOf<Name> & Page<RowOf<Name>>, Partial<InputOf<Name>>> {
  const all = useFilters((filters ?? NO_FILTERS) as Filters)
  const asked: Partial<InputOf<Name>> = ask(all.asked as Asked<Some>)
  const filtered = { ...all, asked: asked as Record<string, string> }
  const name = JSON.stringify([procedure, input, filtered.current])
  const paging = useCursor(name)
  const query = usePolling(
    procedure,
    { ...input, ...asked, ...(paging.cursor && { cursor: paging.cursor }) } as InputOf<Name>,
    (answer) => (answer as unknown as Page<RowOf<Name>>).data.every(isAtRest),
    { keep: true, ...(follows && paging.isFirst && { every_ms: FOLLOW_MS }) },
  ) as UseQueryResult<OutputOf<Name> & Page<RowOf<Name>>>
  const { data } = query
  const { limit: _, ...fixed } = (input ?? {}) as Record<string, string>
  const exported = { ...fixed, ...filtered.asked }
  const goesOn = searchesInParts && data !== undefined && data.data.length < input!.limit! && data.next_cursor !== null
  return { query, asked, exported, filtered, paging, name, goesOn }
}

type ListProps<Row> = {
  list: ListState<Page<Row>>
  /** Names the table for screen readers. */
  caption: string
  /** What the rows are, in a sentence. */
  things?: string
  columns: Column<Row>[]
  /** Needed for rows without a page. */
  rowKey?: (row: Row) => string
  /** The page of a row, below the workspace. */
  rowPath?: (row: Row) => string[]
  /** Ends the address of each row's page. */
  rowQuery?: string
  /** The heading above a row and its neighbours with the same one. */
  groupOf?: (row: Row) => string
  /** Rows that belong to a row. */
  below?: (row: Row) => ReactNode
  /** The number of rows on all pages, if it is known. */
  total?: number | undefined
  selection?: Selection<Row> | undefined
  pageNames?: PageNames | undefined
  /** The name under which members save filters. */
  saved?: FilteredList
  /** The name under which the list is exported. */
  exports?: string
  /** Shown while the list is empty, whatever is filtered. */
  empty: ReactNode
  /** Shown while no row matches the filters. */
  noMatch?: ReactNode
  afterFilters?: ReactNode
  children?: ReactNode
}

/** A list: its filters, its table and its pages. */
export function List<Row>({
  list: { query, exported, filtered, paging, goesOn },
  caption,
  things = caption.toLowerCase(),
  rowPath,
  rowQuery = "",
  rowKey = (row) => rowPath!(row).join("/"),
  saved,
  exports,
  empty,
  noMatch = "Remove a filter or choose another date range.",
  afterFilters,
  children,
  ...table
}: ListProps<Row>) {
  const path = usePath()
  const hasFilters = Object.keys(filtered.filters).length > 0
  return (
    <>
      {(hasFilters || exports || afterFilters) && (
        <FilterRow filtered={filtered} saved={saved}>
          {exports && <ExportCsv list={exports} asked={exported} />}
          {afterFilters}
        </FilterRow>
      )}
      {children}
      <DataTable
        {...table}
        rowKey={rowKey}
        caption={caption}
        list={query}
        paging={paging}
        {...(rowPath && { rowHref: (row: Row) => path(...rowPath(row)) + rowQuery })}
        empty={
          goesOn ? (
            <Empty title="No matches so far">Select Older to search further back.</Empty>
          ) : filtered.isFiltered || !paging.isFirst ? (
            <Empty title={`No matching ${things}`}>{noMatch}</Empty>
          ) : (
            empty
          )
        }
      />
      {goesOn && query.data!.data.length > 0 && (
        <p className="mt-3 text-[13px] text-muted">
          Older {things} are not searched yet. Select Older to search further back.
        </p>
      )}
    </>
  )
}

export function ListPage<Row, State extends string = string>({
  title,
  caption = title,
  heading = title,
  description,
  actions,
  exports,
  above,
  tabs,
  ...list
}: Omit<ListProps<Row>, "caption"> & {
  title: string
  caption?: string
  heading?: string
  description: ReactNode
  actions?: ReactNode
  above?: ReactNode
  /** For a list that is split by state. */
  tabs?: StateTabsProps<State>
}) {
  const content = <List caption={caption} {...list} />
  return (
    <>
      <PageHeader
        title={title}
        heading={heading}
        description={description}
        // Others may get an action once it is known.
        hasIcon={exports !== undefined && actions === undefined}
        actions={
          (exports || actions) && (
            <>
              {exports && <ExportCsv list={exports} asked={list.list.exported} />}
              {actions}
            </>
          )
        }
      />
      {above}
      {tabs ? <StateTabs {...tabs}>{content}</StateTabs> : content}
    </>
  )
}
