import { useState } from "react"
import { nameOf } from "#app/(dashboard)/person-words.ts"
import { type InputOf, type OutputOf, useMutation, useQuery } from "#app/(dashboard)/workspace.tsx"
import { TextField } from "#app/components/form.tsx"
import { FormDialog } from "#app/components/form-dialog.tsx"
import type { Selection } from "#app/components/selection.tsx"
import { isTooMany, LeftOut, SelectionBar } from "#app/components/selection-bar.tsx"
import { notify } from "#app/components/toast.ts"
import { Button } from "#app/components/ui/button.tsx"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import { MOST_MARKED_TOGETHER } from "#shared/bulk.ts"
import { countOf, shortCount } from "#shared/counts.ts"
import type { PayoutStatus } from "#shared/distributions.ts"
import type { Distribution, Payout } from "../words.ts"

const Reference = ({ payments }: { payments: string }) => (
  <TextField
    name="external_reference"
    label={`Reference of the ${payments}`}
    hint="No personal data: it is kept."
    required
    maxLength={200}
    autoComplete="off"
  />
)

const referenceIn = (values: FormData): string => String(values.get("external_reference"))

export function MarkPaid({ id, onClose }: { id: string; onClose: () => void }) {
  const mark = useMutation((api, external_reference: string) =>
    api.distribution.markPaid.mutate({ id, external_reference }),
  )
  return (
    <FormDialog
      onClose={onClose}
      title="Mark as paid outside Vouch?"
      description="Vouch never pays this payout after that."
      submit="Mark as paid"
      onSubmit={(values) => mark.mutateAsync(referenceIn(values))}
    >
      <Reference payments="payment" />
    </FormDialog>
  )
}

type MarkManyPaidProps = {
  distribution: Distribution
  selection: Selection<Payout>
  /** The filters of the list, as the server takes them. */
  filter: Omit<InputOf<"distribution.markable">, "id">
  /** Whether every payout of the page that can be marked is selected, and there are other pages. */
  offersAll: boolean
  amountOf: (amount: string) => string
}

type Missed = { payout: Payout; why: string }

/** Marks the selected payouts as paid outside Vouch, after one confirmation and under one reference. */
export function MarkManyPaid({ distribution, selection, filter, offersAll, amountOf }: MarkManyPaidProps) {
  const { distribution_id: id, decimals } = distribution
  const { chosen, allMatching, change } = selection
  const matching = useQuery("distribution.markable", { id, ...filter }, { enabled: offersAll }).data
  // As the member saw it: the payouts are counted again later, and none may be marked that they did not confirm.
  const [seen, setSeen] = useState<typeof matching>()
  const [missed, setMissed] = useState<readonly Missed[]>([])
  const mark = useMutation((api, input: InputOf<"distribution.markManyPaid">) =>
    api.distribution.markManyPaid.mutate(input),
  )
  if (chosen.size === 0)
    return (
      <LeftOut
        text="Not marked as paid:"
        rows={missed.map(({ payout, why }) => ({ key: payout.payout_id, content: `${nameOf(payout)} (${why})` }))}
        onDismiss={() => setMissed([])}
      />
    )
  const all = allMatching === null ? undefined : seen
  const count = allMatching ?? chosen.size
  const sum = all?.amount ?? sumOf([...chosen.values()], decimals)

  async function submit(values: FormData) {
    const { marked, amount, not_marked } = await mark.mutateAsync({
      id,
      external_reference: referenceIn(values),
      ...(all ? { matching: { filter, seen: all.seen } } : { payout_ids: [...chosen.keys()] }),
    })
    setMissed(
      not_marked.flatMap(({ payout_id, ...of }) => {
        const payout = chosen.get(payout_id)
        return payout ? [{ payout, why: whyNot(of) }] : []
      }),
    )
    change(new Map())
    if (marked > 0) notify(`${countOf(marked, "payout")} marked as paid`, amountOf(amount))
  }
  return (
    <SelectionBar
      label="Selected payouts"
      selection={{
        ...selection,
        selectMatching: (...as) => {
          setSeen(matching)
          selection.selectMatching(...as)
        },
      }}
      matching={
        offersAll && matching ? { count: matching.count, isTooMany: matching.is_too_many, upTo: null } : undefined
      }
      most={MOST_MARKED_TOGETHER}
    >
      <FormDialog
        trigger={
          <Button variant="primary" size="sm" disabled={isTooMany(selection, MOST_MARKED_TOGETHER)}>
            Mark as paid
          </Button>
        }
        title={`Mark ${countOf(count, "payout")} as paid outside Vouch?`}
        description={`${amountOf(sum)} in all. Vouch never pays ${count === 1 ? "this payout" : "these payouts"} after that.`}
        submit={`Mark ${shortCount({ count, atLeast: false })} as paid`}
        onSubmit={submit}
      >
        <Reference payments={count === 1 ? "payment" : "payments"} />
      </FormDialog>
    </SelectionBar>
  )
}

const sumOf = (payouts: readonly Payout[], decimals: number): string =>
  fromBaseUnits(
    payouts.reduce((sum, { amount }) => sum + (toBaseUnits(amount, decimals) ?? 0n), 0n),
    decimals,
  )

const reasons: Partial<Record<PayoutStatus, string>> = {
  paid: "Vouch has paid it",
  submitted: "Vouch is paying it",
}

type NotMarked = OutputOf<"distribution.markManyPaid">["not_marked"][number]

/** With the reference, a member sees if it was their own act, whose answer was lost. */
const whyNot = ({ status, external_reference }: Omit<NotMarked, "payout_id">): string =>
  status === "external_paid"
    ? `it was marked already, with the reference ${external_reference}`
    : ((status && reasons[status]) ?? "it no longer exists")
