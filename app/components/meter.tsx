import type { ReactNode } from "react"
import { cn } from "./cn.ts"

const count = new Intl.NumberFormat("en-GB")

/** What is used of a limit; it turns to notice from 80 % on, and to danger when nothing is left. */
export function Meter({
  label,
  value,
  max,
  hint,
  className,
}: {
  label: string
  value: number
  /** Null when there is no limit: then there is a number, and no bar. */
  max: number | null
  hint?: ReactNode
  className?: string
}) {
  const words = max === null ? count.format(value) : `${count.format(value)} of ${count.format(max)}`
  return (
    <div className={cn("min-w-0 text-sm", className)}>
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{label}</span>
        <span>{words}</span>
      </p>
      {max !== null && <MeterBar label={label} words={words} value={value} max={max} className="mt-2" />}
      {hint && <p className="mt-1.5 text-[13px] text-muted">{hint}</p>}
    </div>
  )
}

/** The bar alone. `words` say what it shows; where amounts are too large for numbers, these are parts of a thousand. */
export function MeterBar({
  label,
  words,
  value,
  max,
  className,
}: {
  label: string
  words: string
  value: number
  max: number
  className?: string
}) {
  const share = max === 0 ? 1 : Math.min(value / max, 1)
  return (
    // biome-ignore lint/a11y/useSemanticElements: no two browsers let the element be drawn alike
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      aria-valuetext={words}
      className={cn("h-1.5 overflow-hidden rounded-full bg-line", className)}
    >
      <div
        className={cn(
          "h-full rounded-full",
          share >= 1 ? "bg-danger" : share >= 0.8 ? "bg-chart-pending" : "bg-accent",
        )}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
