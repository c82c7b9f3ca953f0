import { clsx } from "clsx"
import type { ReactNode } from "react"
import { useTimeZone } from "#app/components/zone.ts"
import { shortCount } from "#shared/counts.ts"

/** What is counted. One of two is striped, for people who cannot distinguish the colours. */
type Series = { name: string; fill: string; isStriped?: boolean }
type HourCounts = { hour: string; counts: readonly number[] }

const HOUR_MS = 3_600_000

const shownHour = (zone: string) => {
  const format = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: zone })
  return (hour: string, later = 0) => format.format(new Date(new Date(hour).getTime() + later * HOUR_MS))
}

/** Hours without counts, in their place until they are loaded. */
export const emptyHours = (counts: readonly number[]): HourCounts[] =>
  Array.from({ length: 24 }, (_, n) => ({
    hour: new Date((Math.floor(Date.now() / HOUR_MS) - 23 + n) * HOUR_MS).toISOString(),
    counts,
  }))

/**
 * Counts of the last hours, stacked, the latest at the right. The same numbers are in a table that can be opened. With
 * `onChoose`, a click on a bar, or on its hour in the table, chooses that hour.
 */
export function HourBars({
  caption,
  heading,
  hours,
  series,
  chosen,
  onChoose,
}: {
  /** Names the table: "Errors per hour". */
  caption: string
  /** In one line with the legend, where the height matters. */
  heading?: ReactNode
  hours: readonly HourCounts[]
  series: readonly Series[]
  /** The chosen hour. */
  chosen?: string | undefined
  /** Gets the hour and the one after it. */
  onChoose?: (hour: string, next: string) => void
}) {
  const zone = useTimeZone()
  const hourIn = shownHour(zone)
  const totalOf = ({ counts }: HourCounts) => counts.reduce((sum, count) => sum + count, 0)
  const most = Math.max(...hours.map(totalOf))
  const choose = (hour: string) =>
    onChoose?.(hour, `${new Date(new Date(hour).getTime() + HOUR_MS).toISOString().slice(0, 19)}Z`)
  const wordsOf = ({ hour, counts }: HourCounts) =>
    `${hourIn(hour)} to ${hourIn(hour, 1)}: ${series.map(({ name }, n) => `${counts[n]} ${name.toLowerCase()}`).join(", ")}`
  return (
    <figure className="min-w-0">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        {heading}
        <ul
          aria-hidden="true"
          className={clsx("flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted", heading ? "sm:ml-auto" : "flex-1")}
        >
          {series.map(({ name, fill, isStriped }) => (
            <li key={name} className="flex items-center gap-1.5">
              <span className={clsx("size-2.5 rounded-xs", fill, isStriped && striped)} />
              {name}
            </li>
          ))}
          <li className="ml-auto tabular-nums">Peak {shortCount({ count: most, atLeast: false })}/h</li>
        </ul>
      </div>
      <div aria-hidden="true">
        <div className={clsx(heading ? "h-10" : "h-16", "flex items-end gap-px border-b border-line sm:gap-0.5")}>
          {hours.map((one) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each hour
            // biome-ignore lint/a11y/useKeyWithClickEvents: the same
            <div
              key={one.hour}
              title={wordsOf(one)}
              onClick={() => choose(one.hour)}
              data-hour={one.hour}
              className={clsx(
                "flex h-full min-w-0 flex-1 flex-col-reverse rounded-t-xs hover:bg-sunken",
                onChoose && "cursor-pointer",
                chosen === one.hour && "bg-accent-soft",
              )}
            >
              {series.map(({ name, fill, isStriped }, n) =>
                one.counts[n] ? (
                  <span
                    key={name}
                    // At least two pixels: one error among thousands must be visible.
                    className={clsx("min-h-0.5 shrink-0 last:rounded-t-xs", fill, isStriped && striped)}
                    style={{ height: `${(one.counts[n] / most) * 100}%` }}
                  />
                ) : null,
              )}
            </div>
          ))}
        </div>
        <p className="mt-1 flex justify-between text-xs text-muted tabular-nums">
          <span>{hourIn(hours[0]!.hour)}</span>
          <span>{hourIn(hours[Math.floor(hours.length / 2)]!.hour)}</span>
          <span>now</span>
        </p>
      </div>
      <details className="mt-2 text-[13px]">
        <summary className="w-fit cursor-pointer rounded-sm text-muted hover:text-ink pointer-coarse:py-2">
          {caption} as a table
        </summary>
        <table className="mt-2 w-full text-left tabular-nums">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="text-xs text-muted">
              <th scope="col" className="py-1 font-medium">
                Hour from
              </th>
              {series.map(({ name }) => (
                <th key={name} scope="col" className="py-1 text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {[...hours].reverse().map(({ hour, counts }) => (
              <tr key={hour}>
                <th scope="row" className="py-1 font-normal">
                  {onChoose ? (
                    <button
                      type="button"
                      aria-pressed={chosen === hour}
                      onClick={() => choose(hour)}
                      className="cursor-pointer rounded-sm text-accent underline-offset-2 hover:underline aria-pressed:font-medium pointer-coarse:min-h-11"
                    >
                      <span className="sr-only">Show requests of </span>
                      {hourIn(hour)}
                    </button>
                  ) : (
                    hourIn(hour)
                  )}
                </th>
                {series.map(({ name }, n) => (
                  <td key={name} className="py-1 text-right">
                    {counts[n]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

const striped = "[background-image:repeating-linear-gradient(135deg,transparent_0_2px,var(--surface)_2px_3.5px)]"
