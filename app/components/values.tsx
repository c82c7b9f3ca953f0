import { clsx } from "clsx"
import { type ComponentProps, useEffect, useState } from "react"
import type { KeyStatus, OperationStatus, ShownStatus } from "#shared/statuses.ts"
import { timeFormat } from "#shared/time-format.ts"
import { useTimeZone } from "./zone.ts"

const exactFormat = { ...timeFormat, year: undefined, timeZoneName: undefined, second: "2-digit" } as const

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats a time with its zone. */
export function timeIn(zone: string, at: string): string {
  return formatIn(zone, timeFormat).format(new Date(at))
}

/** Created once per zone, because a table has hundreds of times. */
function formatIn(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${zone} ${options === timeFormat}`
  const known = formats.get(name) ?? new Intl.DateTimeFormat("en-GB", { ...options, timeZone: zone })
  formats.set(name, known)
  return known
}

const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" })

const MINUTE_MS = 60_000
const units = [
  { unit: "minute", ms: MINUTE_MS, until_ms: 60 * MINUTE_MS },
  { unit: "hour", ms: 60 * MINUTE_MS, until_ms: 24 * 60 * MINUTE_MS },
  { unit: "day", ms: 24 * 60 * MINUTE_MS, until_ms: 30 * 24 * 60 * MINUTE_MS },
] as const

const inUtc = (at: string) => at.replace("T", " ").replace("Z", " UTC")

/** In place of a value that does not exist. */
export const NOTHING = <span className="text-muted">–</span>

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

/** The same to the second and without the year, for times at most some weeks old. */
export function ExactTimestamp({ at }: { at: string }) {
  const zone = useTimeZone()
  return (
    <time dateTime={at} title={`${timeIn(zone, at)}\n${inUtc(at)}`} className="whitespace-nowrap">
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
      {Math.abs(away_ms) < MINUTE_MS ? "just now" : relative.format(Math.trunc(away_ms / unit.ms), unit.unit)}
    </time>
  )
}

/** The current time, updated twice a minute. */
function useNow(): number {
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

const tones = {
  plain: "border-line bg-sunken text-muted",
  good: "border-transparent bg-accent-soft text-accent",
  notice: "border-notice-line bg-notice-soft text-notice",
  bad: "border-transparent bg-danger-soft text-danger",
} as const

type Tone = keyof typeof tones

export const Badge = ({ tone = "plain", className, ...props }: ComponentProps<"span"> & { tone?: Tone }) => (
  <span
    className={clsx(
      "inline-flex items-center gap-1.5 rounded-full border px-2 py-px text-xs leading-5 font-medium whitespace-nowrap",
      tones[tone],
      className,
    )}
    {...props}
  />
)

type Look = { word: string; tone: Tone }

/** The style of every state. A missing state does not compile. */
const looks = {
  // Attestations
  pending: { word: "Pending", tone: "notice" },
  verified: { word: "Verified", tone: "good" },
  rejected: { word: "Rejected", tone: "bad" },
  // Operations
  queued: { word: "Queued", tone: "plain" },
  submitted: { word: "Submitted", tone: "notice" },
  confirmed: { word: "Confirmed", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
  // Keys, configurations, accounts on chain, invitations
  active: { word: "Active", tone: "good" },
  revoked: { word: "Revoked", tone: "bad" },
  expired: { word: "Expired", tone: "plain" },
  paused: { word: "Paused", tone: "notice" },
  frozen: { word: "Frozen", tone: "plain" },
  open: { word: "Open", tone: "good" },
} as const satisfies Record<ShownStatus | OperationStatus | KeyStatus, Look> & Record<string, Look>

type Status = keyof typeof looks

export const statusWord = (status: Status): string => looks[status].word

/** A state in words and color. The words alone are enough. */
export function StatusBadge({ status }: { status: Status }) {
  const { word, tone } = looks[status]
  return (
    <Badge tone={tone}>
      <span className="size-1.5 rounded-full bg-current" aria-hidden="true" />
      {word}
    </Badge>
  )
}

/** Whether a token is paused, active or not on chain yet. */
export function TokenBadge({ token: { paused, mint } }: { token: { paused: boolean; mint: string | null } }) {
  if (paused) return <StatusBadge status="paused" />
  return mint === null ? <Badge>No mint yet</Badge> : <StatusBadge status="active" />
}

export function HttpStatus({ status }: { status: number }) {
  return <Badge tone={status < 400 ? "good" : status < 500 ? "notice" : "bad"}>{status}</Badge>
}
