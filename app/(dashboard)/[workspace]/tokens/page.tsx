"use client"

import { Plus } from "lucide-react"
import { ListPage, useList } from "#app/(dashboard)/list.tsx"
import { usePath, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { TokenBadge } from "#app/components/badge.tsx"
import type { Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { Link } from "#app/components/link.tsx"
import { MeterBar, usedOf } from "#app/components/meter.tsx"
import { buttonLook } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"
import { holdersInBrief } from "./rule-words.ts"
import { modeWords, type Token } from "./use-token.ts"

/** A path that no configuration id can equal. */
const NEW_TOKEN = "new-token"

const columns: Column<Token>[] = [
  {
    header: "Token",
    cell: (row) => (
      <>
        {row.name} <span className="font-normal text-muted">{row.symbol}</span>
      </>
    ),
  },
  { header: "Configuration", phone: "none", cell: ({ id }) => <code className="font-mono text-[13px]">{id}</code> },
  {
    header: "Rules",
    phone: "none",
    cell: ({ rules }) => holdersInBrief(rules) || "Verified wallets",
    note: (row) => modeWords[row.transfer_mode].name,
  },
  { header: "Supply", align: "end", phone: "labelled", cell: (row) => <Used of={row} /> },
  {
    header: "Holders",
    align: "end",
    phone: "labelled",
    className: "whitespace-nowrap",
    cell: (row) => usedOf(row.holders, row.rules.max_holders ?? null),
  },
  { header: "State", phone: "value", cell: (row) => <TokenBadge token={row} /> },
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

export default function Page() {
  const path = usePath()
  const { can } = useWorkspace()
  const create = can("config:write") && (
    <Link href={path("tokens", NEW_TOKEN)} prefetch={false} className={buttonLook({ variant: "primary" })}>
      <Plus aria-hidden="true" />
      Create token
    </Link>
  )
  return (
    <ListPage
      title="Tokens"
      description="Tokens that only verified wallets can hold, each with its own rules."
      actions={create}
      exports="tokens"
      list={useList("mintConfig.list")}
      columns={columns}
      rowPath={({ id }) => ["tokens", id]}
      empty={
        <Empty title="No tokens yet" action={create}>
          Create a token and set its rules. Every mint and transfer is checked against them.
        </Empty>
      }
    />
  )
}
