import { parseAsString, useQueryState } from "nuqs"
import { useEffect } from "react"
import { grouped } from "#shared/amount.ts"
import { Button } from "./ui/button.tsx"

export type Cursor = {
  /** The cursor to ask the server for. Undefined means the first page. */
  cursor: string | undefined
  isFirst: boolean
  /** How many rows are on the pages before. Undefined if the address does not say. */
  before: number | undefined
  older: (next: string, before: number | undefined) => void
  newer: () => void
}

/**
 * Moves through the pages of a list. The cursor is in the address, so that Back returns to the same page. `of`
 * identifies the list with its filters: a different one starts at its first page.
 */
export function useCursor(of: string): Cursor {
  const [place, setPlace] = useQueryState("after", parseAsString)
  const name = shortName(of)
  const [list, cursor, before] = place?.split(".") ?? []
  const isHere = list === name
  useEffect(() => {
    if (place !== null && !isHere) void setPlace(null)
  }, [place, isHere, setPlace])
  const go = (to: string | null) => void setPlace(to, { history: "push" })
  return {
    cursor: isHere ? cursor : undefined,
    isFirst: !isHere,
    before: isHere ? countIn(before) : 0,
    older: (next, before) => {
      const to = [name, next, ...(before === undefined ? [] : [before])].join(".")
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

const countIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined

export type PageNames = { back: string; on: string }

/** For a list that is not ordered by time. */
export const PREVIOUS_NEXT: PageNames = { back: "Previous", on: "Next" }

type PagesProps = {
  paging: Cursor
  next: string | null
  caption: string
  names: PageNames
  /** The rows of this page. */
  rows: number
  /** The rows of all pages, if that is known. */
  total: number | undefined
  onTurn: () => void
}

/** Buttons to the previous and next page. Shows nothing if there is only one. */
export function Pages({ paging, next, caption, names, rows, total, onTurn }: PagesProps) {
  if (paging.isFirst && next === null) return null
  const { before } = paging
  const turn = (go: () => void) => () => {
    go()
    onTurn()
  }
  return (
    <nav aria-label={`Pages of ${caption.toLowerCase()}`} className="mt-3 flex items-center justify-end gap-2">
      {total !== undefined && before !== undefined && rows > 0 && (
        <p className="mr-auto text-[13px] text-muted">{rangeOf({ before, rows, total })}</p>
      )}
      <Button size="sm" disabled={paging.isFirst} onClick={turn(paging.newer)}>
        {names.back}
      </Button>
      <Button
        size="sm"
        disabled={next === null}
        onClick={turn(() => next !== null && paging.older(next, before === undefined ? undefined : before + rows))}
      >
        {names.on}
      </Button>
    </nav>
  )
}

/** Which rows of a list a page shows: "21–39 of 39". A row that was added since the count raises it. */
function rangeOf({ before, rows, total }: { before: number; rows: number; total: number }): string {
  const [first, last, all] = [before + 1, before + rows, Math.max(total, before + rows)].map((n) => grouped(String(n)))
  return `${first === last ? first : `${first}–${last}`} of ${all}`
}
