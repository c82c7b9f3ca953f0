"use client"

import { Plus } from "lucide-react"
import { usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { MeterBar, usedOf } from "#app/components/meter.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Empty } from "#app/components/states.tsx"
import { TokenBadge } from "#app/components/ui/badge.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"
import { modeWords } from "./rule-words.ts"
import type { Token } from "./use-token.ts"

/** A path that no configuration id can equal. */
const NEW_TOKEN = "new-token"

const column = columnsOf<Token>()

const columns = [
  column.accessor("name", {
    header: "Token",
    cell: ({ row: { original } }) => (
      <>
        {original.name} <span className="font-normal text-muted">{original.symbol}</span>
      </>
    ),
  }),
  column.accessor("id", {
    header: "Configuration",
    meta: { wideOnly: true },
    cell: ({ getValue }) => <code className="font-mono text-[13px]">{getValue()}</code>,
  }),
  column.accessor("transfer_mode", {
    header: "Transfers",
    meta: { wideOnly: true },
    cell: ({ row: { original } }) => modeWords[original.transfer_mode].name,
  }),
  column.accessor("supply", {
    header: "Supply",
    cell: ({ row: { original } }) => <Used of={original} />,
  }),
  column.accessor("holders", {
    header: "Holders",
    meta: { align: "end", wideOnly: true, className: "whitespace-nowrap" },
    cell: ({ row: { original } }) => usedOf(original.holders, original.rules.max_holders ?? null),
  }),
  column.display({
    id: "state",
    header: "State",
    cell: ({ row: { original } }) => <TokenBadge token={original} />,
  }),
]

function Used({ of: { name, supply, rules } }: { of: Token }) {
  const { max_supply } = rules
  if (max_supply === undefined) return grouped(supply)
  return (
    <span className="block min-w-24">
      {usedOf(supply, max_supply)}
      <MeterBar label={`Supply of ${name}`} used={supply} limit={max_supply} className="mt-1" />
    </span>
  )
}

/** The workspace's tokens with their supply. */
export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const list = useQuery("mintConfig.list", {})
  const create = can("config:write") && (
    <Button asChild variant="primary">
      <Link href={path("tokens", NEW_TOKEN)} prefetch={false}>
        <Plus aria-hidden="true" />
        Create token
      </Link>
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Tokens"
        description="Tokens that only verified wallets can hold, each with its own rules."
        actions={create}
      />
      <DataTable
        caption="Tokens"
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowHref={({ id }) => path("tokens", id)}
        empty={
          <Empty title="No tokens yet" action={create}>
            Create a token and set its rules. Every mint and transfer is checked against them.
          </Empty>
        }
      />
    </>
  )
}
