import { parseAsString, useQueryState } from "nuqs"
import { useEffect } from "react"
import { Button } from "./ui/button.tsx"

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

/** For a list that is not ordered by time. */
export const PREVIOUS_NEXT: PageNames = { back: "Previous", on: "Next" }

type PagesProps = {
  paging: Cursor
  next: string | null
  caption: string
  names: PageNames
  onTurn: () => void
}

/** Buttons to the previous and next page. Shows nothing if there is only one. */
export function Pages({ paging, next, caption, names, onTurn }: PagesProps) {
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
