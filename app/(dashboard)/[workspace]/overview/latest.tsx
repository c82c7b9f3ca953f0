import { usePath } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/states.tsx"
import { Ago, NOTHING } from "#app/components/timestamp.tsx"
import { StatusBadge } from "#app/components/ui/badge.tsx"
import type { AttestationSummary } from "#domain/attestations"
import type { LatestOperation } from "#server/dashboard/overview/operations.ts"
import { grouped } from "#shared/amount.ts"

const attestationColumns: Column<AttestationSummary>[] = [
  {
    header: "Wallet",
    cell: (row) => (
      <>
        <Shortened value={row.user_pubkey} />
        <span className="block text-xs font-normal text-muted sm:hidden">
          <Ago at={row.started_at} />
        </span>
      </>
    ),
  },
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Started", align: "end", className: "max-sm:hidden", cell: ({ started_at }) => <Ago at={started_at} /> },
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

const operationColumns: Column<LatestOperation>[] = [
  {
    header: "Operation",
    cell: (row) => (
      <span className="whitespace-nowrap">
        {row.label}
        {row.amount !== null && ` ${grouped(row.amount)}`}
      </span>
    ),
  },
  {
    header: "For",
    wideOnly: true,
    cell: (row) => (row.wallet ? <Shortened value={row.wallet} /> : (row.mint_config ?? row.schema ?? NOTHING)),
  },
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Began", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
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
