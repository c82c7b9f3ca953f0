"use client"

import { useParams } from "next/navigation.js"
import { lazy, Suspense, useEffect, useState } from "react"
import { DetailPage } from "#app/(dashboard)/detail-page.tsx"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { To, useMutation, usePolling, useQuery, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { Confirm } from "#app/components/form-dialog.tsx"
import { Card, Facts, Loading } from "#app/components/frame.tsx"
import { Progress } from "#app/components/meter.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { fromBaseUnits, placesOf, toBaseUnits } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"
import { reasonNames } from "#shared/movements.ts"
import { useUnits } from "../use-units.ts"
import { type Distribution, settlementWords } from "../words.ts"

const Payouts = lazy(async () => ({ default: (await import("./payouts.tsx")).Payouts }))

export default function Page() {
  const { id } = useParams<{ id: string }>()
  const query = usePolling("distribution.get", { id }, ({ state }) => state !== "paying")
  return (
    <DetailPage
      up={[["distributions"], "Distributions"]}
      name="Distribution"
      query={query}
      head={(distribution) => ({
        heading: distribution.reference,
        badge: <StatusBadge status={distribution.state} />,
        actions: <Acts distribution={distribution} />,
      })}
    >
      {(distribution) => (
        <div className="space-y-5">
          <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Card title="Progress">
              <Sums distribution={distribution} />
            </Card>
            <Card title="Details">
              <Details distribution={distribution} />
            </Card>
          </div>
          <section id="payouts" aria-labelledby="payouts-heading" className="scroll-mt-16">
            <h2 id="payouts-heading" className="mb-3 text-base font-semibold">
              Payouts
            </h2>
            <Suspense fallback={<Loading what="Loading the payouts" lines={8} />}>
              <Payouts distribution={distribution} />
            </Suspense>
          </section>
        </div>
      )}
    </DetailPage>
  )
}

/** What a start does, before it is confirmed. */
function consequence(
  { settlement, payouts, allocated, pending, withheld }: Distribution,
  amountOf: (amount: string) => string,
): string {
  const holders = countOf(payouts, "holder")
  const what = settlement === "in_kind" ? "as new tokens" : "out of the treasury"
  const rest = withheld === "0" ? "" : ` ${amountOf(withheld)} is withheld, for the reasons below.`
  if (settlement === "external")
    return `Vouch pays nothing. Mark each payout as paid once you have paid it: ${amountOf(allocated)} to ${holders}.${rest}`
  return `It pays ${amountOf(pending)} ${what}.${rest} A payment on chain cannot be taken back.`
}

function Acts({ distribution }: { distribution: Distribution }) {
  const { distribution_id: id, state } = distribution
  const { can } = useWorkspace()
  const amountOf = useUnits([distribution]).amountIn(distribution)
  const start = useMutation((api) => api.distribution.start.mutate({ id }))
  const pause = useMutation((api) => api.distribution.pause.mutate({ id }))
  const isOpen = state !== "completed" && state !== "cancelled"
  const mayAct = can("distribution:write")
  return (
    <>
      <ExportCsv list="distribution" label="Download report" asked={{ distribution: id }} />
      {mayAct && state === "paying" && (
        <Button onClick={() => pause.mutate()} disabled={pause.isPending}>
          Pause
        </Button>
      )}
      {mayAct && state === "paused" && (
        <Button variant="primary" onClick={() => start.mutate()} disabled={start.isPending}>
          Resume
        </Button>
      )}
      {mayAct && state === "draft" && (
        <Confirm
          trigger={<Button variant="primary">Start</Button>}
          title="Start this distribution?"
          description={consequence(distribution, amountOf)}
          confirm="Start paying"
          danger={false}
          onConfirm={async () => {
            const { state: now } = await start.mutateAsync()
            notify(now === "awaiting_approval" ? "Another member must approve it." : "The distribution is being paid.")
          }}
        />
      )}
      {mayAct && isOpen && <MoreActions id={id} />}
    </>
  )
}

function MoreActions({ id }: { id: string }) {
  const [isCancelling, setCancelling] = useState(false)
  const cancel = useMutation((api) => api.distribution.cancel.mutate({ id }))
  return (
    <>
      <MoreMenu>
        <MenuItem danger onSelect={() => setCancelling(true)}>
          Cancel the distribution
        </MenuItem>
      </MoreMenu>
      {isCancelling && (
        <Confirm
          title="Cancel this distribution?"
          description="Payouts that have begun still land. The others are never paid by Vouch."
          confirm="Cancel the distribution"
          dismiss="Keep it"
          onClose={() => setCancelling(false)}
          onConfirm={async () => {
            await cancel.mutateAsync()
            notify("The distribution is cancelled.")
          }}
        />
      )}
    </>
  )
}

const share = (part: string, whole: string): number => Number(part) / Number(whole)

function Sums({ distribution }: { distribution: Distribution }) {
  const { distribution_id: id, state, allocated, paid, external_paid, payouts } = distribution
  const { decimals, paused_because, approval_id } = distribution
  const { data: counted, refetch } = useQuery("distribution.countPaid", { id })
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something was paid
  useEffect(() => void refetch(), [paid, external_paid])
  const withUnit = useUnits([distribution]).amountIn(distribution)
  const places = placesOf([distribution.total, allocated, paid, external_paid, distribution.pending])
  const amountOf = (amount: string) => withUnit(amount, places)
  const unlessZero = (amount: string) => (amount === "0" ? null : amountOf(amount))
  const unitsOf = (amount: string) => toBaseUnits(amount, decimals)!
  const done = share(paid, allocated) + share(external_paid, allocated)
  return (
    <div className="space-y-4">
      {paused_because && <p className="text-danger">{paused_because.detail}</p>}
      {state === "draft" && <p>Nothing is paid yet. Check the payouts below, then start it.</p>}
      {state === "awaiting_approval" && approval_id && (
        <p>
          Another member must approve it. <To path={["approvals", approval_id]}>Open the request</To>
        </p>
      )}
      <div>
        <p className="mb-1.5 flex flex-wrap justify-between gap-x-4">
          <span className="font-medium">{counted && `${counted.paid} of ${countOf(payouts, "payout")} paid`}</span>
          <span className="text-[13px] text-muted">
            {amountOf(fromBaseUnits(unitsOf(paid) + unitsOf(external_paid), decimals))} of {amountOf(allocated)}
          </span>
        </p>
        <Progress label="Paid" value={done} />
      </div>
      <Facts
        facts={{
          Total: amountOf(distribution.total),
          Remainder: unlessZero(distribution.remainder),
          Paid: unlessZero(paid),
          "Paid outside Vouch": unlessZero(external_paid),
          "On their way": unlessZero(distribution.submitted),
          Pending: unlessZero(distribution.pending),
          Withheld: distribution.withheld !== "0" && (
            <To
              path={["distributions", id]}
              query="?status=withheld#payouts"
              className="text-notice underline underline-offset-2"
            >
              {amountOf(distribution.withheld)}
            </To>
          ),
          Failed: unlessZero(distribution.failed),
        }}
      />
    </div>
  )
}

function Details({ distribution }: { distribution: Distribution }) {
  const { nameOf, amountIn } = useUnits([distribution])
  const amountOf = amountIn(distribution)
  const snapshot = useQuery("snapshot.get", { id: distribution.snapshot_id }).data
  return (
    <Facts
      facts={{
        Token: <To path={["tokens", distribution.mint_config]}>{nameOf(distribution.mint_config)}</To>,
        Snapshot: (
          <span className="flex flex-wrap gap-x-3">
            <To path={["tokens", distribution.mint_config]} query="?tab=snapshots">
              {snapshot?.name ?? "Snapshots of the token"}
            </To>
            <Copyable value={distribution.snapshot_id} what="snapshot id" compact />
          </span>
        ),
        "Record date": <Timestamp at={distribution.record_at} />,
        "Transfers by holders": distribution.complete ? "All counted" : "Some may be missing",
        Settlement: settlementWords[distribution.settlement],
        "Payment mint": distribution.payment_mint && (
          <Copyable value={distribution.payment_mint} what="payment mint" compact />
        ),
        "For each token": distribution.per_unit && amountOf(distribution.per_unit),
        "Smallest payout": distribution.minimum && amountOf(distribution.minimum),
        Reason: reasonNames[distribution.reason_code],
        Payouts: String(distribution.payouts),
        Approval: distribution.approval_id && <To path={["approvals", distribution.approval_id]}>Open the request</To>,
        "Distribution id": <Copyable value={distribution.distribution_id} what="distribution id" compact />,
      }}
    />
  )
}
