import { clsx } from "clsx"
import type { ReactNode } from "react"
import { grouped, perMilleOf } from "#shared/amount.ts"

/** A count, or an amount in the API's format. */
type Amount = number | string

/** `3 of 5`, or just `3` without a limit. */
export const usedOf = (used: Amount, limit: Amount | null): string =>
  limit === null ? grouped(String(used)) : `${grouped(String(used))} of ${grouped(String(limit))}`

type MeterProps = {
  label: string
  used: Amount
  /** Null if there is no limit: then only the number is shown. */
  limit: Amount | null
  /** Follows the number, such as a token's symbol. */
  unit?: string
  hint?: ReactNode
  className?: string
}

/** The used part of a limit. Changes color at 80 %, and again when nothing is left. */
export const Meter = ({ label, used, limit, unit, hint, className }: MeterProps) => (
  <div className={clsx("min-w-0 text-sm", className)}>
    <p className="flex flex-wrap items-baseline justify-between gap-x-3">
      <span className="font-medium">{label}</span>
      <span>
        {usedOf(used, limit)} {unit}
      </span>
    </p>
    {limit !== null && <MeterBar label={label} used={used} limit={limit} className="mt-2" />}
    {hint && <p className="mt-1.5 text-[13px] text-muted">{hint}</p>}
  </div>
)

type MeterBarProps = { label: string; used: Amount; limit: Amount; className?: string }

/** The bar alone, computed in thousandths because amounts may be too large for numbers. */
export function MeterBar({ label, used, limit, className }: MeterBarProps) {
  const perMille = Math.min(perMilleOf(String(used), String(limit)), 1000)
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw the meter element differently
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={1000}
      aria-valuenow={perMille}
      aria-valuetext={usedOf(used, limit)}
      className={clsx("h-1.5 overflow-hidden rounded-full bg-line", className)}
    >
      <div
        className={clsx(
          "h-full rounded-full",
          perMille === 1000 ? "bg-danger" : perMille >= 800 ? "bg-chart-pending" : "bg-accent",
        )}
        style={{ width: `${perMille / 10}%` }}
      />
    </div>
  )
}

/** Progress from 0 to 1, null while unknown. For the used part of a limit, use `Meter`. */
export function Progress({ value, label, className }: { value: number | null; label: string; className?: string }) {
  const percent = value === null ? null : Math.round(Math.min(Math.max(value, 0), 1) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent !== null && { "aria-valuenow": percent })}
      className={clsx("h-1.5 overflow-hidden rounded-full bg-line", className)}
    >
      <div
        className={clsx("h-full rounded-full bg-accent", percent === null && "w-1/3 motion-safe:animate-pulse")}
        style={percent === null ? undefined : { width: `${percent}%` }}
      />
    </div>
  )
}
