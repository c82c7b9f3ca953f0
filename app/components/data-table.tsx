import { clsx } from "clsx"
import { useRouter } from "next/navigation.js"
import { Fragment, type MouseEvent, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { Failed, Skeleton } from "./frame.tsx"
import { Link } from "./link.tsx"
import { type Cursor, type PageNames, Pages } from "./paging.tsx"
import type { Selection } from "./selection.tsx"
import { type Sort, SortButton } from "./sort-button.tsx"
import "./data-table.css"

export type Column<Row> = {
  /** Unique in its table. */
  header: string
  cell: (row: Row) => ReactNode
  /** Smaller, below the cell. On a phone, on the second line. */
  note?: (row: Row) => ReactNode
  align?: "end"
  /** Its place on a phone. The first column leads, and the others are on the second line. */
  phone?: Place | ((row: Row) => Place)
  /** For text that users entered, which may be long and without spaces. It breaks between letters only if it must. */
  breaks?: boolean
  className?: string
  /** For controls that name themselves: screen readers read the header, and no one sees it. */
  unnamed?: boolean
  /** Makes the header a button that orders the list by this column. */
  sort?: Sort | undefined
  /** What the column adds up to over all pages. With the first column's, the table ends with a row of totals. */
  total?: ReactNode
}

/**
 * Where a cell is on a phone, on which a row has two lines. The first has the `lead` and, at its end, the `value`. The
 * second has the others, small: a `line` is clear without its header, and `labelled` puts the header before it. An
 * `end`, such as the status, is below the value. A `menu` is next to both lines, `buttons` are at the end of the second,
 * and `none` is only on the row's own page.
 */
type Place = "lead" | "value" | "line" | "labelled" | "end" | "menu" | "buttons" | "none"

export const actions = <Row,>(cell: Column<Row>["cell"], phone: Place = "menu"): Column<Row> => ({
  header: "Actions",
  align: "end",
  unnamed: true,
  phone,
  cell,
})

/** A list from the server, or a part of a query's result. */
type List<Row> = {
  data: { data: readonly Row[]; next_cursor?: string | null } | undefined
  error?: unknown
  /** Still the previous page, while another one loads. */
  isPlaceholderData?: boolean
  refetch?: () => unknown
}

const SKELETON_ROWS = 6

/**
 * A list with its loading, failed and empty states. With `rowHref` a click anywhere in a row opens it. The first cell
 * is the link for keyboards and screen readers, so it must not hold a control. On a phone, a row has two lines. On wider
 * screens, a table that does not fit scrolls.
 */
export function DataTable<Row>({
  caption,
  columns,
  list,
  rowKey,
  rowHref,
  groupOf,
  below,
  selection,
  empty,
  paging,
  total,
  pageNames = { back: "Newer", on: "Older" },
}: {
  /** Names the table for screen readers. */
  caption: string
  columns: Column<Row>[]
  list: List<Row>
  rowKey: (row: Row) => string
  rowHref?: (row: Row) => string
  /** The heading above a row and its neighbours with the same one. */
  groupOf?: ((row: Row) => string) | undefined
  /** Rows that belong to a row, from `sub-rows.tsx`. */
  below?: ((row: Row) => ReactNode) | undefined
  /** From `useSelection`. Undefined if rows cannot be selected. */
  selection?: Selection<Row> | undefined
  empty: ReactNode
  /** From `useCursor`. Without it there is one page. */
  paging?: Cursor
  /** The number of rows on all pages, if it is known. */
  total?: number | undefined
  /** Labels for a list that is not ordered by time. */
  pageNames?: PageNames | undefined
}) {
  const router = useRouter()
  const rows = list.data?.data
  const { region, isScrolling } = useScrolling()
  const top = useRef<HTMLDivElement>(null)

  function open(event: MouseEvent, href: string) {
    const target = event.target as HTMLElement
    if (target.closest("a, button, input, select, label, [popover]")) return
    // Selecting text in a row must not open it.
    if (window.getSelection()?.isCollapsed === false) return
    if (event.metaKey || event.ctrlKey) window.open(href, "_blank", "noopener")
    else router.push(href)
  }

  if (rows === undefined && list.error) {
    return (
      <div className={frame}>
        <Failed error={list.error} onRetry={list.refetch} />
      </div>
    )
  }
  return (
    <div ref={top} tabIndex={-1} className="scroll-mt-16">
      <div
        ref={region}
        {...(isScrolling && { role: "region", "aria-label": `Table: ${caption}`, tabIndex: 0 })}
        aria-busy={rows === undefined || list.isPlaceholderData === true}
        className={clsx(frame, "relative overflow-x-auto")}
      >
        <table {...roles.table} className="rows w-full border-collapse text-left text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead {...roles.group}>
            <tr {...roles.row} className="border-b border-line">
              {selection && (
                <th {...roles.header} data-phone="select" className="w-11 p-0 max-md:w-auto">
                  <selection.All selection={selection} rows={rows ?? []} rowKey={rowKey} />
                </th>
              )}
              {columns.map((column) => (
                <th
                  key={column.header}
                  {...roles.header}
                  {...(column.sort?.direction && { "aria-sort": column.sort.direction })}
                  data-phone={column.phone === "none" ? "none" : undefined}
                  className={clsx("h-9 px-4 text-xs font-medium whitespace-nowrap text-muted", lookOf(column))}
                >
                  {column.unnamed ? (
                    <span className="sr-only">{column.header}</span>
                  ) : column.sort ? (
                    <SortButton of={column} sort={column.sort} />
                  ) : (
                    column.header
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody
            {...roles.group}
            className={clsx("divide-y divide-line", list.isPlaceholderData && "opacity-60 transition-opacity")}
          >
            {rows === undefined
              ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
                  <tr key={row} {...roles.row}>
                    {selection && <td {...roles.cell} data-phone="select" />}
                    {columns.map((column, index) => (
                      <td
                        key={column.header}
                        {...roles.cell}
                        data-phone={placeOf(column, index)}
                        className={clsx("h-11 px-4 align-middle!", lookOf(column))}
                      >
                        <Skeleton
                          className={clsx("h-3.5 w-24 max-w-full rounded", column.align === "end" && "ml-auto")}
                        />
                      </td>
                    ))}
                  </tr>
                ))
              : rows.map((row, place) => {
                  const href = rowHref?.(row)
                  const key = rowKey(row)
                  const group = groupOf?.(row)
                  const before = rows[place - 1]
                  const isFirst = group !== undefined && (before === undefined || groupOf!(before) !== group)
                  return (
                    <Fragment key={key}>
                      {isFirst && (
                        <tr {...roles.row} data-group>
                          <th
                            {...roles.groupHeader}
                            colSpan={columns.length + (selection ? 1 : 0)}
                            className="block bg-sunken px-4 py-1.5 text-xs font-medium text-muted md:table-cell"
                          >
                            {group}
                          </th>
                        </tr>
                      )}
                      {/* The first cell is a link for the keyboard. */}
                      <tr
                        {...roles.row}
                        {...(href && { onClick: (event: MouseEvent) => open(event, href), "data-opens": true })}
                        className={clsx(
                          href && "cursor-pointer has-[[data-opener]:focus-visible]:bg-sunken",
                          selection?.chosen.has(key)
                            ? "bg-accent-soft/50 shadow-[inset_3px_0_0_var(--accent)]"
                            : href && "hover:bg-sunken",
                        )}
                      >
                        {selection && (
                          <td {...roles.cell} data-phone="select" className="p-0 align-middle">
                            <selection.One selection={selection} row={row} id={key} />
                          </td>
                        )}
                        {columns.map((column, index) => (
                          <Cell
                            key={column.header}
                            column={column}
                            row={row}
                            place={placeOf(column, index, row)}
                            href={index === 0 ? href : undefined}
                          />
                        ))}
                      </tr>
                      {below?.(row)}
                    </Fragment>
                  )
                })}
          </tbody>
          {rows && rows.length > 0 && columns[0]?.total && (
            <tfoot {...roles.group} className="border-t border-line font-medium">
              <tr {...roles.row}>
                {selection && <td {...roles.cell} data-phone="none" />}
                {columns.map((column, index) => (
                  <td
                    key={column.header}
                    {...(index === 0 ? { role: "rowheader" } : roles.cell)}
                    data-phone={column.total ? placeOf(column, index) : "none"}
                    data-label={column.header}
                    className={clsx("h-11 px-4 py-1.5 align-middle!", lookOf(column))}
                  >
                    {column.total}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
        {rows?.length === 0 && empty}
      </div>
      <p role="status" className="sr-only">
        {rows === undefined ? `Loading ${caption.toLowerCase()}` : ""}
      </p>
      {paging && (
        <Pages
          paging={paging}
          next={list.data?.next_cursor ?? null}
          caption={caption}
          names={pageNames}
          rows={rows?.length ?? 0}
          total={list.isPlaceholderData ? undefined : total}
          // Readers start the new page at its top, and the pressed button may be disabled there.
          onTurn={() => {
            top.current?.focus({ preventScroll: true })
            top.current?.scrollIntoView({ block: "start" })
          }}
        />
      )}
    </div>
  )
}

type CellProps<Row> = { column: Column<Row>; row: Row; place: Place; href: string | undefined }

export function Cell<Row>({ column, row, place, href }: CellProps<Row>) {
  const note = column.note?.(row)
  const content = column.cell(row)
  const main = href ? (
    <Link href={href} prefetch={false} data-opener className="rounded-sm hover:underline md:font-medium">
      {content}
    </Link>
  ) : (
    content
  )
  const isSplit = note && (place === "lead" || place === "value")
  return (
    <td
      {...roles.cell}
      data-phone={isSplit ? "both" : place}
      data-label={column.header}
      className={clsx("h-11 px-4 py-1.5 align-middle", lookOf(column))}
    >
      {isSplit ? <span data-phone={place}>{main}</span> : main}
      {note && (
        <span data-phone={isSplit ? "line" : undefined} className="block text-xs text-muted">
          {note}
        </span>
      )}
    </td>
  )
}

const frame = "rounded-xl border border-line bg-surface"

/** Browsers drop the roles of a table whose parts are not displayed as such, as on a phone. */
export const roles = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  header: { role: "columnheader", scope: "col" },
  groupHeader: { role: "rowheader", scope: "rowgroup" },
  cell: { role: "cell" },
} as const

export function placeOf<Row>({ phone }: Column<Row>, index: number, row?: Row): Place {
  const place = typeof phone === "function" ? row && phone(row) : phone
  return place ?? (index === 0 ? "lead" : "line")
}

const lookOf = ({ align, breaks, className }: Column<never>) =>
  clsx(align === "end" && "text-right", breaks ? "wrap-anywhere md:min-w-28" : "wrap-break-word", className)

/**
 * Attributes for a region that may scroll. Only one that does gets a tab stop. No frame shows a wrong state: new rows
 * are measured before they are drawn, and a new size in the frame that draws it.
 */
function useScrolling() {
  const [isScrolling, setScrolling] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (element.current) setScrolling(isTooWide(element.current))
  })
  const region = useCallback((found: HTMLDivElement) => {
    element.current = found
    // Synchronously: React's own schedule may come after the frame.
    const observer = new ResizeObserver(() => flushSync(() => setScrolling(isTooWide(found))))
    observer.observe(found)
    for (const child of found.children) observer.observe(child)
    return () => {
      observer.disconnect()
      element.current = null
    }
  }, [])
  return { region, isScrolling }
}

const isTooWide = ({ scrollWidth, clientWidth }: HTMLElement): boolean => scrollWidth > clientWidth
