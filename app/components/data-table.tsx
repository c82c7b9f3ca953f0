"use client"

import {
  type ColumnDef,
  createColumnHelper,
  FlexRender,
  type RowData,
  tableFeatures,
  useTable,
} from "@tanstack/react-table"
import { clsx } from "clsx"
import { useRouter } from "next/navigation.js"
import { type MouseEvent, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { Link } from "./link.tsx"
import { type Cursor, type PageNames, Pages } from "./paging.tsx"
import type { Selection } from "./selection.tsx"
import { Failed, Skeleton } from "./states.tsx"

// The server sorts, filters and pages, so the table needs only rows and columns.
const features = tableFeatures({
  columnMeta: {} as {
    /** Numbers are aligned at the end. */
    align?: "end"
    /** Hidden on narrow screens. The row's own page still shows it. */
    wideOnly?: boolean
    /** For text that users entered, which may be long and without spaces. It breaks between letters only if it must. */
    breaks?: boolean
    /** Stays visible when a narrow screen scrolls the table. For the row's actions. */
    stays?: boolean
    className?: string
  },
})

// biome-ignore lint/suspicious/noExplicitAny: the columns of a table hold values of many types
export type Column<Row extends RowData> = ColumnDef<typeof features, Row, any>

/**
 * Makes the columns of a table: `const column = columnsOf<Row>()`, then `column.accessor(…)` and `column.display(…)`.
 */
export const columnsOf = <Row extends RowData>() => createColumnHelper<typeof features, Row>()

/** A list from the server, or a part of a query's result. */
export type List<Row> = {
  data: { data: readonly Row[]; next_cursor?: string | null } | undefined
  error?: unknown
  /** Still the previous page, while another one loads. */
  isPlaceholderData?: boolean
  refetch?: () => unknown
}

const SKELETON_ROWS = 6

/**
 * A list with its loading, failed and empty states. With `rowHref` a click anywhere in a row opens it. The first cell
 * is the link for keyboards and screen readers, so it must not hold a control. A table wider than the screen scrolls.
 */
export function DataTable<Row extends RowData>({
  caption,
  columns,
  list,
  rowKey,
  rowHref,
  selection,
  empty,
  paging,
  pageNames = { back: "Newer", on: "Older" },
  className,
}: {
  /** Names the table for screen readers. */
  caption: string
  /** Must be the same array at every render: made outside the component, or by `useMemo`. */
  columns: Column<Row>[]
  list: List<Row>
  rowKey: (row: Row) => string
  rowHref?: (row: Row) => string
  /** From `useSelection`. Undefined if rows cannot be selected. */
  selection?: Selection<Row> | undefined
  empty: ReactNode
  /** From `useCursor`. Without it there is one page. */
  paging?: Cursor
  /** Labels for a list that is not ordered by time. */
  pageNames?: PageNames
  className?: string
}) {
  const router = useRouter()
  const rows = list.data?.data
  const table = useTable({
    features,
    columns,
    data: (rows ?? NONE) as readonly Row[],
    getRowId: rowKey,
  })
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
      <div className={clsx(frame, className)}>
        <Failed error={list.error} onRetry={list.refetch} />
      </div>
    )
  }
  return (
    <div ref={top} tabIndex={-1} className={clsx("scroll-mt-16", className)}>
      <div
        ref={region}
        {...(isScrolling && { role: "region", "aria-label": `Table: ${caption}`, tabIndex: 0 })}
        aria-busy={rows === undefined || list.isPlaceholderData === true}
        className={clsx(frame, "relative overflow-x-auto")}
      >
        <table className="w-full border-collapse text-left text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id} className="border-b border-line">
                {selection && (
                  <th scope="col" className="w-11 p-0">
                    <selection.All selection={selection} rows={rows ?? NONE} rowKey={rowKey} />
                  </th>
                )}
                {group.headers.map((header) => (
                  <th
                    key={header.id}
                    scope="col"
                    className={clsx(
                      "h-9 px-4 text-xs font-medium whitespace-nowrap text-muted",
                      lookOf(header.column.columnDef.meta),
                    )}
                  >
                    <FlexRender header={header} />
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody className={clsx("divide-y divide-line", list.isPlaceholderData && "opacity-60 transition-opacity")}>
            {rows === undefined
              ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
                  <tr key={row}>
                    {selection && <td />}
                    {table.getAllLeafColumns().map((column) => (
                      <td key={column.id} className={clsx("h-11 px-4", lookOf(column.columnDef.meta))}>
                        <Skeleton
                          className={clsx(
                            "h-3.5 w-24 max-w-full rounded",
                            column.columnDef.meta?.align === "end" && "ml-auto",
                          )}
                        />
                      </td>
                    ))}
                  </tr>
                ))
              : table.getRowModel().rows.map((row) => {
                  const href = rowHref?.(row.original)
                  return (
                    // The first cell is a link for the keyboard.
                    <tr
                      key={row.id}
                      {...(href && { onClick: (event: MouseEvent) => open(event, href) })}
                      className={clsx(
                        href && "cursor-pointer",
                        selection?.chosen.has(row.id) ? "bg-accent-soft" : href && "hover:bg-sunken",
                      )}
                    >
                      {selection && (
                        <td className="p-0 align-middle">
                          <selection.One selection={selection} row={row.original} id={row.id} />
                        </td>
                      )}
                      {row.getAllCells().map((cell, index) => (
                        <td
                          key={cell.id}
                          className={clsx("h-11 px-4 py-1.5 align-middle", lookOf(cell.column.columnDef.meta))}
                        >
                          {href && index === 0 ? (
                            <Link href={href} prefetch={false} className="rounded-sm font-medium hover:underline">
                              <FlexRender cell={cell} />
                            </Link>
                          ) : (
                            <FlexRender cell={cell} />
                          )}
                        </td>
                      ))}
                    </tr>
                  )
                })}
          </tbody>
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

const NONE: never[] = []
const frame = "rounded-xl border border-line bg-surface"

type Meta = NonNullable<(typeof features)["columnMeta"]>

const lookOf = (meta: Meta | undefined) =>
  clsx(
    meta?.align === "end" && "text-right",
    meta?.wideOnly && "max-md:hidden",
    meta?.stays && "max-md:sticky max-md:right-0 max-md:border-l max-md:border-line max-md:bg-surface max-md:px-2",
    meta?.breaks ? "min-w-28 wrap-anywhere" : "wrap-break-word",
    meta?.className,
  )

/**
 * Attributes for a region that may scroll. Only one that does gets a tab stop. No frame shows a wrong state: new rows are
 * measured before they are drawn, and a new size in the frame that draws it.
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
