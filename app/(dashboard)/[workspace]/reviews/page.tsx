"use client"

import { parseAsStringLiteral, useQueryState } from "nuqs"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { type RouterOutputs, useMe, usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Badge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Card, Empty, PageHeader } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { counted, isPageChosen, upToOf, useSelection } from "#app/components/selection.tsx"
import { Ago, NOTHING, Since, useNow } from "#app/components/timestamp.tsx"
import { Button, buttonLook } from "#app/components/ui/button.tsx"
import type { Count } from "#shared/counts.ts"
import { findings, headlineOf, priorityAt, reviewKinds, reviewPriorities } from "#shared/reviews.ts"
import { subjectOf } from "./[id]/review.ts"
import { BulkAssign } from "./bulk-assign.tsx"
import { addressOf, askedOf, closedFilters, queueFilters } from "./queue-filters.ts"
import { ReviewBadge } from "./review-badge.tsx"

type Review = RouterOutputs["review"]["list"]["data"][number]

const states = ["waiting", "closed"] as const

const header = {
  title: "Reviews",
  description: "Verifications that a provider left in review, wallets on a list, and what providers report later.",
}

export default function Page() {
  const { can } = useWorkspace()
  if (can("review:write")) return <Queue />
  return (
    <>
      <PageHeader {...header} />
      <Card>
        <Empty title="Your role does not include reviews">
          Owners and compliance officers decide them. An owner can change your role in Settings.
        </Empty>
      </Card>
    </>
  )
}

function Queue() {
  const [state, setState] = useQueryState("state", parseAsStringLiteral(states).withDefault("waiting"))
  const list = useList<"review.list", typeof queueFilters>("review.list", {
    filters: (state === "waiting" ? queueFilters : closedFilters) as typeof queueFilters,
    ask: askedOf,
    input: { state },
  })
  const own = useSelection<Review>(list.name, { nameOf: subjectOf, refusal: () => null })
  const ids = list.query.data?.data.map(({ review_id }) => review_id) ?? []
  const selection = counted(own, useQuery("review.upTo", ...upToOf(own, ids)).data)
  const waits = state === "waiting"
  const { data: counts } = useQuery("review.count", {})
  const path = usePath()
  const me = useMe().data?.user.id
  const filters = addressOf(list.filtered.current)
  // A member cannot confirm their own decision.
  const first = list.query.data?.data.find((row) => row.state !== "requested" || row.requested_by?.id !== me)
  return (
    <>
      <ListPage
        {...header}
        actions={
          waits &&
          (first ? (
            <Link
              href={path("reviews", first.review_id) + filters}
              prefetch={false}
              className={buttonLook({ variant: "primary" })}
            >
              Start reviewing
            </Link>
          ) : (
            // Keeps its place while the list loads.
            <Button variant="primary" disabled>
              Start reviewing
            </Button>
          ))
        }
        tabs={{
          names: { waiting: "Waiting", closed: "Closed" },
          counts: counts && { waiting: countIn(counts.waiting), closed: countIn(counts.closed) },
          value: state,
          onChange: (to) => void setState(to),
        }}
        saved="reviews"
        exports="reviews"
        list={list}
        caption={waits ? "Waiting reviews" : "Closed reviews"}
        things="reviews"
        columns={columns[state]}
        rowKey={({ review_id }) => review_id}
        rowPath={({ review_id }) => ["reviews", review_id]}
        rowQuery={waits ? filters : ""}
        selection={waits ? selection : undefined}
        pageNames={waits ? { back: "Older", on: "Newer" } : undefined}
        noMatch="Remove a filter to see more."
        empty={
          waits ? (
            <Empty title="Nothing to review">
              Verifications in review at a provider, matches with wallet lists and later reports from providers appear
              here.
            </Empty>
          ) : (
            <Empty title="No closed reviews">Reviews appear here once they are decided.</Empty>
          )
        }
      />
      {waits && (
        <BulkAssign
          selection={selection}
          filter={list.asked}
          offersAll={isPageChosen(selection, list, ({ review_id }) => review_id)}
        />
      )}
    </>
  )
}

/** The server counts no further. */
const MOST_COUNTED = 100
const countIn = (count: number): Count => ({ count, atLeast: count === MOST_COUNTED })

const Subject = ({ of: { external_id, wallet, investor_id } }: { of: Review }) =>
  external_id === null ? <Shortened value={wallet ?? investor_id ?? ""} /> : external_id

/** Whether the kind adds to the reason: most reviews are a vendor's, and our own findings say what they are. */
const namesKind = (row: Review): boolean =>
  row.kind !== "vendor" && (row.kind === "signal" || headlineOf(row) !== findings[row.finding])

/** Why the review exists. */
const reason: Column<Review> = {
  header: "Reason",
  phone: "line",
  cell: (row) => (
    <>
      <span className="wrap-anywhere">{headlineOf(row)}</span>
      {namesKind(row) && (
        <span className="block text-xs font-normal text-muted max-md:hidden">{reviewKinds[row.kind].label}</span>
      )}
    </>
  ),
}

const person: Column<Review> = {
  header: "Investor",
  phone: "lead",
  breaks: true,
  className: "lg:min-w-44",
  cell: (row) => <Subject of={row} />,
}

const tones = { urgent: "bad", high: "notice" } as const

function Priority({ of: row }: { of: Review }) {
  const priority = priorityAt(row, useNow())
  // Only what is out of the ordinary is shown.
  return priority === "normal" ? null : <Badge tone={tones[priority]}>{reviewPriorities[priority]}</Badge>
}

const columns: Record<(typeof states)[number], Column<Review>[]> = {
  waiting: [
    reason,
    person,
    {
      header: "Priority",
      phone: "value",
      cell: (row) => (
        <span className="flex flex-wrap gap-1 max-md:justify-end">
          <Priority of={row} />
          {row.state === "requested" && <ReviewBadge review={row} />}
        </span>
      ),
    },
    { header: "Age", cell: ({ opened_at }) => <Since at={opened_at} /> },
    { header: "Session closes", phone: "none", cell: ({ session_open_until }) => <Ago at={session_open_until} /> },
    {
      header: "Assigned to",
      phone: "none",
      cell: ({ assignee }) =>
        assignee ? (
          <span title={assignee.name} className="block max-w-44 truncate">
            {assignee.name}
          </span>
        ) : (
          NOTHING
        ),
    },
  ],
  closed: [
    reason,
    person,
    { header: "Outcome", phone: "value", cell: (row) => <ReviewBadge review={row} /> },
    { header: "Decided by", phone: "none", breaks: true, cell: ({ decided_by }) => decided_by?.name ?? NOTHING },
    { header: "Closed", cell: ({ closed_at }) => <Ago at={closed_at} /> },
  ],
}
