"use client"

import { useEffect, useState } from "react"

const local = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
})

const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" })

const MINUTE_MS = 60_000
const units = [
  { unit: "minute", ms: MINUTE_MS, until_ms: 60 * MINUTE_MS },
  { unit: "hour", ms: 60 * MINUTE_MS, until_ms: 24 * 60 * MINUTE_MS },
  { unit: "day", ms: 24 * 60 * MINUTE_MS, until_ms: 30 * 24 * 60 * MINUTE_MS },
] as const

const inUtc = (at: string) => at.replace("T", " ").replace("Z", " UTC")

/** A time in the reader's own zone; the same in UTC on hover. Only for what a browser renders: a server has another zone. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={inUtc(at)}>
      {local.format(new Date(at))}
    </time>
  )
}

/** How long ago a time was, or how soon it comes; both zones on hover. From thirty days on it is a `Moment`. */
export function Ago({ at }: { at: string }) {
  const now = useNow()
  const away_ms = new Date(at).getTime() - now
  const unit = units.find(({ until_ms }) => Math.abs(away_ms) < until_ms)
  if (!unit) return <Moment at={at} />
  return (
    <time dateTime={at} title={`${local.format(new Date(at))}\n${inUtc(at)}`} className="whitespace-nowrap">
      {Math.abs(away_ms) < MINUTE_MS ? "just now" : relative.format(Math.trunc(away_ms / unit.ms), unit.unit)}
    </time>
  )
}

/** The present, which moves on twice a minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS / 2)
    return () => clearInterval(timer)
  }, [])
  return now
}
