import { type ReactNode, useRef } from "react"
import { MOST_MATCHING } from "#shared/bulk.ts"
import { shortCount } from "#shared/counts.ts"
import type { Selection } from "./selection.tsx"
import { Button } from "./ui/button.tsx"

/** Floats over the end of a list, so that no row moves. */
const floating =
  "sticky bottom-3 z-10 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line bg-surface py-2 pr-2 pl-4 shadow-card"

type SelectionBarProps<Row> = {
  /** Names the region, such as "Selected reviews". */
  label: string
  selection: Selection<Row>
  /** How many rows match the filters, once counted. Undefined while all of them may be on the page. */
  matching: { count: number; isTooMany: boolean; upTo: string | null } | undefined
  /** The most rows that can be selected one by one. */
  most: number
  children: ReactNode
}

/** The number of selected rows, the offer to select all that match the filters, and the actions in `children`. */
export function SelectionBar<Row>({ label, selection, matching, most, children }: SelectionBarProps<Row>) {
  const { chosen, allMatching, change, selectMatching } = selection
  const bar = useRef<HTMLElement>(null)
  const count = allMatching ?? chosen.size
  const figure = (count: number) => shortCount({ count, atLeast: false })
  return (
    <section ref={bar} tabIndex={-1} aria-label={label} className={floating}>
      <p role="status" className="text-sm font-medium tabular-nums">
        {allMatching === null ? `${figure(count)} selected` : `All ${figure(count)} matching selected`}
        {isTooMany(selection, most) && <span className="ml-2 font-normal text-danger">{most} at most at a time</span>}
        {allMatching === null && matching?.isTooMany && (
          <span className="ml-2 font-normal text-muted">
            More than {figure(MOST_MATCHING)} match. Narrow the filters to select all of them.
          </span>
        )}
      </p>
      {allMatching === null && matching && !matching.isTooMany && matching.count > chosen.size && (
        <Button
          variant="link"
          className="text-sm!"
          onClick={() => {
            selectMatching(matching.count, matching.upTo)
            // The pressed button disappears.
            bar.current?.focus()
          }}
        >
          Select all {figure(matching.count)} matching
        </Button>
      )}
      {children}
      <Button variant="ghost" size="sm" onClick={() => change(new Map())}>
        Clear selection
      </Button>
    </section>
  )
}

export const isTooMany = <Row,>({ allMatching, chosen }: Selection<Row>, most: number): boolean =>
  allMatching === null && chosen.size > most

type LeftOutProps = { text: string; rows: readonly { key: string; content: ReactNode }[]; onDismiss: () => void }

/** Names the rows that an action left out, until the reader has seen them. */
export const LeftOut = ({ text, rows, onDismiss }: LeftOutProps) => (
  <div role="status">
    {rows.length > 0 && (
      <div className={floating}>
        <p className="max-h-40 min-w-0 overflow-y-auto text-sm">
          {text}{" "}
          {rows.map(({ key, content }, n) => (
            <span key={key} className="wrap-anywhere">
              {n > 0 && ", "}
              {content}
            </span>
          ))}
        </p>
        <Button variant="ghost" size="sm" onClick={onDismiss}>
          Dismiss
        </Button>
      </div>
    )}
  </div>
)
