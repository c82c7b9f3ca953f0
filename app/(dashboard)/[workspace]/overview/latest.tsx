"use client"

import { usePath } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { columnsOf, DataTable } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import type { LatestOperation } from "#server/dashboard/overview/operations.ts"
import type { AttestationSummary } from "#server/domain/attestations/search.ts"
import { grouped } from "#shared/amount.ts"

const attestation = columnsOf<AttestationSummary>()

const attestationColumns = [
  attestation.accessor("user_pubkey", {
    header: "Wallet",
    cell: ({ row: { original } }) => (
      <>
        <Shortened value={original.user_pubkey} />
        <span className="block text-xs font-normal text-muted sm:hidden">
          <Ago at={original.started_at} />
        </span>
      </>
    ),
  }),
  attestation.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  attestation.accessor("started_at", {
    header: "Started",
    meta: { align: "end", className: "max-sm:hidden" },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
]

export function LatestAttestations({ attestations }: { attestations: readonly AttestationSummary[] }) {
  const path = usePath()
  return (
    <DataTable
      caption="Latest attestations"
      columns={attestationColumns}
      list={{ data: { data: attestations } }}
      rowKey={({ attestation_id }) => attestation_id}
      rowHref={({ attestation_id }) => path("attestations", attestation_id)}
      empty={<Empty title="No attestations yet" />}
    />
  )
}

const operation = columnsOf<LatestOperation>()

const operationColumns = [
  operation.display({
    id: "kind",
    header: "Operation",
    cell: ({ row: { original } }) => (
      <span className="whitespace-nowrap">
        {original.label}
        {original.amount !== null && ` ${grouped(original.amount)}`}
      </span>
    ),
  }),
  operation.display({
    id: "of",
    header: "For",
    meta: { wideOnly: true },
    cell: ({ row: { original } }) =>
      original.wallet ? (
        <Shortened value={original.wallet} />
      ) : (
        (original.mint_config ?? original.schema ?? <span className="text-muted">–</span>)
      ),
  }),
  operation.accessor("status", {
    header: "Status",
    cell: ({ getValue }) => <StatusBadge status={getValue()} />,
  }),
  operation.accessor("created_at", {
    header: "Began",
    meta: { align: "end" },
    cell: ({ getValue }) => <Ago at={getValue()} />,
  }),
]

export function LatestOperations({ operations }: { operations: readonly LatestOperation[] }) {
  const path = usePath()
  return (
    <DataTable
      caption="Latest operations"
      columns={operationColumns}
      list={{ data: { data: operations } }}
      rowKey={({ operation_id }) => operation_id}
      rowHref={({ operation_id, kind, mint_config, attestation_id, schema }) =>
        kind === "mint" || kind === "transfer"
          ? path("tokens", mint_config!, "operations", operation_id)
          : mint_config !== null
            ? path("tokens", mint_config)
            : attestation_id !== null
              ? path("attestations", attestation_id)
              : `${path("attestations")}?schema=${schema}`
      }
      empty={<Empty title="No operations yet" />}
    />
  )
}
