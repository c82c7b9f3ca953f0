import { personOf, useOwners } from "#app/(dashboard)/[workspace]/tokens/use-owners.ts"
import { useSchemas } from "#app/(dashboard)/schema-name.tsx"
import { type InputOf, type OutputOf, useDebounced, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Shortened } from "#app/components/code.tsx"
import { Card, Facts, Skeleton } from "#app/components/frame.tsx"
import { problemOf } from "#app/components/problem.ts"
import { grouped } from "#shared/amount.ts"
import { countOf } from "#shared/counts.ts"
import { refusalWords } from "../words.ts"

type PreviewProps = {
  /** What the form would send; null while it is incomplete. */
  terms: InputOf<"distribution.preview"> | null
  /** The symbol of the token whose holders are paid. */
  symbol: string
  /** With its unit, if that is known. */
  amountOf: (amount: string) => string
}

/** What a draft would pay, as soon as typing pauses. */
export function Preview({ terms, symbol, amountOf }: PreviewProps) {
  const text = JSON.stringify(terms)
  const settled = useDebounced(text, 400)
  const { data, error, isPlaceholderData } = useQuery("distribution.preview", JSON.parse(settled) ?? EMPTY, {
    keep: true,
    enabled: terms !== null && settled !== "null",
  })
  const isStale = isPlaceholderData || settled !== text
  return (
    <Card title="Preview" className="lg:sticky lg:top-20">
      <div role="status">
        {terms === null ? (
          <p className="text-muted">Choose a snapshot and enter an amount to see what its holders get.</p>
        ) : error && !isStale ? (
          <p className="text-danger">{problemOf(error).detail}</p>
        ) : data ? (
          <div>
            <p className="text-2xl font-semibold tracking-tight wrap-anywhere">{amountOf(data.allocated)}</p>
            <p className="mb-4 text-[13px] text-muted">to {countOf(data.payouts, "holder")}</p>
            <Facts
              facts={{
                [`Each ${symbol} gets`]:
                  "total" in terms ? `About ${amountOf(data.per_unit)}` : amountOf(data.per_unit),
                "Largest payout": amountOf(data.largest),
                "Smallest payout": data.payouts > 1 && amountOf(data.smallest),
                "No one gets": data.remainder !== "0" && amountOf(data.remainder),
              }}
            />
            {data.refused !== null && data.refused.count > 0 && <Refused of={data.refused} amountOf={amountOf} />}
          </div>
        ) : (
          <Skeleton className="h-24 w-full rounded" />
        )}
      </div>
    </Card>
  )
}

type RefusedProps = {
  of: NonNullable<OutputOf<"distribution.preview">["refused"]>
  amountOf: (amount: string) => string
}

/** Who cannot be paid now, the largest payouts first. */
function Refused({ of: { count, first }, amountOf }: RefusedProps) {
  const people = useOwners(first.map(({ user_pubkey }) => user_pubkey))
  const schemas = useSchemas()
  const more = count - first.length
  return (
    <div className="mt-4 border-t border-line pt-3">
      <h3 className="text-[13px] font-medium text-notice">{countOf(count, "holder")} cannot be paid now</h3>
      <ul className="mt-1.5 space-y-1.5 text-[13px]">
        {first.map(({ user_pubkey, amount, detail }) => (
          <li key={user_pubkey}>
            <span className="flex justify-between gap-x-3">
              <span className="min-w-0 wrap-anywhere">
                {personOf(user_pubkey, people)?.external_id ?? <Shortened value={user_pubkey} />}
              </span>
              <span className="shrink-0">{amountOf(amount)}</span>
            </span>
            <span className="block text-muted">{refusalWords({ user_pubkey, detail }, schemas)}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="mt-1.5 text-[13px] text-muted">and {grouped(String(more))} more</p>}
      <p className="mt-2 text-[13px] text-muted">Their payouts are withheld until you release them.</p>
    </div>
  )
}

const EMPTY = { snapshot_id: "", settlement: "external" } as const
