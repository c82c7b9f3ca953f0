import { choice, person } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { InvestorLink, useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Card, Empty } from "#app/components/frame.tsx"
import { isPageChosen, useSelection } from "#app/components/selection.tsx"
import { Button } from "#app/components/ui/button.tsx"
import { groupedTo, placesOf } from "#shared/amount.ts"
import { isMarkable, payoutStatuses } from "#shared/distributions.ts"
import { useUnits } from "../use-units.ts"
import type { Distribution, Payout } from "../words.ts"
import { MarkManyPaid, MarkPaid } from "./mark-paid.tsx"

const filters = {
  q: person,
  status: choice(
    "Status",
    "All",
    payoutStatuses.map((status) => [status, statusWord(status)]),
  ),
}

const keyOf = ({ payout_id }: Payout): string => payout_id
const isAtRest = ({ status }: Payout): boolean => status !== "submitted"

/** Why a payout cannot be marked as paid. */
const refusal = ({ status }: Payout): string | null => (isMarkable(status) ? null : statusWord(status).toLowerCase())

export function Payouts({ distribution }: { distribution: Distribution }) {
  const { can } = useWorkspace()
  const { distribution_id: id, state } = distribution
  const amountOf = useUnits([distribution]).amountIn(distribution)
  const list = useList("distribution.searchPayouts", { filters, input: { id, limit: 20 }, isAtRest })
  const columns = columnsWith(amountOf, list.query.data?.data ?? [])
  const selection = useSelection<Payout>(list.name, { nameOf, refusal })
  const isStarted = state !== "draft" && state !== "awaiting_approval"
  const mayAct = isStarted && can("distribution:write")
  const isOwed = [distribution.pending, distribution.withheld, distribution.failed].some((amount) => amount !== "0")
  const acts = actions<Payout>(
    (payout) => <PayoutActs payout={payout} isCancelled={state === "cancelled"} />,
    "buttons",
  )
  return (
    <Card title="Payouts">
      <List
        list={list}
        caption="Payouts"
        columns={mayAct ? [...columns, acts] : columns}
        rowKey={keyOf}
        selection={mayAct && isOwed ? selection : undefined}
        noMatch="Remove a filter to see more payouts."
        empty={<Empty title="No payouts">No wallet gets anything.</Empty>}
      />
      {mayAct && (
        <MarkManyPaid
          distribution={distribution}
          selection={selection}
          filter={list.asked}
          offersAll={isPageChosen(selection, list, keyOf)}
          amountOf={amountOf}
        />
      )}
    </Card>
  )
}

type AmountOf = (amount: string, places?: number) => string

function columnsWith(amountOf: AmountOf, payouts: readonly Payout[]): Column<Payout>[] {
  const heldPlaces = placesOf(payouts.map(({ units }) => units))
  const places = placesOf(payouts.map(({ amount }) => amount))
  return [
    {
      header: "Investor",
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
    { header: "Held", align: "end", phone: "labelled", cell: ({ units }) => groupedTo(heldPlaces, units) },
    {
      header: "Gets",
      align: "end",
      phone: "value",
      className: "whitespace-nowrap",
      cell: ({ amount }) => amountOf(amount, places),
    },
    { header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  ]
}

function PayoutActs({ payout, isCancelled }: { payout: Payout; isCancelled: boolean }) {
  const { payout_id: id, status } = payout
  const release = useMutation((api) => api.distribution.release.mutate({ id }))
  const retry = useMutation((api) => api.distribution.retry.mutate({ id }))
  if (!isMarkable(status)) return null
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
      <MarkPaid id={id} />
    </span>
  )
}
