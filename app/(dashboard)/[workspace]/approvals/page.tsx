"use client"

import { choice, person } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { approvalActions, approvalStates, requestedActions } from "#shared/approvals.ts"
import { type Names, requesterOf, summaryOf } from "./summary.ts"
import { useNames } from "./use-names.ts"

type Approval = RouterOutputs["approval"]["list"]["data"][number]

const filters = {
  q: person,
  state: choice(
    "State",
    "All",
    approvalStates.map((state) => [state, statusWord(state)]),
  ),
  action: choice(
    "Action",
    "All",
    requestedActions.map((action) => [action, approvalActions[action]]),
  ),
}

export default function Page() {
  const list = useList("approval.search", { filters, input: { limit: 20 }, follows: true, searchesInParts: true })
  const names = useNames(list.query.data?.data ?? [])
  return (
    <ListPage
      title="Approvals"
      description={
        <>
          Requests that need the approval of other members under your <PoliciesLink>approval policies</PoliciesLink>.
        </>
      }
      exports="approvals"
      list={list}
      caption="Approvals"
      columns={columnsWith(names)}
      rowPath={({ approval_id }) => ["approvals", approval_id]}
      noMatch="Remove a filter to see more."
      empty={
        <Empty title="Nothing to approve">
          Requests appear here if a <PoliciesLink>policy</PoliciesLink> requires other members to approve them.
        </Empty>
      }
    />
  )
}

const PoliciesLink = ({ children }: { children: string }) => (
  <To path={["settings"]} query="?part=approvals" className="text-accent underline underline-offset-2">
    {children}
  </To>
)

const columnsWith = (names: Names): Column<Approval>[] => [
  {
    header: "Request",
    breaks: true,
    cell: ({ action }) => approvalActions[action],
    note: (row) => summaryOf(row, names),
  },
  { header: "State", phone: "value", cell: ({ state }) => <StatusBadge status={state} /> },
  {
    header: "Approvals",
    phone: "none",
    cell: ({ given, needed }) => (
      <span className="tabular-nums">
        {given.length} of {needed}
      </span>
    ),
  },
  { header: "Requested by", phone: "none", breaks: true, cell: requesterOf },
  { header: "Requested", cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    header: "Expires",
    phone: "none",
    cell: ({ state, expires_at }) => <Ago at={state === "pending" ? expires_at : null} />,
  },
]
