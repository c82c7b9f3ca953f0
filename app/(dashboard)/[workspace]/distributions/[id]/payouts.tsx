import { clsx } from "clsx"
import { lazy, Suspense, useState } from "react"
import type { Schemas } from "#app/(dashboard)/[workspace]/tokens/finding-words.ts"
import { choice, person } from "#app/(dashboard)/filters.tsx"
import { List, useList } from "#app/(dashboard)/list.tsx"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import { InvestorLink, useMutation, useWorkspace } from "#app/(dashboard)/workspace.tsx"
import { StatusBadge, statusWord } from "#app/components/badge.tsx"
import { Copyable } from "#app/components/code.tsx"
import { actions, type Column } from "#app/components/data-table.tsx"
import { Empty } from "#app/components/frame.tsx"
import { PREVIOUS_NEXT } from "#app/components/paging.tsx"
import { isPageChosen, useSelection } from "#app/components/selection.tsx"
import { MenuItem } from "#app/components/ui/menu.tsx"
import { MoreMenu } from "#app/components/ui/more-menu.tsx"
import { groupedTo, placesOf } from "#shared/amount.ts"
import { isMarkable, payoutStatuses } from "#shared/distributions.ts"
import { useUnits } from "../use-units.ts"
import { type Distribution, type Payout, refusalWords } from "../words.ts"

// Loaded for members who can act, after the list.
const MarkPaid = lazy(async () => ({ default: (await import("./mark-paid.tsx")).MarkPaid }))
const MarkManyPaid = lazy(async () => ({ default: (await import("./mark-paid.tsx")).MarkManyPaid }))

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
const refusal = ({ status }: Payout): string | null => {
  const word = statusWord(status)
  return isMarkable(status) ? null : word.charAt(0).toLowerCase() + word.slice(1)
}

export function Payouts({ distribution }: { distribution: Distribution }) {
  const { can } = useWorkspace()
  const { distribution_id: id, state } = distribution
  const amountOf = useUnits([distribution]).amountIn(distribution)
  const list = useList("distribution.searchPayouts", { filters, input: { id, limit: 20 }, isAtRest })
  const columns = columnsWith(amountOf, list.query.data?.data ?? [], useSchemas())
  const selection = useSelection<Payout>(list.name, { nameOf, refusal })
  const isStarted = state !== "draft" && state !== "awaiting_approval"
  const mayAct = isStarted && can("distribution:write")
  const isOwed = [distribution.pending, distribution.withheld, distribution.failed].some((amount) => amount !== "0")
  const acts: Column<Payout> = {
    ...actions((payout) => <PayoutActs payout={payout} isCancelled={state === "cancelled"} />, "buttons"),
    // Next to the status, so that all amounts are at the edge. It adds no height to the line.
    className: "max-md:-my-2 max-md:-mr-2 max-md:ml-0! max-md:self-center max-md:pt-0!",
  }
  return (
    <>
      <List
        list={list}
        caption="Payouts"
        columns={mayAct ? [...columns, acts] : columns}
        rowKey={keyOf}
        pageNames={PREVIOUS_NEXT}
        selection={mayAct && isOwed ? selection : undefined}
        noMatch="Remove a filter to see more payouts."
        empty={<Empty title="No payouts">No wallet gets anything.</Empty>}
      />
      {mayAct && (
        <Suspense>
          <MarkManyPaid
            distribution={distribution}
            selection={selection}
            filter={list.asked}
            offersAll={isPageChosen(selection, list, keyOf)}
            amountOf={amountOf}
          />
        </Suspense>
      )}
    </>
  )
}

type AmountOf = (amount: string, places?: number) => string

function columnsWith(amountOf: AmountOf, payouts: readonly Payout[], schemas: Schemas): Column<Payout>[] {
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
      note: (payout) => (
        <>
          {payout.investor_id !== null && (
            <span className="max-md:hidden">
              <Copyable value={payout.user_pubkey} what="wallet address" compact />
            </span>
          )}
          {payout.detail !== null && (
            <span data-own-line className={clsx("block", payout.status === "withheld" && "text-notice")}>
              {refusalWords({ ...payout, detail: payout.detail }, schemas)}
            </span>
          )}
        </>
      ),
    },
    { header: "Held", align: "end", phone: "labelled", cell: ({ units }) => groupedTo(heldPlaces, units) },
    {
      header: "Payout",
      align: "end",
      phone: "value",
      className: "whitespace-nowrap",
      cell: ({ amount }) => amountOf(amount, places),
    },
    { header: "Status", phone: "end", cell: ({ status }) => <StatusBadge status={status} /> },
  ]
}

function PayoutActs({ payout, isCancelled }: { payout: Payout; isCancelled: boolean }) {
  const [isMarking, setMarking] = useState(false)
  const { payout_id: id, status } = payout
  const release = useMutation((api) => api.distribution.release.mutate({ id }))
  const retry = useMutation((api) => api.distribution.retry.mutate({ id }))
  if (!isMarkable(status)) return null
  return (
    <>
      <MoreMenu label={`Actions for ${nameOf(payout)}`} size="icon-sm">
        {status === "withheld" && !isCancelled && (
          <MenuItem onSelect={() => release.mutate()} disabled={release.isPending}>
            Release
          </MenuItem>
        )}
        {status === "failed" && !isCancelled && (
          <MenuItem onSelect={() => retry.mutate()} disabled={retry.isPending}>
            Retry
          </MenuItem>
        )}
        <MenuItem onSelect={() => setMarking(true)}>Mark as paid</MenuItem>
      </MoreMenu>
      <Suspense>{isMarking && <MarkPaid id={id} onClose={() => setMarking(false)} />}</Suspense>
    </>
  )
}
