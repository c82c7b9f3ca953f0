"use client"

import { useParams } from "next/navigation.js"
import { DetailPage, TwoColumns } from "#app/(dashboard)/detail-page.tsx"
import { ExportCsv } from "#app/(dashboard)/exports.tsx"
import { choice, person } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { InvestorLink, To, useMutation, usePolling, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { TextField } from "#app/components/form.tsx"
import { Confirm, FormDialog } from "#app/components/form-dialog.tsx"
import { Card, Empty, Facts } from "#app/components/frame.tsx"
import { Progress } from "#app/components/meter.tsx"
import { Timestamp } from "#app/components/timestamp.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { grouped } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"
import { payoutStatuses } from "#shared/distributions.ts"
import { reasonNames } from "#shared/movements.ts"
import { useUnits } from "../use-units.ts"
import { type Distribution, type Payout, settlementWords } from "../words.ts"

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
          <TwoColumns
            wide={
              <Card title="Progress">
                <Sums distribution={distribution} />
              </Card>
            }
            narrow={
              <Card title="Details">
                <Details distribution={distribution} />
              </Card>
            }
          />
          <Payouts distribution={distribution} />
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
  if (settlement === "external")
    return `Vouch pays nothing. Mark each payout as paid once you have paid it: ${amountOf(allocated)} to ${holders}.`
  const what = settlement === "in_kind" ? "as new tokens" : "out of the treasury"
  const rest = withheld === "0" ? "" : ` ${amountOf(withheld)} is withheld, for the reasons below.`
  return `It pays ${amountOf(pending)} ${what}.${rest} A payment on chain cannot be taken back.`
}

function Acts({ distribution }: { distribution: Distribution }) {
  const { distribution_id: id, state } = distribution
  const { can } = useWorkspace()
  const amountOf = useUnits([distribution]).amountIn(distribution)
  const start = useMutation((api) => api.distribution.start.mutate({ id }))
  const pause = useMutation((api) => api.distribution.pause.mutate({ id }))
  const cancel = useMutation((api) => api.distribution.cancel.mutate({ id }))
  const isOpen = state !== "completed" && state !== "cancelled"
  const mayAct = can("distribution:write")
  return (
    <>
      <ExportCsv list="distribution" label="Download report" asked={{ distribution: id }} />
      {mayAct && isOpen && (
        <Confirm
          trigger={<Button className="text-danger!">Cancel</Button>}
          title="Cancel this distribution?"
          description="Payouts that have begun still land. The others are never paid by Vouch."
          confirm="Cancel the distribution"
          dismiss="Keep it"
          onConfirm={async () => {
            await cancel.mutateAsync()
            notify("The distribution is cancelled.")
          }}
        />
      )}
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
    </>
  )
}

const share = (part: string, whole: string): number => Number(part) / Number(whole)

function Sums({ distribution }: { distribution: Distribution }) {
  const { state, allocated, paid, external_paid, paused_because, approval_id } = distribution
  const amountOf = useUnits([distribution]).amountIn(distribution)
  const unlessZero = (amount: string) => (amount === "0" ? null : amountOf(amount))
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
      <Progress label="Paid" value={done} />
      <Facts
        facts={{
          Total: amountOf(distribution.total),
          Remainder: unlessZero(distribution.remainder),
          Paid: unlessZero(paid),
          "Paid elsewhere": unlessZero(external_paid),
          "On their way": unlessZero(distribution.submitted),
          "Not begun": unlessZero(distribution.pending),
          Withheld: unlessZero(distribution.withheld),
          Failed: unlessZero(distribution.failed),
        }}
      />
    </div>
  )
}

function Details({ distribution }: { distribution: Distribution }) {
  const { nameOf, amountIn } = useUnits([distribution])
  const amountOf = amountIn(distribution)
  return (
    <Facts
      facts={{
        Token: <To path={["tokens", distribution.mint_config]}>{nameOf(distribution.mint_config)}</To>,
        Snapshot: <Copyable value={distribution.snapshot_id} what="snapshot id" compact />,
        "Record date": <Timestamp at={distribution.record_at} />,
        "Books complete": distribution.complete ? "Yes" : "No: some transfers by holders may be missing",
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

const filters = {
  q: person,
  status: choice(
    "Status",
    "All",
    payoutStatuses.map((status) => [status, statusWord(status)]),
  ),
}

const isAtRest = ({ status }: Payout): boolean => status !== "submitted"

function Payouts({ distribution }: { distribution: Distribution }) {
  const { can } = useWorkspace()
  const { distribution_id: id, state } = distribution
  const columns = columnsWith(useUnits([distribution]).amountIn(distribution))
  const list = useList("distribution.searchPayouts", { filters, input: { id, limit: 20 }, isAtRest })
  const isStarted = state !== "draft" && state !== "awaiting_approval"
  const acts = actions<Payout>(
    (payout) => <PayoutActs payout={payout} isCancelled={state === "cancelled"} />,
    "buttons",
  )
  return (
    <Card title="Payouts">
      <List
        list={list}
        caption="Payouts"
        columns={isStarted && can("distribution:write") ? [...columns, acts] : columns}
        rowKey={({ payout_id }) => payout_id}
        noMatch="Remove a filter to see more payouts."
        empty={<Empty title="No payouts">No wallet gets anything.</Empty>}
      />
    </Card>
  )
}

const columnsWith = (amountOf: (amount: string) => string): Column<Payout>[] => [
  {
    header: "Holder",
    breaks: true,
    cell: ({ user_pubkey, investor_id, external_id }) =>
      investor_id === null ? (
        <Copyable value={user_pubkey} what="wallet address" compact />
      ) : (
        <InvestorLink investor={{ investor_id, external_id }} />
      ),
    note: ({ user_pubkey, investor_id, detail }) => (
      <>
        {investor_id !== null && <Copyable value={user_pubkey} what="wallet address" compact />}
        {detail && <span className="block">{detail}</span>}
      </>
    ),
  },
  { header: "Held", align: "end", phone: "labelled", cell: ({ units }) => grouped(units) },
  {
    header: "Gets",
    align: "end",
    phone: "value",
    className: "whitespace-nowrap",
    cell: ({ amount }) => amountOf(amount),
  },
  { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
]

function PayoutActs({ payout, isCancelled }: { payout: Payout; isCancelled: boolean }) {
  const { payout_id: id, status } = payout
  const release = useMutation((api) => api.distribution.release.mutate({ id }))
  const retry = useMutation((api) => api.distribution.retry.mutate({ id }))
  const mark = useMutation((api, external_reference: string) =>
    api.distribution.markPaid.mutate({ id, external_reference }),
  )
  if (status === "paid" || status === "submitted" || status === "external_paid") return null
  return (
    <span className="flex flex-wrap justify-end gap-2">
      {status === "withheld" && !isCancelled && (
        <Button onClick={() => release.mutate()} disabled={release.isPending}>
          Release
        </Button>
      )}
      {status === "failed" && !isCancelled && (
        <Button onClick={() => retry.mutate()} disabled={retry.isPending}>
          Retry
        </Button>
      )}
      <FormDialog
        trigger={<Button>Mark as paid</Button>}
        title="Mark as paid elsewhere?"
        description="Vouch never pays this payout after that."
        submit="Mark as paid"
        onSubmit={(values) => mark.mutateAsync(String(values.get("external_reference")))}
      >
        <TextField
          name="external_reference"
          label="Reference of the payment"
          hint="No personal data: it is kept."
          required
          maxLength={200}
          autoComplete="off"
        />
      </FormDialog>
    </span>
  )
}
