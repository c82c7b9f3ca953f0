import { type RouterOutputs, To } from "#app/(dashboard)/workspace.tsx"
import { Skeleton } from "#app/components/frame.tsx"
import { Ago, useNow } from "#app/components/timestamp.tsx"
import { countOf } from "#shared/counts.ts"
import type { Key } from "./key-dialogs.tsx"
import { shareOf, sparkline, summaryOf } from "./sparkline.ts"

type All = RouterOutputs["key"]["usage"]

const DAY_MS = 86_400_000
const IDLE_DAYS = 90

/** A key's requests by day, and when it was last used. `all` is undefined while it loads, and null if that failed. */
export function Usage({ of: key, all }: { of: Key; all: All | undefined | null }) {
  const now = useNow()
  const { key_id, name, status, last_used_at } = key
  const usage = all?.data.find((one) => one.key_id === key_id)
  if (last_used_at === null && usage === undefined) return <span className="text-muted">Not used yet</span>
  const isIdle =
    status === "active" && last_used_at !== null && now - new Date(last_used_at).getTime() > IDLE_DAYS * DAY_MS
  return (
    <div className="min-w-36">
      {all === undefined ? (
        <Skeleton className="h-6 w-30 rounded" />
      ) : (
        usage &&
        // One bar alone says no more than the number below.
        usage.requests.filter((count) => count > 0).length > 1 && (
          <Sparkline days={all!.days} requests={usage.requests} errors={usage.errors} />
        )
      )}
      <p className="mt-0.5 text-xs text-muted">
        {usage && (
          <>
            <To
              path={["logs"]}
              query={`?key=${key_id}`}
              className="rounded-sm text-accent underline-offset-2 hover:underline"
            >
              {countOf(sum(usage.requests), "request")}
              <span className="sr-only"> of {name} in the log</span>
            </To>
            , {shareOf(sum(usage.errors), sum(usage.requests))}
          </>
        )}
        {all && !usage && !isIdle && "No requests in 30 days"}
        {isIdle && <span className="text-notice">Not used for {IDLE_DAYS} days</span>}
      </p>
      {last_used_at !== null && (
        <p className="text-xs whitespace-nowrap text-muted">
          Last used <Ago at={last_used_at} />
        </p>
      )}
    </div>
  )
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)

const HEIGHT = 24
const PITCH = 4

/** A bar for each day. The part in red had errors. */
function Sparkline(usage: { days: readonly string[]; requests: readonly number[]; errors: readonly number[] }) {
  const { days } = usage
  return (
    <svg
      role="img"
      aria-label={summaryOf(usage)}
      viewBox={`0 0 ${days.length * PITCH} ${HEIGHT}`}
      className="h-6 w-30 overflow-visible"
    >
      {sparkline(usage, HEIGHT).map(({ height, errors }, n) => (
        <g key={days[n]}>
          <rect
            x={n * PITCH}
            y={HEIGHT - Math.max(height, 1)}
            width={PITCH - 1}
            height={Math.max(height, 1)}
            className={height === 0 ? "fill-line" : "fill-accent"}
          />
          {errors > 0 && (
            <rect x={n * PITCH} y={HEIGHT - errors} width={PITCH - 1} height={errors} className="fill-danger" />
          )}
        </g>
      ))}
    </svg>
  )
}
