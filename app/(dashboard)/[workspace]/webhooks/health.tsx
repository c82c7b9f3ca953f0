import { clsx } from "clsx"
import { type ReactNode, useMemo } from "react"
import { emptyHours, HourBars } from "#app/(dashboard)/hour-bars.tsx"
import { type RouterOutputs, usePolling, useQuery } from "#app/(dashboard)/workspace.tsx"
import { Card, Facts, Skeleton } from "#app/components/frame.tsx"
import { Progress } from "#app/components/meter.tsx"
import { Ago, NOTHING, Timestamp } from "#app/components/timestamp.tsx"
import { countOf, shortCount } from "#shared/counts.ts"

export type Health = RouterOutputs["webhook"]["health"]["data"][number]

const FOLLOW_MS = 10_000

/** The health of each endpoint, by its id. Undefined until it is loaded. */
export function useHealth(): ReadonlyMap<string, Health> | undefined {
  const { data } = useQuery("webhook.health", undefined, { every_ms: FOLLOW_MS })
  return useMemo(() => data && new Map(data.data.map((one) => [one.endpoint_id, one])), [data])
}

/** The share of accepted attempts, rounded down: 100 % means all of them. */
const rateOf = ({ attempts, accepted }: Pick<Health, "attempts" | "accepted">): number =>
  Math.floor((accepted / attempts) * 1000) / 10

export function SuccessRate({ of }: { of: Health }) {
  if (of.attempts === 0) return <span className="whitespace-nowrap text-muted">No attempts</span>
  const rate = rateOf(of)
  return (
    <span
      className={clsx("whitespace-nowrap", rate < 90 ? "font-medium text-danger" : rate < 100 && "text-notice")}
      title={`${of.accepted} of ${countOf(of.attempts, "attempt")}`}
    >
      {rate}%
    </span>
  )
}

/** How many deliveries were given up: that is what a person can act on. */
export const GivenUp = ({ of: { failed } }: { of: Health }) => (
  <span className={failed.count > 0 ? "font-medium text-danger" : undefined}>{shortCount(failed)}</span>
)

/** The last error, unless something was accepted since. */
const isCurrentError = ({ last_refused_at, last_accepted_at }: Health): boolean =>
  last_refused_at !== null && (last_accepted_at === null || last_refused_at > last_accepted_at)

export function LastError({ of }: { of: Health }) {
  if (of.last_error === null) return NOTHING
  return (
    <>
      <span className={clsx("block", isCurrentError(of) || "text-muted")}>{of.last_error}</span>
      <span className="text-xs text-muted">
        <Ago at={of.last_refused_at} />
      </span>
    </>
  )
}

/** Why a failing endpoint fails. */
export function CurrentError({ of }: { of: string }) {
  const health = useHealth()?.get(of)
  return (
    // As high before it is loaded.
    <span className="block min-h-5 text-danger">
      {health?.last_error && (
        <>
          {health.last_error.replace(/\.$/, "")}, <Ago at={health.last_refused_at} />
        </>
      )}
    </span>
  )
}

const attempts = [
  { name: "Accepted", fill: "bg-accent" },
  { name: "Failed", fill: "bg-danger", isStriped: true },
]

export function HealthCard({ id, children }: { id: string; children?: ReactNode }) {
  const health = useHealth()?.get(id)
  // In place of values until they are loaded, so that nothing moves.
  const of = (show: (health: Health) => ReactNode) =>
    health ? show(health) : <Skeleton className="h-4 w-24 rounded" />
  return (
    <Card title="Health" description="Attempts of the last 24 hours, retries included." actions={children}>
      <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Facts
          facts={{
            Success: of((one) => (
              <>
                <SuccessRate of={one} />
                {one.attempts > 0 && <span className="text-muted"> of {countOf(one.attempts, "attempt")}</span>}
              </>
            )),
            "Last success": of((one) => <Ago at={one.last_accepted_at} />),
            "Last error": (
              <div className="min-h-9">
                {of((one) => (
                  <LastError of={one} />
                ))}
              </div>
            ),
            Retrying: of(({ waiting }) => shortCount(waiting)),
            Failed: of((one) => <GivenUp of={one} />),
          }}
        />
        <HourBars
          caption="Attempts per hour"
          series={attempts}
          hours={
            health?.hours.map(({ hour, accepted, refused }) => ({ hour, counts: [accepted, refused] })) ??
            emptyHours([0, 0])
          }
        />
      </div>
      <ReplayProgress id={id} />
    </Card>
  )
}

const SHOWN_MS = 24 * 3_600_000

/** How far the last replay has come, until a day after it began. */
function ReplayProgress({ id }: { id: string }) {
  const { data } = usePolling("webhook.progress", { id }, (replay) => replay === null || replay.left === 0, {
    every_ms: FOLLOW_MS,
  })
  if (!data || data.events === 0) return null
  const { at, events, left, retried } = data
  const isDone = left === 0
  if (isDone && Date.now() - new Date(at).getTime() > SHOWN_MS) return null
  return (
    <div className="mt-4 border-t border-line pt-4">
      <p role="status" className="mb-2 flex flex-wrap justify-between gap-x-4 gap-y-1">
        <span className="font-medium">
          {isDone ? `Replayed ${countOf(events, "event")}` : `Replaying ${countOf(events, "event")}`}
        </span>
        <span className="text-[13px] text-muted tabular-nums">
          {!isDone &&
            `${shortCount({ count: events - left, atLeast: false })} done, ${shortCount({ count: left, atLeast: false })} left. `}
          {retried > 0 && `${shortCount({ count: retried, atLeast: false })} failed again and will be retried. `}
          Started <Timestamp at={at} />
        </span>
      </p>
      <Progress value={(events - left) / events} label="Progress of the replay" />
    </div>
  )
}
