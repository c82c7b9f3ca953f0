import { background as sql } from "#db/client.ts"
import { WORKER_SILENT_SECONDS } from "#domain/health"
import { overdueSeconds } from "#domain/webhooks"
import { readAges, readAudits, readDepths } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"

/** Age at which metrics are read again, and how long a scrape waits for that. */
const FRESH_MS = 5000
const PATIENCE_MS = 1000
/** Older metrics are not shown: a frozen graph would look like one where nothing happens. */
const STALE_MS = 10_000

type Figures = Awaited<ReturnType<typeof read>>

/**
 * Metrics of the whole deployment from the database. Every process shows them, so that they are available without a
 * worker. Only one read runs at a time, however many scrapes come, and an unresponsive database delays no scrape.
 */
export class DeploymentFigures {
  #known: { figures: Figures; at_ms: number } | null = null
  #asking: Promise<void> | null = null
  /** Whether the database answered in time at the last read. */
  isUp = false

  /** Reads them again if they are old. Never throws, and takes at most a second. */
  async refresh(): Promise<void> {
    if (this.#known && performance.now() - this.#known.at_ms < FRESH_MS) return
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    const answered = new AbortController()
    const late = sleep(PATIENCE_MS, answered.signal).then(() => {
      if (!answered.signal.aborted) this.isUp = false
    })
    await Promise.race([this.#asking, late])
    answered.abort()
  }

  /** Null if they are unknown. */
  get now(): Figures | null {
    const isStale = this.#known === null || performance.now() - this.#known.at_ms > STALE_MS
    return isStale ? null : this.#known!.figures
  }

  async #ask(): Promise<void> {
    try {
      this.#known = { figures: await read(), at_ms: performance.now() }
      this.isUp = true
    } catch (error) {
      this.isUp = false
      logger.debug({ err: error }, "could not read the metrics of the deployment")
    }
  }
}

/** One statement at a time: the ledger needs the same connections. */
async function read() {
  const depths = await readDepths()
  const ages = await readAges()
  const audits = await readAudits()
  const [alive] = await sql<{ workers: number }[]>`
    select count(*)::int as workers from workers
    where seen_at > now() - ${WORKER_SILENT_SECONDS}::int * interval '1 second'`
  const modes = depths.map((depth) => ({ ...depth, ...zeroIfNone(ages(depth.mode)), ...audits(depth.mode) }))
  return { workers: alive!.workers, modes, webhooks_overdue_seconds: await overdueSeconds() }
}

/** If nothing waits, the age is 0. */
const zeroIfNone = (ages: { oldest_operation_seconds: number | null; oldest_transaction_seconds: number | null }) => ({
  oldest_operation_seconds: ages.oldest_operation_seconds ?? 0,
  oldest_transaction_seconds: ages.oldest_transaction_seconds ?? 0,
})
