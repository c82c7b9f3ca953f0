import { performance } from "node:perf_hooks"

// A process that was paused, or starved of processor time, finds its timers expired before it has read what clients sent
// in time. Clients must not be blamed for that.

const BEAT_MS = 1000
/** A beat this late is a stall. */
const STALL_MS = 3000

let lastBeat = performance.now()
let lastStall = Number.NEGATIVE_INFINITY

function beat(): void {
  const now = performance.now()
  if (now - lastBeat > STALL_MS) lastStall = now
  lastBeat = now
}
setInterval(beat, BEAT_MS).unref()

/** Whether this process stood still after a time on the clock of `performance.now()`. */
export function hasStalledSince(time: number): boolean {
  // The timer that asks may be processed before the late beat.
  beat()
  return lastStall > time
}
