import { clsx } from "clsx"
import { useMemo, useState } from "react"
import { Checkbox } from "./ui/input.tsx"

/** The selected rows of a list. It includes the cells, so that lists without selection need not load them. */
export type Selection<Row> = {
  chosen: ReadonlyMap<string, Row>
  /** How many rows the server counted when all that match the filters were selected. Null if rows were selected one by one. */
  allMatching: number | null
  /** Selects these rows, and no others. */
  change: (chosen: ReadonlyMap<string, Row>) => void
  /** Selects all rows that match the filters, also those on other pages. */
  selectMatching: (count: number, upTo: string | null) => void
  /**
   * The newest row when all that match were counted, as the server's cursor. Null if rows were selected one by one, and in
   * lists that get no new rows.
   */
  upTo: string | null
  /** Whether a row was there when all that match were counted. */
  isCounted: (id: string) => boolean
  All: typeof SelectAll
  One: typeof SelectRow
  nameOf: (row: Row) => string
  /** Why a row cannot be selected. Null if it can. */
  refusal: (row: Row) => string | null
}

type Kept<Row> = { of: string } & Pick<Selection<Row>, "chosen" | "allMatching" | "upTo">

/** Keeps the selection of a list until a different one is shown. `of` identifies the list with its filters. */
export function useSelection<Row>(
  of: string,
  { nameOf, refusal }: Pick<Selection<Row>, "nameOf" | "refusal">,
): Selection<Row> {
  const [kept, setKept] = useState<Kept<Row>>({ of, chosen: new Map(), allMatching: null, upTo: null })
  // Another filter hides rows, and an action must not affect hidden rows.
  const isKept = kept.of === of
  const chosen = useMemo(() => (isKept ? kept.chosen : new Map<string, Row>()), [kept, isKept])
  return {
    chosen,
    allMatching: isKept ? kept.allMatching : null,
    upTo: isKept ? kept.upTo : null,
    isCounted: () => true,
    change: (chosen) => setKept({ of, chosen, allMatching: null, upTo: null }),
    selectMatching: (allMatching, upTo) => setKept({ of, chosen, allMatching, upTo }),
    All: SelectAll,
    One: SelectRow,
    nameOf,
    refusal,
  }
}

type Pages<Row> = {
  query: { data: { data: readonly Row[]; next_cursor?: string | null } | undefined }
  paging: { isFirst: boolean }
}

/** What the server's answer about the rows of a page is asked with: nothing unless all that match are selected. */
export const upToOf = <Row,>({ upTo }: Selection<Row>, ids: string[]) =>
  [
    { ids, up_to: upTo ?? "" },
    { enabled: upTo !== null && ids.length > 0, keep: true },
  ] as const

/** The selection with the server's answer. Rows that came later are shown as not selected. */
export const counted = <Row,>(
  selection: Selection<Row>,
  answer: { data: readonly string[] } | undefined,
): Selection<Row> => ({
  ...selection,
  // At first, the rows that were selected one by one, so that their boxes do not blink.
  isCounted: (id) => (answer ? answer.data.includes(id) : selection.chosen.has(id)),
})

/** Whether all rows of the page that can be selected are, and the list has other pages. */
export function isPageChosen<Row>(
  { chosen, refusal }: Selection<Row>,
  { query: { data }, paging }: Pages<Row>,
  rowKey: (row: Row) => string,
): boolean {
  const open = data?.data.filter((row) => refusal(row) === null) ?? []
  const isOnlyPage = paging.isFirst && !data?.next_cursor
  return !isOnlyPage && open.length > 0 && open.every((row) => chosen.has(rowKey(row)))
}

type SelectAllProps<Row> = { selection: Selection<Row>; rows: readonly Row[]; rowKey: (row: Row) => string }

function SelectAll<Row>({ selection, rows, rowKey }: SelectAllProps<Row>) {
  const { chosen, allMatching, change, refusal, isCounted } = selection
  const open = rows.filter((row) => refusal(row) === null)
  const isSelected = (id: string) => (allMatching === null ? chosen.has(id) : isCounted(id))
  const count = open.filter((row) => isSelected(rowKey(row))).length
  const isAll = open.length > 0 && count === open.length
  function toggle() {
    if (allMatching !== null) return change(new Map())
    const next = new Map(chosen)
    for (const row of open) isAll ? next.delete(rowKey(row)) : next.set(rowKey(row), row)
    change(next)
  }
  return (
    <Place className="max-md:w-auto max-md:justify-start max-md:gap-3 max-md:pr-4 max-md:pl-4.5">
      <Checkbox
        aria-label="Select all on this page"
        disabled={open.length === 0}
        checked={isAll}
        partly={count > 0 && !isAll}
        onChange={toggle}
      />
      <span aria-hidden="true" className="text-[13px] font-normal whitespace-nowrap text-muted md:hidden">
        Select all
      </span>
    </Place>
  )
}

const CAME_LATER = "not selected, because it came after you selected all matching rows"

type SelectRowProps<Row> = { selection: Selection<Row>; row: Row; id: string }

function SelectRow<Row>({ selection, row, id }: SelectRowProps<Row>) {
  const { chosen, allMatching, change, nameOf, refusal, isCounted } = selection
  const refused = refusal(row) ?? (allMatching === null || isCounted(id) ? null : CAME_LATER)
  function toggle() {
    const next = new Map(chosen)
    // While all that match are selected, a click can only clear the row, also on another page.
    if (!next.delete(id) && allMatching === null) next.set(id, row)
    change(next)
  }
  return (
    <Place title={refused ?? undefined}>
      <Checkbox
        aria-label={refused === null ? `Select ${nameOf(row)}` : `${nameOf(row)}: ${refused}`}
        disabled={refused !== null}
        checked={refused === null && (allMatching !== null || chosen.has(id))}
        onChange={toggle}
      />
    </Place>
  )
}

type PlaceProps = { title?: string | undefined; className?: string; children: React.ReactNode }

/** Makes the whole cell clickable, not only the box. */
const Place = ({ title, className, children }: PlaceProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control, and has its own name
  <label className={clsx("flex h-11 w-11 cursor-pointer items-center justify-center pl-2", className)} title={title}>
    {children}
  </label>
)
