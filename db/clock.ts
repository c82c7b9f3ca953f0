import { logger } from "#server/lib/log.ts"
import { anchorClock, clock, databaseTime_ms } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { open, type Sql } from "./client.ts"

/**
 * Keeps `clock` at the database's time, and reports when the time is in doubt: if the clocks of this machine, the
 * database and the chain differ, Vouch cannot know which is right.
 */

const READ_EVERY_MS = 1000
/** Timeout of one reading, after which its connection is closed. */
const READ_WITHIN_MS = 4000
/** An older reading is ignored, because the address may lead to another server since. */
const STALE_MS = 5000
/** How far clocks may differ. */
const TOLERANCE_MS = 5000
/** One of the nodes behind an address may lag, so a chain disagrees only if all its latest readings do. */
const CHAIN_READINGS = 3
const CHAIN_STALE_MS = 30_000

type Following = { url: string; sql: Sql; timer: NodeJS.Timeout | undefined }
type Reading = { ahead_ms: number; at_ms: number }

let following: Following | null = null
/** The anchor's possible error, and when a reading last agreed with it. */
let known: { within_ms: number; at_ms: number } | null = null
let reading: Promise<void> | null = null
let reported: string | null = null
const chains = new Map<Mode, Reading[]>()

/** Starts following the clock of the database at `url`. Rejects if it cannot be read. */
export async function followDatabaseClock(url: string): Promise<void> {
  await leaveDatabaseClock()
  following = { url, sql: open(url, 1), timer: undefined }
  await readOnce()
  again(following)
}

export async function leaveDatabaseClock(): Promise<void> {
  const left = following
  following = null
  clearTimeout(left?.timer)
  await reading?.catch(() => {})
  await left?.sql.end({ timeout: 1 })
  anchorClock(null)
  known = null
  reported = null
  chains.clear()
}

function again(of: Following): void {
  of.timer = setTimeout(async () => {
    await readOnce().catch((error) => logger.debug({ err: error }, "could not read the database's clock"))
    say()
    if (following === of) again(of)
  }, READ_EVERY_MS).unref()
}

/** Logs once what is wrong, and once that it is right again. */
function say(): void {
  const doubt = clockDoubt()
  if (doubt === reported) return
  if (doubt !== null && reported === null) logger.warn(`${doubt}: nothing is signed or swept until the clocks agree`)
  if (doubt === null) logger.info("the clocks agree again")
  reported = doubt
}

function readOnce(): Promise<void> {
  reading ??= read().finally(() => {
    reading = null
  })
  return reading
}

async function read(): Promise<void> {
  const of = following
  if (of === null) return
  const sent_ms = performance.now()
  const time_ms = await withDeadline(
    of,
    of.sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  )
  if (following !== of) return
  const at_ms = performance.now()
  // The clock was read at some moment between request and response.
  const within_ms = (at_ms - sent_ms) / 2
  const midway_ms = at_ms - within_ms
  const off_ms = time_ms - (databaseTime_ms() - within_ms)
  // A slow reading, as on a busy machine, agrees with the anchor and leaves it unchanged.
  if (known === null || within_ms < known.within_ms || Math.abs(off_ms) > within_ms) {
    anchorClock({ time_ms, at_ms: midway_ms })
    known = { within_ms, at_ms }
  } else {
    known.at_ms = at_ms
  }
}

/** A silent connection is closed: a late answer would be taken for the answer to another question. */
async function withDeadline(of: Following, query: PromiseLike<{ ms: number }[]>): Promise<number> {
  const { promise: silence, reject } = Promise.withResolvers<never>()
  const timeout = setTimeout(() => {
    const silent = of.sql
    of.sql = open(of.url, 1)
    silent.end({ timeout: 0 }).catch(() => {})
    reject(Object.assign(new Error("could not read the database's time"), { code: "CONNECT_TIMEOUT" }))
  }, READ_WITHIN_MS)
  try {
    return (await Promise.race([query, silence]))[0]!.ms
  } finally {
    clearTimeout(timeout)
  }
}

/** Why nothing irreversible may be done now; null if the clocks agree. A mode selects its chain's clock. */
export function clockDoubt(mode?: Mode): string | null {
  if (known === null || performance.now() - known.at_ms > STALE_MS) return "the database's time is unknown"
  // Checked at once, so that waking from suspension, in which the monotonic clock stood still, leaves no gap.
  const own_ms = Date.now() - databaseTime_ms()
  if (Math.abs(own_ms) > TOLERANCE_MS) return `this server's ${differs(own_ms)}`
  for (const [of, readings] of chains) {
    if (mode !== undefined && mode !== of) continue
    const recent = readings.filter(({ at_ms }) => performance.now() - at_ms < CHAIN_STALE_MS)
    if (recent.length > 0 && recent.every(({ ahead_ms }) => Math.abs(ahead_ms) > TOLERANCE_MS)) {
      return `the ${of} chain's ${differs(recent.at(-1)!.ahead_ms)}`
    }
  }
  return null
}

/** By how many seconds a chain's clock was ahead of the database's at the last reading; null if it was not. */
export function chainClockDifference(mode: Mode): number | null {
  const last = chains.get(mode)?.at(-1)
  return last === undefined ? null : Math.round(last.ahead_ms / 1000)
}

/** By how many seconds this machine's clock is ahead of the database's; null if unknown. */
export const ownClockDifference = (): number | null => (known === null ? null : (Date.now() - databaseTime_ms()) / 1000)

/** Whether the machine's own clock, which the libraries for signing in use, is too far off. */
export const ownClockDiffers = (): boolean => Math.abs(Date.now() - databaseTime_ms()) > TOLERANCE_MS

const differs = (ahead_ms: number): string =>
  `clock differs from the database's by ${ahead_ms > 0 ? "+" : "-"}${Math.round(Math.abs(ahead_ms) / 1000)} s`

/** The database's time, read now; null if the clocks differ. For irreversible work. */
export async function certainNow(): Promise<Date | null> {
  await readOnce()
  return clockDoubt() === null ? clock.now() : null
}

/** Records a chain's clock, in whole seconds. It may lag by a slot: a block's time lasts until the next block. */
export function noteChainTime(mode: Mode, { unixSeconds, slotMs }: { unixSeconds: number; slotMs: number }) {
  const behind_ms = databaseTime_ms() - unixSeconds * 1000
  const slack_ms = 1000 + slotMs
  const ahead_ms = behind_ms > 0 ? Math.min(0, slack_ms - behind_ms) : -behind_ms
  const readings = [...(chains.get(mode) ?? []), { ahead_ms, at_ms: performance.now() }]
  chains.set(mode, readings.slice(-CHAIN_READINGS))
}
