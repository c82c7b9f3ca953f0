"use client"

import { lazy, type ReactNode, Suspense } from "react"
import { SchemaName } from "#app/(dashboard)/schema-name.tsx"
import { type RouterOutputs, To, usePath, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable, Shortened } from "#app/components/code.tsx"
import { type Column, DataTable } from "#app/components/data-table.tsx"
import { Card, Empty, Failed, Loading, PageHeader, Skeleton } from "#app/components/frame.tsx"
import { Meter } from "#app/components/meter.tsx"
import { Ago, NOTHING } from "#app/components/timestamp.tsx"
import type { AttestationSummary } from "#domain/attestations"
import { grouped } from "#shared/amount.ts"
import { countOf, hoursOf } from "#shared/counts.ts"
import { operationKinds } from "#shared/movements.ts"
import { shownName } from "#shared/visible.ts"
import {
  ChainCosts,
  Conversion,
  FirstSteps,
  Health,
  IssuerBalance,
  LastReconciliation,
  QuarantineBanner,
} from "./figures.tsx"

const Chart = lazy(() => import("./chart.tsx"))

/** Refreshes what the server does not announce, or what it answers from a recent count. */
const AT_LEAST_EVERY_MS = 30_000

type Overview = RouterOutputs["overview"]["get"]

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })

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
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            <Skeleton className="h-44 rounded-xl" />
            <Skeleton className="h-44 rounded-xl" />
            <Skeleton className="h-44 rounded-xl sm:max-lg:col-span-2" />
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
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
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
        <Card className="sm:max-lg:col-span-2">
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
          <Card
            title="Attestations per day"
            description="Records of verifications by current status, last 30 days (UTC)"
          >
            <Suspense fallback={<Skeleton className="h-64 w-full rounded" />}>
              <Chart days={figures.days} />
            </Suspense>
          </Card>
          <ExpiringSoon expiring={expiring} />
        </>
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

const count = new Intl.NumberFormat("en-GB")

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

const numbers = new Intl.NumberFormat("en-GB")
const sols = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 })
/** The server counts reviews up to this number. */
const MANY = 100

type Attention = { name: string; what: ReactNode; to?: string; query?: string; since?: string | null }

/** What waits for the member, a row each: what, since when, and a link to it. */
function NeedsAttention({ overview: { attention, expiring } }: { overview: Overview }) {
  const { reviews, approvals, endpoints, low_sol } = attention
  const week = expiring.days_7
  const items: (Attention | false | null)[] = [
    approvals !== null &&
      approvals.count > 0 && {
        name: "approvals",
        what: `${countOf(approvals.count, "approval")} ${approvals.count === 1 ? "waits" : "wait"} for you`,
        to: "approvals",
        since: approvals.oldest_at,
      },
    reviews !== null &&
      reviews.count > 0 && {
        name: "reviews",
        what: `${reviews.count < MANY ? countOf(reviews.count, "review") : `${MANY - 1}+ reviews`} to decide`,
        to: "reviews",
        since: reviews.oldest_at,
      },
    endpoints.disabled > 0 && {
      name: "disabled",
      what: `${countOf(endpoints.disabled, "webhook endpoint")} disabled`,
      to: "webhooks",
    },
    endpoints.failing > 0 && {
      name: "failing",
      what: `${countOf(endpoints.failing, "webhook endpoint")} failing`,
      to: "webhooks",
      since: endpoints.failing_since,
    },
    low_sol && {
      name: "sol",
      what: (
        <>
          Send SOL to <Copyable compact value={low_sol.address} what="the fee payer’s address" />: it has{" "}
          {sols.format(low_sol.sol)} SOL
          {low_sol.hours_left !== null && `, enough for about ${hoursOf(low_sol.hours_left)}`}
        </>
      ),
    },
    week.count > 0 && {
      name: "expiring",
      what: `${week.more ? `More than ${numbers.format(week.count)} verifications` : countOf(week.count, "verification")} expiring within 7 days`,
      to: "attestations",
      query: "?expiring=7",
    },
  ]
  const shown = items.filter((item) => item !== false && item !== null)
  return (
    <Card title="Needs attention">
      {shown.length === 0 ? (
        <p className="text-muted">Nothing needs your attention.</p>
      ) : (
        <ul className="divide-y divide-line">
          {shown.map(({ name, what, to, query, since }) => (
            <li key={name} className="flex flex-wrap items-baseline justify-between gap-x-4 py-2 first:pt-0 last:pb-0">
              {to === undefined ? (
                <span>{what}</span>
              ) : (
                <To path={[to]} {...(query && { query })}>
                  {what}
                </To>
              )}
              {since && (
                <span className="text-[13px] text-muted">
                  oldest <Ago at={since} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

type Expiring = RouterOutputs["overview"]["get"]["expiring"]

/** Verifications that expire soon, and whether their investors get a reminder. Shows nothing if none expire. */
function ExpiringSoon({ expiring: { days_7, days_30, reminders } }: { expiring: Expiring }) {
  if (days_30.count === 0) return null
  const said = ({ count: counted, more }: Expiring["days_7"]) => (more ? "more than " : "") + count.format(counted)
  return (
    <Card title="Expiring soon" description="Verified wallets by the end of their verification">
      <ul className="flex flex-wrap gap-x-8 gap-y-2">
        {(
          [
            [7, days_7],
            [30, days_30],
          ] as const
        ).map(([days, one]) => (
          <li key={days}>
            <To path={["attestations"]} query={`?expiring=${days}`} className="text-accent hover:underline">
              {said(one)} within {days} days
            </To>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-[13px] text-muted">
        {!reminders.on ? (
          <>
            Investors are not reminded.{" "}
            <To
              path={["settings"]}
              query="?part=workspace"
              className="rounded-sm text-accent underline underline-offset-2"
            >
              Renewal reminders
            </To>{" "}
            are off.
          </>
        ) : reminders.mail ? (
          "Investors who left an email address are reminded."
        ) : (
          "Reminders are on, but this server cannot send email, so nothing is sent."
        )}
      </p>
    </Card>
  )
}

const attestationColumns: Column<AttestationSummary>[] = [
  {
    header: "Investor",
    breaks: true,
    cell: ({ external_id, user_pubkey }) =>
      external_id === null ? <Shortened value={user_pubkey} /> : shownName(external_id),
    note: ({ external_id, user_pubkey }) => external_id !== null && <Shortened value={user_pubkey} />,
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
      return row.token ?? (row.schema ? <SchemaName id={row.schema} /> : NOTHING)
    },
  },
  { header: "Status", phone: "value", cell: ({ status }) => <StatusBadge status={status} /> },
  { header: "Began", align: "end", cell: ({ created_at }) => <Ago at={created_at} /> },
]

function LatestOperations({ operations }: { operations: Overview["operations"] }) {
  const path = usePath()
  return (
    <DataTable
      caption="Latest operations"
      columns={operationColumns}
      list={{ data: { data: operations } }}
      rowKey={({ operation_id }) => operation_id}
      rowHref={({ operation_id, kind, mint_config, attestation_id, schema }) =>
        mint_config !== null && operationKinds.some((one) => one === kind)
          ? path("tokens", mint_config, "operations", operation_id)
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
