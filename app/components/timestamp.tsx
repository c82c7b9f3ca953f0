import { useEffect, useState } from "react"
import { countOf } from "#shared/counts.ts"
import { timeFormat } from "#shared/time-format.ts"
import { localIn } from "./local-time.ts"
import { useTimeZone } from "./zone.ts"

const exactFormat = { ...timeFormat, second: "2-digit" } as const

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats a time with its zone. */
export function timeIn(zone: string, at: string): string {
  return formatIn(zone, timeFormat).format(new Date(at))
}

/** Formats the day of a time. */
export const dayIn = (zone: string, at: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: zone }).format(
    new Date(at),
  )

/** Created once per zone, because a table has hundreds of times. */
function formatIn(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${zone} ${options === timeFormat}`
  const known = formats.get(name) ?? new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone })
  formats.set(name, known)
  return known
}

const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" })

const spans = {
  minute: (count: number) => `${Math.max(1, count)} min`,
  hour: (count: number) => `${count} h`,
  day: (count: number) => countOf(count, "day"),
} as const

const MINUTE_MS = 60_000
const units = [
  { unit: "minute", ms: MINUTE_MS, until_ms: 60 * MINUTE_MS },
  { unit: "hour", ms: 60 * MINUTE_MS, until_ms: 24 * 60 * MINUTE_MS },
  { unit: "day", ms: 24 * 60 * MINUTE_MS, until_ms: 30 * 24 * 60 * MINUTE_MS },
] as const

const inUtc = (at: string) => at.replace("T", " ").replace("Z", " UTC")

/** In place of a value that does not exist. */
export const NOTHING = (
  <span data-nothing className="text-muted">
    –
  </span>
)

/** A time in the page's zone, with UTC on hover. */
export function Timestamp({ at }: { at: string | null }) {
  const zone = useTimeZone()
  if (at === null) return NOTHING
  return (
    <time dateTime={at} title={inUtc(at)}>
      {timeIn(zone, at)}
    </time>
  )
}

/** The day of a time, with the time on hover. */
export function Day({ at }: { at: string | null }) {
  const zone = useTimeZone()
  if (at === null) return NOTHING
  return (
    <time dateTime={at} title={`${timeIn(zone, at)}\n${inUtc(at)}`} className="whitespace-nowrap">
      {dayIn(zone, at)}
    </time>
  )
}

/** A time of a day that is named elsewhere, to the second, with all of it on hover. */
export function TimeOfDay({ at }: { at: string }) {
  const zone = useTimeZone()
  return (
    <time dateTime={at} title={`${timeIn(zone, at)}\n${inUtc(at)}`} className="tabular-nums">
      {localIn(zone, at).slice(11)}
    </time>
  )
}

/** A time to the second. */
export function ExactTimestamp({ at }: { at: string }) {
  const zone = useTimeZone()
  return (
    <time dateTime={at} title={inUtc(at)} className="whitespace-nowrap">
      {formatIn(zone, exactFormat).format(new Date(at))}
    </time>
  )
}

/** How long ago or how soon, with the time on hover. From thirty days on it is a `Timestamp`. */
export function Ago({ at }: { at: string | null }) {
  const now = useNow()
  const zone = useTimeZone()
  if (at === null) return NOTHING
  const away_ms = new Date(at).getTime() - now
  const unit = units.find(({ until_ms }) => Math.abs(away_ms) < until_ms)
  if (!unit) return <Timestamp at={at} />
  return (
    <time dateTime={at} title={`${timeIn(zone, at)}\n${inUtc(at)}`} className="whitespace-nowrap">
      {Math.abs(away_ms) < MINUTE_MS
        ? away_ms > 0
          ? "now"
          : "just now"
        : relative.format(Math.trunc(away_ms / unit.ms), unit.unit)}
    </time>
  )
}

/** For how long, such as "12 min", with the time on hover. */
export function Since({ at }: { at: string }) {
  const now = useNow()
  const zone = useTimeZone()
  const past_ms = Math.max(0, now - new Date(at).getTime())
  const { unit, ms } = units.find(({ until_ms }) => past_ms < until_ms) ?? units[2]
  return (
    <time dateTime={at} title={`${timeIn(zone, at)}\n${inUtc(at)}`} className="whitespace-nowrap">
      {spans[unit](Math.trunc(past_ms / ms))}
    </time>
  )
}

/** The current time, updated twice a minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}

const milliseconds = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 })

export function Duration({ ms }: { ms: number }) {
  return <span className="whitespace-nowrap">{milliseconds.format(ms < 100 ? ms : Math.round(ms))} ms</span>
}
