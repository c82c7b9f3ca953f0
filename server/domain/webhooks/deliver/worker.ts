import { clockDoubt } from "#db/clock.ts"
import { subscribe } from "#db/pubsub.ts"
import { logger } from "#server/lib/log.ts"
import { Passes } from "#server/lib/passes.ts"
import { sleep } from "#server/lib/time.ts"
import { type Lease, leaseDue, release, takeEvents } from "./queue.ts"
import { deliverTo } from "./run.ts"

/**
 * Endpoints that this process serves at a time. Slow ones have their own places, so that they delay only each other. A
 * long run makes room for another one, up to `most`, because it may wait for an endpoint that stopped answering, or
 * have much to send.
 */
class Places {
  readonly #fresh: number
  readonly #most: number
  /** When each run started. */
  readonly #runs = new Set<{ since: number }>()

  constructor({ fresh, most }: { fresh: number; most: number }) {
    this.#fresh = fresh
    this.#most = most
  }

  get free(): number {
    const since = performance.now() - FRESH_MS
    const begun = [...this.#runs].filter((run) => run.since > since).length
    return Math.max(0, Math.min(this.#fresh - begun, this.#most - this.#runs.size))
  }

  async hold(work: () => Promise<void>): Promise<void> {
    const run = { since: performance.now() }
    this.#runs.add(run)
    await work().finally(() => this.#runs.delete(run))
  }
}
/** A run that lasts longer no longer counts as fresh. */
const FRESH_MS = 1000

/** How often to check for deliveries if nothing wakes the worker, and while there can be more than places. */
const POLL_MS = 1000
const BUSY_POLL_MS = 250
/** The shortest pause between two checks, and the pause after one that failed. */
const PAUSE_MS = 50
const RETRY_MS = 2000
/** How long an endpoint may still answer once the process stops. */
const LAST_MS = 3000

/** Sends events to webhook endpoints. */
export class WebhookWorker {
  readonly #stop = new AbortController()
  readonly #end = new AbortController()
  readonly #passes = new Passes()
  readonly #fast = new Places({ fresh: 16, most: 64 })
  readonly #slow = new Places({ fresh: 32, most: 32 })
  /** Ends the wait for the next check. */
  #wake = () => {}
  #loop: Promise<void> = Promise.resolve()

  start(): void {
    this.#loop = this.#run()
  }

  /** Resolves when every check and run that has started so far has ended. */
  passesEnded(): Promise<void> {
    return this.#passes.ended()
  }

  /** Attempts in progress have some seconds left. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loop
    const end = setTimeout(() => this.#end.abort(), LAST_MS)
    await this.#passes.ended()
    clearTimeout(end)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const unsubscribe = subscribe("webhooks", () => this.#wake())
    signal.addEventListener("abort", () => this.#wake())
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      try {
        await this.#passes.add(this.#check())
        await sleep(PAUSE_MS, signal)
        const isBusy = this.#fast.free === 0 || this.#slow.free === 0
        const poll = setTimeout(() => this.#wake(), isBusy ? BUSY_POLL_MS : POLL_MS)
        await woken
        clearTimeout(poll)
      } catch (error) {
        logger.warn({ err: error }, "webhooks could not be sent; retrying")
        await sleep(RETRY_MS, signal)
      }
    }
    unsubscribe()
  }

  /** Starts a run for each endpoint that has a delivery to try now and that no worker serves. */
  async #check(): Promise<void> {
    if (clockDoubt() !== null) return
    await takeEvents()
    const room = { fast: this.#fast.free, slow: this.#slow.free }
    if (room.fast + room.slow === 0) return
    for (const lease of await leaseDue(room)) {
      const places = lease.is_slow ? this.#slow : this.#fast
      void this.#passes.add(places.hold(() => this.#serve(lease))).then(() => this.#wake())
    }
  }

  async #serve(lease: Lease): Promise<void> {
    try {
      await deliverTo(lease.workspace_id, lease.id, { stop: this.#stop.signal, end: this.#end.signal })
    } catch (error) {
      // The deliveries stay pending.
      logger.warn({ err: error, endpoint: lease.id }, "a webhook could not be sent; retrying")
    } finally {
      // If that fails, the lease expires.
      await release(lease).catch((error) => logger.debug({ err: error }, "a lease was not ended"))
    }
  }
}
