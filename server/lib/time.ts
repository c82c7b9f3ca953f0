import { setTimeout } from "node:timers/promises"

/** A reading of another clock: its time, and the monotonic instant of the reading in milliseconds. */
type Anchor = { time_ms: number; at_ms: number }

let anchor: Anchor | null = null

/** Sets `clock` by a reading of the database's clock (`db/clock.ts`). */
export function anchorClock(to: Anchor | null): void {
  anchor = to
}

/** The database's time: its last reading plus monotonic time. Without a reading, this machine's. */
export const databaseTime_ms = (): number =>
  anchor === null ? Date.now() : anchor.time_ms + performance.now() - anchor.at_ms

let shown: (() => Date) | null = null

/** Makes `clock` show another time, or the real one again with null. Only for `test/fixtures/clock.ts`, which moves it safely. */
export function showTime(now: (() => Date) | null): void {
  shown = now
}

/** The only source of time. Frozen: tests of expiry move it with `test/fixtures/clock.ts` instead of sleeping. */
export const clock = Object.freeze({ now: (): Date => shown?.() ?? new Date(databaseTime_ms()) })

/** Milliseconds of a monotonic clock, for intervals within this process. */
export const monotonic = { now: () => performance.now() }

export { toTimestamp } from "#shared/timestamp.ts"

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })

/** The day (UTC) for people: `3 Nov 2026`. */
export const formatDay = (time: Date): string => day.format(time)

export const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000

export const addSeconds = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000)

export const addDays = (time: Date, days: number): Date => addSeconds(time, days * 86_400)

/** First instant of the day (UTC) that `time` lies in. */
export const startOfDay = (time: Date): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()))

/** Seconds until the next day (UTC), for the `Retry-After` of a daily limit. */
export const secondsLeftToday = (time: Date): number => Math.ceil(secondsBetween(time, addDays(startOfDay(time), 1)))

/** First instant of the calendar month (UTC) that `time` lies in. */
export const startOfMonth = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1))

/** First instant of the calendar month (UTC) after the one that `time` lies in. */
export const endOfMonth = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 1))

/** Resolves after `ms`, or at once when the signal aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, signal && { signal }).catch(() => {})

/** The calendar month (UTC) that usage is counted in, named by its first day: `YYYY-MM-01`. */
export const periodOf = (time: Date): string => startOfMonth(time).toISOString().slice(0, 10)
