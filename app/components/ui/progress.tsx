import { clsx } from "clsx"

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
