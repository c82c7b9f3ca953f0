import { useMemo, useState } from "react"
import { Checkbox } from "./ui/input.tsx"

/** The selected rows of a list. It includes the cells, so that lists without selection need not load them. */
export type Selection<Row> = {
  chosen: ReadonlyMap<string, Row>
  change: (chosen: ReadonlyMap<string, Row>) => void
  All: typeof SelectAll
  One: typeof SelectRow
  nameOf: (row: Row) => string
  /** Why a row cannot be selected. Null if it can. */
  refusal: (row: Row) => string | null
}

/** Keeps the selection of a list until a different one is shown. `of` identifies the list with its filters. */
export function useSelection<Row>(
  of: string,
  { nameOf, refusal }: Pick<Selection<Row>, "nameOf" | "refusal">,
): Selection<Row> {
  const [kept, setKept] = useState<{ of: string; chosen: ReadonlyMap<string, Row> }>({ of, chosen: new Map() })
  // Another filter hides rows, and an action must not affect hidden rows.
  const chosen = useMemo(() => (kept.of === of ? kept.chosen : new Map<string, Row>()), [kept, of])
  return {
    chosen,
    change: (chosen) => setKept({ of, chosen }),
    All: SelectAll,
    One: SelectRow,
    nameOf,
    refusal,
  }
}

type SelectAllProps<Row> = { selection: Selection<Row>; rows: readonly Row[]; rowKey: (row: Row) => string }

function SelectAll<Row>({ selection: { chosen, change, refusal }, rows, rowKey }: SelectAllProps<Row>) {
  const open = rows.filter((row) => refusal(row) === null)
  const count = open.filter((row) => chosen.has(rowKey(row))).length
  const isAll = open.length > 0 && count === open.length
  function toggle() {
    const next = new Map(chosen)
    for (const row of open) isAll ? next.delete(rowKey(row)) : next.set(rowKey(row), row)
    change(next)
  }
  return (
    <Place>
      <Checkbox
        aria-label="Select all on this page"
        disabled={open.length === 0}
        checked={isAll}
        partly={count > 0 && !isAll}
        onChange={toggle}
      />
    </Place>
  )
}

type SelectRowProps<Row> = { selection: Selection<Row>; row: Row; id: string }

function SelectRow<Row>({ selection: { chosen, change, nameOf, refusal }, row, id }: SelectRowProps<Row>) {
  const refused = refusal(row)
  function toggle() {
    const next = new Map(chosen)
    if (!next.delete(id)) next.set(id, row)
    change(next)
  }
  return (
    <Place title={refused ?? undefined}>
      <Checkbox
        aria-label={refused === null ? `Select ${nameOf(row)}` : `${nameOf(row)}: ${refused}`}
        disabled={refused !== null}
        checked={chosen.has(id)}
        onChange={toggle}
      />
    </Place>
  )
}

/** Makes the whole cell clickable, not only the box. */
const Place = ({ title, children }: { title?: string | undefined; children: React.ReactNode }) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control, and has its own name
  <label className="flex h-11 w-11 cursor-pointer items-center justify-center pl-2" title={title}>
    {children}
  </label>
)
