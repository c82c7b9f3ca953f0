import { To } from "#app/(dashboard)/workspace.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { isAddress } from "#shared/address.ts"
import { type Event, type Names, subjectOf } from "./subject.ts"

/** The column of what an event is about, in lists of rows that each have an event. */
export const aboutColumn = <Row,>(eventOf: (row: Row) => Event, names: Names): Column<Row> => ({
  header: "About",
  breaks: true,
  className: "lg:min-w-56",
  cell: (row) => {
    const { words } = subjectOf(eventOf(row), names)
    return isAddress(words) ? <Shortened value={words} /> : words
  },
  note: (row) => <code className="font-mono max-md:hidden">{subjectOf(eventOf(row), names).id}</code>,
})

/** What an event is about, with a link to its page. */
export function About({ event, names }: { event: Event; names: Names }) {
  const { words, id, parts } = subjectOf(event, names)
  return (
    <>
      {parts === null ? (
        <Copyable compact value={words} what="the wallet" />
      ) : (
        <To path={parts} className="rounded-sm text-accent underline underline-offset-2 wrap-anywhere">
          {words}
        </To>
      )}
      {id && <code className="block font-mono text-xs text-muted wrap-anywhere">{id}</code>}
    </>
  )
}
