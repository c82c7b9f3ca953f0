"use client"

import type { Operation } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { hasEnded, kindNames } from "#app/(dashboard)/[workspace]/tokens/use-token.ts"
import { usePath, usePolling, useQuery } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Shortened } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Link } from "#app/components/link.tsx"
import { useCursor } from "#app/components/paging.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago, Timestamp } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import type { AttestationSummary } from "#server/domain/attestations/search.ts"
import { grouped } from "#shared/amount.ts"
import { keptDays } from "#shared/retention.ts"

const verification = columnsOf<AttestationSummary>()

const NOTHING = <span className="text-muted">–</span>

const verificationColumns = [
  verification.accessor("schema", { header: "Schema" }),
  verification.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  verification.accessor("user_pubkey", {
    header: "Wallet",
    meta: { wideOnly: true },
    cell: ({ getValue }) => <Shortened value={getValue()} />,
  }),
  verification.accessor("started_at", {
    header: "Started",
    meta: { wideOnly: true },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
  verification.accessor("expires_at", {
    header: "Expires",
    meta: { wideOnly: true },
    cell: ({ getValue }) => {
      const at = getValue()
      return at ? <Timestamp at={at} /> : NOTHING
    },
  }),
]

/** All verifications of an investor, including those of wallets that now belong to another investor. */
export function Verifications({ investorId }: { investorId: string }) {
  const path = usePath()
  const paging = useCursor(`verifications ${investorId}`)
  const { cursor } = paging
  const list = useQuery("attestation.search", { investor: investorId, ...(cursor && { cursor }) }, { keep: true })
  return (
    <DataTable
      caption="Verifications"
      columns={verificationColumns}
      list={list}
      rowKey={({ attestation_id }) => attestation_id}
      rowHref={({ attestation_id }) => path("attestations", attestation_id)}
      paging={paging}
      empty={<Empty title="No verifications">Sessions of this investor appear here.</Empty>}
    />
  )
}

const operation = columnsOf<Operation>()

const operationColumns = [
  operation.accessor("kind", { header: "Operation", cell: ({ getValue }) => kindNames[getValue()] }),
  operation.accessor("mint_config", { header: "Token", meta: { wideOnly: true, breaks: true } }),
  operation.accessor("amount", {
    header: "Amount",
    meta: { align: "end", className: "whitespace-nowrap" },
    cell: ({ getValue }) => grouped(getValue()),
  }),
  operation.display({
    id: "wallets",
    header: "Wallets",
    meta: { wideOnly: true },
    cell: ({ row: { original } }) => <OperationWallets of={original} />,
  }),
  operation.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  operation.accessor("created_at", {
    header: "Created",
    meta: { wideOnly: true },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
]

function OperationWallets({ of: { user_pubkey, from_pubkey, to_pubkey } }: { of: Operation }) {
  if (user_pubkey) return <Shortened value={user_pubkey} />
  return (
    <>
      <Shortened value={from_pubkey!} /> <span className="text-muted">to</span> <Shortened value={to_pubkey!} />
    </>
  )
}

/** Mints and transfers of all wallets of an investor. */
export function InvestorOperations({ investorId }: { investorId: string }) {
  const path = usePath()
  const paging = useCursor(`operations ${investorId}`)
  const { cursor } = paging
  const list = usePolling(
    "investor.operations",
    { id: investorId, ...(cursor && { cursor }) },
    ({ data }) => data.every(hasEnded),
    { keep: true },
  )
  return (
    <DataTable
      caption="Operations"
      columns={operationColumns}
      list={list}
      rowKey={({ operation_id }) => operation_id}
      rowHref={({ mint_config, operation_id }) => path("tokens", mint_config, "operations", operation_id)}
      paging={paging}
      empty={<Empty title="No operations">Mints and transfers of this investor's wallets appear here.</Empty>}
    />
  )
}

type Refusal = RouterOutputs["investor"]["refusals"]["data"][number]

const refusal = columnsOf<Refusal>()

const what = { ...kindNames, verification: "Verification" } as const satisfies Record<Refusal["what"], string>

const refusalColumns = [
  refusal.accessor("at", {
    header: "When",
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
  refusal.accessor("what", {
    header: "What",
    meta: { breaks: true },
    cell: ({ row: { original } }) => (
      <>
        {what[original.what]}
        {original.amount && <span className="block text-xs text-muted">{grouped(original.amount)}</span>}
      </>
    ),
  }),
  refusal.accessor("error", {
    header: "Why",
    meta: { breaks: true },
    cell: ({ row: { original } }) => (
      <>
        <code className="font-mono text-[13px]">{original.error}</code>
        {original.detail && <span className="block text-xs text-muted">{original.detail}</span>}
      </>
    ),
  }),
  refusal.display({
    id: "source",
    header: "Source",
    meta: { wideOnly: true },
    cell: ({ row: { original } }) => <Source of={original} />,
  }),
]

/** Links to the request that was refused at once, or to the operation that failed later. */
function Source({ of: { request_id, operation_id, mint_config } }: { of: Refusal }) {
  const path = usePath()
  const look = "rounded-sm text-accent underline-offset-2 hover:underline"
  if (request_id) {
    return (
      <Link href={path("logs", request_id)} prefetch={false} className={look}>
        Request
      </Link>
    )
  }
  if (!operation_id || !mint_config) return NOTHING
  return (
    <Link href={path("tokens", mint_config, "operations", operation_id)} prefetch={false} className={look}>
      Operation
    </Link>
  )
}

/** Requests of an investor's wallets that were refused, and operations that failed. */
export function Refusals({ investorId }: { investorId: string }) {
  const list = useQuery("investor.refusals", { id: investorId })
  return (
    <>
      <p className="mb-3 text-[13px] text-muted">
        Requests that a rule refused, from the last {keptDays.requests} days, and operations that failed. The newest 50.
      </p>
      <DataTable
        caption="Refusals"
        columns={refusalColumns}
        list={list}
        rowKey={({ request_id, operation_id }) => request_id ?? operation_id ?? ""}
        empty={<Empty title="Nothing refused">Mints and transfers that a rule refuses appear here.</Empty>}
      />
    </>
  )
}
