"use client"

import { parseAsStringLiteral, useQueryState } from "nuqs"
import { choice } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { ExternalId, type RouterOutputs, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Card, Empty, PageHeader } from "#app/components/frame.tsx"
import { Ago, NOTHING } from "#app/components/timestamp.tsx"
import { allReviewKinds, findings, reviewKinds } from "#shared/reviews.ts"
import { ReviewBadge } from "./review-badge.tsx"

type Review = RouterOutputs["review"]["list"]["data"][number]

const states = ["waiting", "closed"] as const

const filters = {
  kind: choice(
    "Kind",
    "All",
    allReviewKinds.map((kind) => [kind, reviewKinds[kind].label]),
  ),
  assigned: choice("Assigned to", "Anyone", [
    ["me", "Me"],
    ["nobody", "No one"],
  ]),
  days: choice("Opened", "Any time", [
    ["1", "Over 1 day ago"],
    ["7", "Over 7 days ago"],
    ["30", "Over 30 days ago"],
  ]),
}

const header = {
  title: "Reviews",
  description: "Verifications that a vendor left in review, wallets on a list, and what vendors report later.",
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
  const list = useList("review.list", {
    filters,
    ask: ({ days, ...asked }) => ({ ...asked, ...(days && { days: Number(days) as 1 | 7 | 30 }) }),
    input: { state },
  })
  return (
    <ListPage
      {...header}
      tabs={{ names: { waiting: "Waiting", closed: "Closed" }, value: state, onChange: (to) => void setState(to) }}
      saved="reviews"
      list={list}
      caption={state === "waiting" ? "Waiting reviews" : "Closed reviews"}
      things="reviews"
      columns={columns[state]}
      rowPath={({ review_id }) => ["reviews", review_id]}
      pageNames={state === "waiting" ? { back: "Older", on: "Newer" } : undefined}
      noMatch="Remove a filter to see more."
      empty={
        state === "waiting" ? (
          <Empty title="Nothing to review">
            Verifications in review at a vendor, matches with wallet lists and later reports from vendors appear here.
          </Empty>
        ) : (
          <Empty title="No closed reviews">Reviews appear here once they are decided.</Empty>
        )
      }
    />
  )
}

const common: Column<Review>[] = [
  { header: "About", className: "max-sm:pr-2", cell: (row) => <About of={row} /> },
  {
    header: "Found",
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ kind, finding }) => (
      <>
        <span className="block">{reviewKinds[kind].label}</span>
        <span className="block text-xs text-muted">{findings[finding]}</span>
      </>
    ),
  },
  { header: "State", className: "max-sm:px-2", cell: (row) => <ReviewBadge review={row} /> },
]

/** The wallet, or the person if the review covers several wallets. On phones also the reason. */
const About = ({ of: { wallet, investor_id, external_id, kind } }: { of: Review }) => (
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

const columns: Record<(typeof states)[number], Column<Review>[]> = {
  waiting: [
    ...common,
    { header: "Assigned to", wideOnly: true, breaks: true, cell: ({ assignee }) => assignee?.name ?? NOTHING },
    { header: "Session closes", wideOnly: true, cell: ({ session_open_until }) => <Ago at={session_open_until} /> },
    { header: "Opened", wideOnly: true, cell: ({ opened_at }) => <Ago at={opened_at} /> },
  ],
  closed: [
    ...common,
    { header: "Decided by", wideOnly: true, breaks: true, cell: ({ decided_by }) => decided_by?.name ?? NOTHING },
    { header: "Closed", wideOnly: true, cell: ({ closed_at }) => <Ago at={closed_at} /> },
  ],
}
