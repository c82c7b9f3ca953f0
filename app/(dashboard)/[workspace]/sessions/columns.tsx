import type { Filtered } from "#app/(dashboard)/filters.tsx"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { byTime } from "#app/(dashboard)/sort.ts"
import { Shortened } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { shownName } from "#shared/visible.ts"
import type { Session } from "./progress.ts"
import { SessionActions } from "./session-actions.tsx"
import type { Doing } from "./session-dialogs.tsx"
import { LastStep, SessionState, showsStep } from "./session-state.tsx"

export const columnsFor = (
  state: "open" | "closed",
  filtered: Filtered,
  act: (doing: Doing) => void,
): Column<Session>[] => [
  {
    header: "Investor",
    breaks: true,
    cell: ({ external_id, user_pubkey }) => (
      <span className="block min-w-32">
        {external_id === null ? <Shortened value={user_pubkey} /> : shownName(external_id)}
      </span>
    ),
    note: ({ external_id, user_pubkey }) => external_id !== null && <Shortened value={user_pubkey} />,
  },
  {
    header: "State",
    phone: "value",
    cell: (row) => <SessionState session={row} />,
    note: (row) => showsStep(row) && <LastStep session={row} />,
  },
  { header: "Schema", phone: "none", className: "md:min-w-40", cell: ({ schema }) => <SchemaName id={schema} /> },
  { header: "Started", phone: "none", sort: byTime(filtered), cell: ({ started_at }) => <Ago at={started_at} /> },
  state === "open"
    ? { header: "Link expires", phone: "none", cell: ({ open_until }) => <Ago at={open_until} /> }
    : { header: "Closed", cell: ({ closed_at }) => <Ago at={closed_at} /> },
  actions((row) => <SessionActions session={row} act={act} isInList />),
]
