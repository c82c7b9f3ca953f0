import { type InputOf, useDebounced, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Card, Facts, Skeleton } from "#app/components/frame.tsx"
import { problemOf } from "#app/components/problem.ts"
import { countOf } from "#shared/counts.ts"

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
          </div>
        ) : (
          <Skeleton className="h-24 w-full rounded" />
        )}
      </div>
    </Card>
  )
}

const EMPTY = { snapshot_id: "", settlement: "external" } as const
