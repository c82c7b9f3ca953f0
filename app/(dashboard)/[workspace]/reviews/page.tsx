"use client"

import { parseAsStringLiteral, useQueryState } from "nuqs"
import { useMemo } from "react"
import { ChoiceFilter, Filters, useFilters } from "#app/(dashboard)/filters.tsx"
import { ExternalId } from "#app/(dashboard)/investor-link.tsx"
import { StateTabs } from "#app/(dashboard)/state-tabs.tsx"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Shortened } from "#app/components/code.tsx"
import { type Column, columnsOf, DataTable } from "#app/components/data-table.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { allReviewKinds, findings, reviewKinds } from "#shared/reviews.ts"
import { ReviewBadge } from "./review-badge.tsx"

type Review = RouterOutputs["review"]["list"]["data"][number]

const states = ["waiting", "closed"] as const
const assigned = ["me", "nobody"] as const
const ages = ["1", "7", "30"] as const

const filters = {
  kind: parseAsStringLiteral(allReviewKinds),
  assigned: parseAsStringLiteral(assigned),
  days: parseAsStringLiteral(ages),
}

/** Reviews that a member has to decide, and closed ones. */
export default function Page() {
  const { can } = useWorkspace()
  return (
    <>
      <PageHeader
        title="Reviews"
        description="Verifications that a vendor left in review, wallets on a list, and what vendors report later."
      />
      {can("review:write") ? (
        <Queue />
      ) : (
        <Card>
          <Empty title="Your role does not include reviews">
            Owners and compliance officers decide them. An owner can change your role in Settings.
          </Empty>
        </Card>
      )}
    </>
  )
}

function Queue() {
  const path = usePath()
  const [state, setState] = useQueryState("state", parseAsStringLiteral(states).withDefault("waiting"))
  const { filter, setFilter, paging, isFiltered, current, onClear } = useFilters(filters)
  const { cursor } = paging
  const asked = {
    state,
    ...(filter.kind && { kind: filter.kind }),
    ...(filter.assigned && { assigned: filter.assigned }),
    ...(filter.days && { days: Number(filter.days) as 1 | 7 | 30 }),
  }
  const list = useQuery("review.list", { ...asked, ...(cursor && { cursor }) }, { keep: true })
  const columns = useMemo(() => columnsFor(state), [state])
  const table = (
    <>
      <Filters onClear={onClear} saved={{ list: "reviews", current }}>
        <ChoiceFilter
          label="Kind"
          all="All"
          options={allReviewKinds.map((value) => ({ value, label: reviewKinds[value].label }))}
          value={filter.kind}
          onChange={(kind) => setFilter({ kind: kind as typeof filter.kind })}
        />
        <ChoiceFilter
          label="Assigned to"
          all="Anyone"
          options={[
            { value: "me", label: "Me" },
            { value: "nobody", label: "No one" },
          ]}
          value={filter.assigned}
          onChange={(value) => setFilter({ assigned: value as typeof filter.assigned })}
        />
        <ChoiceFilter
          label="Opened"
          all="Any time"
          options={ages.map((value) => ({
            value,
            label: value === "1" ? "Over 1 day ago" : `Over ${value} days ago`,
          }))}
          value={filter.days}
          onChange={(days) => setFilter({ days: days as typeof filter.days })}
        />
      </Filters>
      <DataTable
        caption={state === "waiting" ? "Waiting reviews" : "Closed reviews"}
        columns={columns}
        list={list}
        rowKey={({ review_id }) => review_id}
        rowHref={({ review_id }) => path("reviews", review_id)}
        paging={paging}
        {...(state === "waiting" && { pageNames: { back: "Older", on: "Newer" } })}
        empty={
          isFiltered || !paging.isFirst ? (
            <Empty title="No matching reviews">Remove a filter to see more.</Empty>
          ) : state === "waiting" ? (
            <Empty title="Nothing to review">
              Verifications in review at a vendor, matches with wallet lists and later reports from vendors appear here.
            </Empty>
          ) : (
            <Empty title="No closed reviews">Reviews appear here once they are decided.</Empty>
          )
        }
      />
    </>
  )
  return (
    <StateTabs names={{ waiting: "Waiting", closed: "Closed" }} value={state} onChange={(to) => void setState(to)}>
      {table}
    </StateTabs>
  )
}

const column = columnsOf<Review>()

const NOTHING = <span className="text-muted">–</span>

const common: Column<Review>[] = [
  column.display({
    id: "about",
    header: "About",
    meta: { className: "max-sm:pr-2" },
    cell: ({ row: { original } }) => <About of={original} />,
  }),
  column.display({
    id: "found",
    header: "Found",
    meta: { wideOnly: true, className: "whitespace-nowrap" },
    cell: ({ row: { original } }) => (
      <>
        <span className="block">{reviewKinds[original.kind].label}</span>
        <span className="block text-xs text-muted">{findings[original.finding]}</span>
      </>
    ),
  }),
  column.display({
    id: "state",
    header: "State",
    meta: { className: "max-sm:px-2" },
    cell: ({ row: { original } }) => <ReviewBadge review={original} />,
  }),
]

/** The wallet, or the person if the review covers several wallets. On phones also the reason. */
function About({ of: { wallet, investor_id, external_id, kind } }: { of: Review }) {
  return (
    <>
      <Shortened value={wallet ?? investor_id ?? ""} />
      {external_id && (
        <span className="block min-w-28 text-xs font-normal text-muted">
          <ExternalId value={external_id} />
        </span>
      )}
      <span className="block text-xs font-normal text-muted md:hidden">{reviewKinds[kind].label}</span>
    </>
  )
}

const columnsFor = (state: (typeof states)[number]): Column<Review>[] =>
  state === "waiting"
    ? [
        ...common,
        column.accessor("assignee", {
          header: "Assigned to",
          meta: { wideOnly: true, breaks: true },
          cell: ({ getValue }) => getValue()?.name ?? NOTHING,
        }),
        column.accessor("session_open_until", {
          header: "Session closes",
          meta: { wideOnly: true },
          cell: ({ getValue }) => {
            const at = getValue()
            return at ? <Ago at={at} /> : NOTHING
          },
        }),
        column.accessor("opened_at", {
          header: "Opened",
          meta: { wideOnly: true },
          cell: ({ getValue }) => <Ago at={getValue()} />,
        }),
      ]
    : [
        ...common,
        column.accessor("decided_by", {
          header: "Decided by",
          meta: { wideOnly: true, breaks: true },
          cell: ({ getValue }) => getValue()?.name ?? NOTHING,
        }),
        column.accessor("closed_at", {
          header: "Closed",
          meta: { wideOnly: true },
          cell: ({ getValue }) => {
            const at = getValue()
            return at ? <Ago at={at} /> : NOTHING
          },
        }),
      ]
