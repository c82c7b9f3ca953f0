"use client"

import { Plus } from "lucide-react"
import { choice } from "#app/(dashboard)/filters.tsx"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { distributionStates } from "#shared/distributions.ts"
import { useUnits } from "./use-units.ts"
import { type Distribution, settlementWords } from "./words.ts"

const filters = {
  state: choice(
    "State",
    "All",
    distributionStates.map((state) => [state, statusWord(state)]),
  ),
}

const isAtRest = ({ state }: Distribution): boolean => state !== "paying"

const columnsWith = ({ nameOf, amountIn }: ReturnType<typeof useUnits>): Column<Distribution>[] => [
  {
    header: "Reference",
    breaks: true,
    cell: ({ reference }) => reference,
    note: ({ mint_config }) => nameOf(mint_config),
  },
  { header: "State", phone: "value", cell: ({ state }) => <StatusBadge status={state} /> },
  {
    header: "Total",
    align: "end",
    phone: "labelled",
    className: "whitespace-nowrap",
    cell: (distribution) => amountIn(distribution)(distribution.total),
  },
  { header: "Settlement", phone: "none", cell: ({ settlement }) => settlementWords[settlement] },
  { header: "Payouts", align: "end", phone: "none", cell: ({ payouts }) => payouts },
  { header: "Created", phone: "none", cell: ({ created_at }) => <Ago at={created_at} /> },
]

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const list = useList("distribution.list", { filters, follows: true, isAtRest })
  const units = useUnits(list.query.data?.data ?? [])
  const create = can("distribution:write") && (
    <Link href={path("distributions", "new")} prefetch={false} className={buttonLook({ variant: "primary" })}>
      <Plus aria-hidden="true" />
      Create distribution
    </Link>
  )
  return (
    <ListPage
      title="Distributions"
      description="What you pay to everyone who held a token on a record date, such as a dividend."
      actions={create}
      exports="distributions"
      list={list}
      caption="Distributions"
      columns={columnsWith(units)}
      rowPath={({ distribution_id }) => ["distributions", distribution_id]}
      noMatch="Remove a filter to see more."
      empty={
        <Empty title="No distributions yet" action={create}>
          Choose a snapshot of a token. You see what each holder gets before anything is paid.
        </Empty>
      }
    />
  )
}
