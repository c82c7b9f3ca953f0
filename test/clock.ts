import { onTestFinished } from "vitest"
import { addSeconds, databaseTime_ms, showTime } from "#server/lib/time.ts"
import type { Running } from "#server/start/start.ts"

/**
 * Moves `clock`, until the test ends at the latest. Whoever awaits a move knows that nothing goes on any more that began
 * by the time before: a sweep of the servers in this process that was still under way would end what comes after by a
 * time that nobody sees any more.
 *
 * The ledger needs no such wait. It reads its operations before the clock, so that none is judged by a time from before
 * it was there.
 */

type Passing = Pick<Running, "passesEnded">

const servers = new Set<Passing>()
let isMoved = false

/** Has every move wait for what a server of this process has begun, until what it returns is called. */
export function waitForPassesOf(server: Passing): () => void {
  servers.add(server)
  return () => void servers.delete(server)
}

/** The time, wherever `clock` has been moved. */
export const realNow = (): Date => new Date(databaseTime_ms())

/** Shows another time: one that stands, or whatever `now` returns. */
export async function moveClock(to: Date | (() => Date)): Promise<void> {
  // By itself at the end, where the test says nothing: outside of a test this throws.
  if (!isMoved) onTestFinished(restoreClock)
  isMoved = true
  await show(to instanceof Date ? () => new Date(to) : to)
}

/** Shows the time that it will be in a while, and goes on from there. */
export const advanceClock = ({ days = 0, seconds = 0 }: { days?: number; seconds?: number }): Promise<void> =>
  moveClock(() => addSeconds(realNow(), days * 86_400 + seconds))

/** Shows the time again. */
export async function restoreClock(): Promise<void> {
  await show(null)
  isMoved = false
}

async function show(now: (() => Date) | null): Promise<void> {
  showTime(now)
  await Promise.all([...servers].map((server) => server.passesEnded()))
}
