import { clsx } from "clsx"
import { useRouter } from "next/navigation.js"
import { parseAsString, useQueryState } from "nuqs"
import { type MouseEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { Failed, Skeleton } from "./frame.tsx"
import { Link } from "./link.tsx"
import type { Selection } from "./selection.tsx"
import { Button } from "./ui/button.tsx"

export type Column<Row> = {
  /** Unique in its table. */
  header: string
  cell: (row: Row) => ReactNode
  /** Smaller, below a cell that is a block. */
  note?: (row: Row) => ReactNode
  align?: "end"
  /** Hidden on narrow screens. The row's own page still shows it. */
  wideOnly?: boolean
  /** For text that users entered, which may be long and without spaces. It breaks between letters only if it must. */
  breaks?: boolean
  className?: string
  /** For the row's actions: stays visible when a narrow screen scrolls the table, and needs no visible header. */
  stays?: boolean
}

export const actions = <Row,>(cell: Column<Row>["cell"]): Column<Row> => ({
  header: "Actions",
  align: "end",
  stays: true,
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
 * is the link for keyboards and screen readers, so it must not hold a control. A table wider than the screen scrolls.
 */
export function DataTable<Row>({
  caption,
  columns,
  list,
  rowKey,
  rowHref,
  selection,
  empty,
  paging,
  pageNames = { back: "Newer", on: "Older" },
}: {
  /** Names the table for screen readers. */
  caption: string
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
        <table className="w-full border-collapse text-left text-sm">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b border-line">
              {selection && (
                <th scope="col" className="w-11 p-0">
                  <selection.All selection={selection} rows={rows ?? []} rowKey={rowKey} />
                </th>
              )}
              {columns.map((column) => (
                <th
                  key={column.header}
                  scope="col"
                  className={clsx("h-9 px-4 text-xs font-medium whitespace-nowrap text-muted", lookOf(column))}
                >
                  {column.stays ? <span className="sr-only">{column.header}</span> : column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className={clsx("divide-y divide-line", list.isPlaceholderData && "opacity-60 transition-opacity")}>
            {rows === undefined
              ? Array.from({ length: SKELETON_ROWS }, (_, row) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
                  <tr key={row}>
                    {selection && <td />}
                    {columns.map((column) => (
                      <td key={column.header} className={clsx("h-11 px-4", lookOf(column))}>
                        <Skeleton
                          className={clsx("h-3.5 w-24 max-w-full rounded", column.align === "end" && "ml-auto")}
                        />
                      </td>
                    ))}
                  </tr>
                ))
              : rows.map((row) => {
                  const href = rowHref?.(row)
                  const key = rowKey(row)
                  return (
                    // The first cell is a link for the keyboard.
                    <tr
                      key={key}
                      {...(href && { onClick: (event: MouseEvent) => open(event, href) })}
                      className={clsx(
                        href && "cursor-pointer",
                        selection?.chosen.has(key) ? "bg-accent-soft" : href && "hover:bg-sunken",
                      )}
                    >
                      {selection && (
                        <td className="p-0 align-middle">
                          <selection.One selection={selection} row={row} id={key} />
                        </td>
                      )}
                      {columns.map((column, index) => (
                        <td key={column.header} className={clsx("h-11 px-4 py-1.5 align-middle", lookOf(column))}>
                          {href && index === 0 ? (
                            <Link href={href} prefetch={false} className="rounded-sm font-medium hover:underline">
                              <Cell column={column} row={row} />
                            </Link>
                          ) : (
                            <Cell column={column} row={row} />
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

function Cell<Row>({ column: { cell, note }, row }: { column: Column<Row>; row: Row }) {
  const below = note?.(row)
  return (
    <>
      {cell(row)}
      {below && <span className="text-xs text-muted">{below}</span>}
    </>
  )
}

const frame = "rounded-xl border border-line bg-surface"

const lookOf = ({ align, wideOnly, stays, breaks, className }: Column<never>) =>
  clsx(
    align === "end" && "text-right",
    wideOnly && "max-md:hidden",
    stays && "max-md:sticky max-md:right-0 max-md:border-l max-md:border-line max-md:bg-surface max-md:px-2",
    breaks ? "min-w-28 wrap-anywhere" : "wrap-break-word",
    className,
  )

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

export type Cursor = {
  /** The cursor to ask the server for. Undefined means the first page. */
  cursor: string | undefined
  isFirst: boolean
  older: (next: string) => void
  newer: () => void
}

/**
 * Moves through the pages of a list. The cursor is in the address, so that Back returns to the same page. `of`
 * identifies the list with its filters: a different one starts at its first page.
 */
export function useCursor(of: string): Cursor {
  const [place, setPlace] = useQueryState("after", parseAsString)
  const name = shortName(of)
  const [list, cursor] = place?.split(".") ?? []
  const isHere = list === name
  useEffect(() => {
    if (place !== null && !isHere) void setPlace(null)
  }, [place, isHere, setPlace])
  const go = (to: string | null) => void setPlace(to, { history: "push" })
  return {
    cursor: isHere ? cursor : undefined,
    isFirst: !isHere,
    older: (next) => {
      const to = `${name}.${next}`
      cameFrom.set(to, isHere ? place : null)
      go(to)
    },
    newer: () => go(cameFrom.get(place!) ?? null),
  }
}

/** Each cursor → the previous one. After opening a URL directly, back leads to the first page. */
const cameFrom = new Map<string, string | null>()

const shortName = (text: string): string =>
  [...text].reduce((hash, sign) => (Math.imul(hash, 31) + sign.codePointAt(0)!) >>> 0, 7).toString(36)

export type PageNames = { back: string; on: string }

type PagesProps = {
  paging: Cursor
  next: string | null
  caption: string
  names: PageNames
  onTurn: () => void
}

/** Buttons to the previous and next page. Shows nothing if there is only one. */
function Pages({ paging, next, caption, names, onTurn }: PagesProps) {
  if (paging.isFirst && next === null) return null
  const turn = (go: () => void) => () => {
    go()
    onTurn()
  }
  return (
    <nav aria-label={`Pages of ${caption.toLowerCase()}`} className="mt-3 flex justify-end gap-2">
      <Button size="sm" disabled={paging.isFirst} onClick={turn(paging.newer)}>
        {names.back}
      </Button>
      <Button size="sm" disabled={next === null} onClick={turn(() => next !== null && paging.older(next))}>
        {names.on}
      </Button>
    </nav>
  )
}
