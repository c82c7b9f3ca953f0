import { setTimeout as sleep } from "node:timers/promises"
import type { Log } from "./log.ts"

export type Service = { exited: Promise<void>; stop(): Promise<void> }

export type Supervised<S extends Service> = {
  current: S
  /** Ends the supervision and its restarts. The service keeps running. */
  release(): Promise<void>
}

const longestPause_ms = 5_000

/** Starts a service and restarts it whenever it ends. A failed first start rejects; failed restarts are repeated. */
export async function supervise<S extends Service>(
  name: string,
  start: () => Promise<S>,
  log: Log,
): Promise<Supervised<S>> {
  const released = new AbortController()
  const { signal } = released
  const aborted = new Promise<void>((done) => signal.addEventListener("abort", () => done()))
  const supervised: Supervised<S> = {
    current: await start(),
    release: () => {
      released.abort()
      return loop
    },
  }
  const loop = keepRunning()
  return supervised

  async function keepRunning(): Promise<void> {
    for (let pause_ms = 0; ; ) {
      const since = performance.now()
      await Promise.race([supervised.current.exited, aborted])
      if (signal.aborted) return
      log.warn(`${name} stopped: restarting it`)
      // A service that ran for a while restarts at once. One that keeps failing must not use up the CPU.
      if (performance.now() - since > 500) pause_ms = 0
      for (;;) {
        if (pause_ms > 0) await sleep(pause_ms, undefined, { signal }).catch(() => {})
        if (signal.aborted) return
        pause_ms = Math.min(Math.max(100, pause_ms * 2), longestPause_ms)
        try {
          supervised.current = await start()
          log.info(`${name} is running again`)
          break
        } catch (error) {
          log.error(`could not restart ${name}: ${error instanceof Error ? error.message : error}`)
        }
      }
    }
  }
}
