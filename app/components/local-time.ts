// Times in a zone other than the browser's. `Intl` converts instants to local times, this module also the reverse.

const partsIn = new Map<string, Intl.DateTimeFormat>()

/** How far the zone's clocks are ahead of UTC at an instant. */
function offset_ms(instant_ms: number, zone: string): number {
  let format = partsIn.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      ...{ year: "numeric", month: "2-digit", day: "2-digit" },
      ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
    })
    partsIn.set(zone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(instant_ms).map(({ type, value }) => [type, Number(value)]))
  const { year, month, day, hour, minute, second } = parts as Record<string, number>
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const shown_ms = new Date(Date.UTC(2000, month! - 1, day, hour, minute, second)).setUTCFullYear(year!)
  return shown_ms - Math.floor(instant_ms / 1000) * 1000
}

/** What the zone's clocks show at an instant, in the format of `datetime-local`: `2027-01-31T09:30:00`. */
export function localIn(zone: string, at: string): string {
  const instant_ms = new Date(at).getTime()
  return new Date(instant_ms + offset_ms(instant_ms, zone)).toISOString().slice(0, 19)
}

/**
 * The instant at which the zone's clocks show this time, or null if the text is not a time. If they show it twice, the
 * first. If they skip it, the instant at which they would have shown it without the change.
 */
export function instantIn(zone: string, local: string): Date | null {
  const shown_ms = new Date(`${local}Z`).getTime()
  if (Number.isNaN(shown_ms)) return null
  // The offset changes at most once within these two days.
  const [before, after] = [-1, 1].map((days) => offset_ms(shown_ms + days * 86_400_000, zone)) as [number, number]
  const isShown = (offset: number) => offset_ms(shown_ms - offset, zone) === offset
  return new Date(shown_ms - (isShown(before) || !isShown(after) ? before : after))
}

/**
 * From the start of one day to the end of another in the page's zone, as the server takes it. Years may be half typed. A
 * time outside the years that the server takes is left out, because all rows are within them. Either end may also be an
 * instant, which ends with `Z`.
 */
export function timesOf(
  { from, to }: { from: string | null; to: string | null },
  zone: string,
): { from?: string; to?: string } {
  const instantOf = (end: string, day: string) => (isInstant(end) ? new Date(end) : instantIn(zone, `${day}T00:00:00`))
  const start = from === null ? null : instantOf(from, from)
  const end = to === null ? null : instantOf(to, dayAfter(to))
  return { ...(isTaken(start) && { from: start.toISOString() }), ...(isTaken(end) && { to: end.toISOString() }) }
}

export const isInstant = (text: string): boolean => text.endsWith("Z")

const isTaken = (time: Date | null): time is Date =>
  time !== null && time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999

const dayAfter = (day: string): string => daysBefore(day, -1)

/** The day so many days earlier. A text that is no day stays. */
export function daysBefore(day: string, days: number): string {
  const time = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(time.getTime())) return day
  time.setUTCDate(time.getUTCDate() - days)
  return time.toISOString().slice(0, 10)
}

/**
 * The last second of a day in the zone, or null if the text is not a day. Found from the next day's start, because clocks
 * that go back at midnight show 23:59:59 twice.
 */
export function endOfDay(day: string, zone: string): Date | null {
  const next = instantIn(zone, `${dayAfter(day)}T00:00:00`)
  return next && new Date(next.getTime() - 1000)
}

/** The last day of the month, and of the quarter, before that of this day. */
export const endOfLastMonth = (day: string): string => daysBefore(`${day.slice(0, 8)}01`, 1)
export function endOfLastQuarter(day: string): string {
  const month = Number(day.slice(5, 7))
  const first = month - ((month - 1) % 3)
  return daysBefore(`${day.slice(0, 5)}${String(first).padStart(2, "0")}-01`, 1)
}
