"use client"

import { lazy, type ReactNode, Suspense } from "react"
import { type RouterOutputs, To, usePath, useQuery } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Shortened } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Card, Empty, Failed, Loading, PageHeader, Skeleton } from "#app/components/frame.tsx"
import { Ago } from "#app/components/timestamp.tsx"
import type { AttestationSummary } from "#domain/attestations"
import { grouped } from "#shared/amount.ts"
import { shownName } from "#shared/visible.ts"
import {
  ChainCosts,
  Conversion,
  FirstSteps,
  Health,
  IssuerBalance,
  LastReconciliation,
  QuarantineBanner,
  Usage,
} from "./figures.tsx"
import { NeedsAttention } from "./needs-attention.tsx"
import { withoutEmptyStart } from "./without-empty-start.ts"

const Chart = lazy(() => import("./chart.tsx"))

/** Refreshes what the server does not announce, or what it answers from a recent count. */
const AT_LEAST_EVERY_MS = 30_000

type Overview = RouterOutputs["overview"]["get"]

export default function Page() {
  const { data, error, refetch } = useQuery("overview.get", {}, { every_ms: AT_LEAST_EVERY_MS })
  return (
    <>
      <PageHeader title="Overview" />
      {data ? (
        <Figures overview={data} />
      ) : error ? (
        <Card>
          <Failed error={error} onRetry={refetch} />
        </Card>
      ) : (
        <Loading what="Loading the overview">
          <Skeleton className="h-48 rounded-xl" />
          <Skeleton className="mt-4 h-32 rounded-xl" />
          <Skeleton className="mt-4 h-24 rounded-xl" />
          <Skeleton className="mt-4 h-80 rounded-xl" />
        </Loading>
      )}
    </>
  )
}

function Figures({ overview }: { overview: Overview }) {
  const { quota, figures, attestations, operations, issuer, checks, ledger } = overview
  const days = withoutEmptyStart(figures.days)
  const isNew = attestations.length === 0 && operations.length === 0
  return (
    <div className="space-y-4">
      {ledger.quarantine && <QuarantineBanner quarantine={ledger.quarantine} />}
      {!isNew && <NeedsAttention overview={overview} />}
      <FirstSteps overview={overview} isNew={isNew} />
      <Card>
        <dl className="grid grid-cols-2 gap-x-8 gap-y-4 lg:grid-cols-3">
          <Usage quota={quota} />
          <Conversion figures={figures} />
        </dl>
      </Card>
      <Card>
        <dl className="grid grid-cols-2 gap-x-8 gap-y-4 lg:grid-cols-4">
          <IssuerBalance issuer={issuer} />
          <ChainCosts chain={quota.chain} />
          <Health checks={checks} />
          <LastReconciliation audit={ledger.audit} />
        </dl>
      </Card>
      {!isNew && (
        <Card
          title="Attestations per day"
          description={`Records of verifications by current status, last ${days.length} days (UTC)`}
        >
          <Suspense fallback={<Skeleton className="h-64 w-full rounded" />}>
            <Chart days={days} />
          </Suspense>
        </Card>
      )}
      {!isNew && (
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
          <Section title="Latest attestations" more="attestations">
            <LatestAttestations attestations={attestations} />
          </Section>
          <Section title="Latest operations" more="tokens">
            <LatestOperations operations={operations} />
          </Section>
        </div>
      )}
    </div>
  )
}

const Section = ({ title, more, children }: { title: string; more: string; children: ReactNode }) => (
  <section className="min-w-0" aria-label={title}>
    <header className="mb-2 flex items-baseline justify-between gap-3">
      <h2 className="text-sm font-semibold">{title}</h2>
      <To path={[more]} className="text-[13px] text-accent hover:underline">
        All {more}
      </To>
    </header>
    {children}
  </section>
)

const attestationColumns: Column<AttestationSummary>[] = [
  {
    header: "Investor",
    breaks: true,
    cell: ({ external_id, user_pubkey }) =>
      external_id === null ? <Shortened value={user_pubkey} /> : shownName(external_id),
  },
  { header: "Status", phone: "value", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Started", align: "end", cell: ({ started_at }) => <Ago at={started_at} /> },
]

function LatestAttestations({ attestations }: { attestations: readonly AttestationSummary[] }) {
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

const operationColumns: Column<Overview["operations"][number]>[] = [
  {
    header: "Operation",
    cell: (row) => (
      <span className="md:whitespace-nowrap">
        {row.label}
        {row.amount !== null && ` ${grouped(row.amount)} ${row.symbol}`}
      </span>
    ),
  },
  {
    header: "For",
    breaks: true,
    cell: (row) => {
      if (row.external_id !== null) return shownName(row.external_id)
      if (row.wallet) return <Shortened value={row.wallet} />
      return row.token
    },
  },
  { header: "Status", phone: "value", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Started", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
]

function LatestOperations({ operations }: { operations: Overview["operations"] }) {
  const path = usePath()
  return (
    <DataTable
      caption="Latest operations"
      columns={operationColumns}
      list={{ data: { data: operations } }}
      rowKey={({ operation_id }) => operation_id}
      rowHref={({ operation_id, mint_config }) => path("tokens", mint_config, "operations", operation_id)}
      empty={<Empty title="No operations yet" />}
    />
  )
}
