"use client"

import { lazy, type ReactNode, Suspense } from "react"
import { To } from "#app/(dashboard)/to.tsx"
import { useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import type { RouterOutputs } from "#app/api.ts"
import { Meter } from "#app/components/meter.tsx"
import { PageHeader } from "#app/components/page-header.tsx"
import { Failed, Loading, Skeleton } from "#app/components/states.tsx"
import { Card } from "#app/components/ui/card.tsx"
import { NeedsAttention } from "./attention.tsx"
import { ExpiringSoon } from "./expiring.tsx"
import { ChainCosts, Conversion, Health, IssuerBalance, LastReconciliation } from "./figures.tsx"
import { FirstSteps } from "./first-steps.tsx"
import { LatestAttestations, LatestOperations } from "./latest.tsx"
import { QuarantineBanner } from "./quarantine.tsx"

const Chart = lazy(() => import("./chart.tsx"))

/** Refreshes what the server does not announce, or what it answers from a recent count. */
const AT_LEAST_EVERY_MS = 30_000

type Overview = RouterOutputs["overview"]["get"]

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

export default function Page() {
  const { data, error, refetch } = useQuery(
    "overview.get",
    {},
    {
      every_ms: AT_LEAST_EVERY_MS,
    },
  )
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
          <div className="grid gap-4 lg:grid-cols-3">
            <Skeleton className="h-28 rounded-xl" />
            <Skeleton className="h-28 rounded-xl" />
            <Skeleton className="h-28 rounded-xl" />
          </div>
          <Skeleton className="mt-4 h-80 rounded-xl" />
        </Loading>
      )}
    </>
  )
}

function Figures({ overview }: { overview: Overview }) {
  const { quota, figures, attestations, operations, issuer, checks, ledger, expiring } = overview
  const { mode } = useWorkspace()
  const isNew = attestations.length === 0 && operations.length === 0
  return (
    <div className="space-y-4">
      {ledger.quarantine && <QuarantineBanner quarantine={ledger.quarantine} />}
      {!isNew && <NeedsAttention overview={overview} />}
      <FirstSteps overview={overview} isNew={isNew} />
      <div className="grid gap-4 lg:grid-cols-3">
        <Card>
          <Meter
            label="Attestations this month"
            used={quota.used}
            limit={quota.included}
            hint={
              <>
                {quota.remaining === null ? "No limit" : `${count.format(quota.remaining)} left`}{" "}
                {mode === "test" ? "in test mode, on any plan" : `on the ${quota.plan} plan`}. Resets on{" "}
                {day.format(new Date(quota.period_end))} (UTC).
              </>
            }
          />
        </Card>
        <Conversion figures={figures} />
        <Card>
          <dl className="space-y-3">
            <IssuerBalance issuer={issuer} />
            <ChainCosts chain={quota.chain} />
            <Health checks={checks} />
            <LastReconciliation audit={ledger.audit} />
          </dl>
        </Card>
      </div>
      {!isNew && (
        <>
          <ExpiringSoon expiring={expiring} />
          <Card
            title="Attestations per day"
            description="Records of verifications by current status, last 30 days (UTC)"
          >
            <Suspense fallback={<Skeleton className="h-64 w-full rounded" />}>
              <Chart days={figures.days} />
            </Suspense>
          </Card>
          <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
            <Section title="Latest attestations" more="attestations">
              <LatestAttestations attestations={attestations} />
            </Section>
            <Section title="Latest operations" more="tokens">
              <LatestOperations operations={operations} />
            </Section>
          </div>
        </>
      )}
    </div>
  )
}

const count = new Intl.NumberFormat("en-GB")

function Section({ title, more, children }: { title: string; more: string; children: ReactNode }) {
  return (
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
}
