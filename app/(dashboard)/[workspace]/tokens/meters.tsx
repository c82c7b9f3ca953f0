import { MeterBar } from "#app/components/meter.tsx"
import { grouped, perMilleOf } from "#shared/amount.ts"

/** What is used of a limit on amounts, which no double could hold. */
export function AmountMeter({
  label,
  used,
  cap,
  hint,
}: {
  label: string
  used: string
  /** Null when there is no limit. */
  cap: string | null
  hint?: string | undefined
}) {
  const words = cap === null ? grouped(used) : `${grouped(used)} of ${grouped(cap)}`
  return (
    <div className="min-w-0 text-sm">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{label}</span>
        <span>{words}</span>
      </p>
      {cap !== null && (
        <MeterBar label={label} words={words} value={perMilleOf(used, cap)} max={1000} className="mt-2" />
      )}
      {hint && <p className="mt-1.5 text-[13px] text-muted">{hint}</p>}
    </div>
  )
}
