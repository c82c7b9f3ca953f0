import { background as sql } from "#db/client.ts"
import { WORKER_SILENT_SECONDS } from "#server/domain/health.ts"
import { overdueSeconds } from "#server/domain/webhooks/metrics.ts"
import { type Depths, readAges, readAudits, readDepths } from "#server/ledger/report.ts"
import { logger } from "#server/lib/log.ts"
import type { LedgerReport } from "#shared/ledger-report.ts"

/** How old figures may be before they are read again, and how long a scrape waits for that. */
const FRESH_MS = 5000
const PATIENCE_MS = 1000
/** Figures that are older are not shown: a graph that stands still looks like one where nothing happens. */
const STALE_MS = 10_000

type OfMode = Depths &
  Pick<LedgerReport, "audit_age_seconds" | "audit_differences"> & {
    oldest_operation_seconds: number
    oldest_transaction_seconds: number
  }
type Figures = { workers: number; modes: OfMode[]; webhooks_overdue_seconds: number }

/**
 * What the database knows of the whole deployment. Every process shows it, so that it is there when no worker is. It is
 * asked by one question at a time, whoever asks and however often, and a database that does not answer holds nobody up.
 */
export class DeploymentFigures {
  #known: { figures: Figures; at_ms: number } | null = null
  #asking: Promise<void> | null = null
  /** Whether the database answered in time when it was last asked. */
  isUp = false

  /** Reads them again where they are old. It does not throw, and takes a second at most. */
  async refresh(): Promise<void> {
    if (this.#known && performance.now() - this.#known.at_ms < FRESH_MS) return
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.isUp = false
      resolve()
    }, PATIENCE_MS)
    await Promise.race([this.#asking, late])
    clearTimeout(timer)
  }

  /** Null where they are not known. */
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
      logger.debug({ err: error }, "could not read the figures of the deployment")
    }
  }
}

/** One statement after the other: the ledger needs the same connections. */
async function read(): Promise<Figures> {
  const depths = await readDepths()
  const ages = await readAges()
  const audits = await readAudits()
  const [alive] = await sql<{ workers: number }[]>`
    select count(*)::int as workers from workers
    where seen_at > now() - ${WORKER_SILENT_SECONDS}::int * interval '1 second'`
  const modes = depths.map((depth) => ({ ...depth, ...noneIsZero(ages(depth.mode)), ...audits(depth.mode) }))
  return { workers: alive!.workers, modes, webhooks_overdue_seconds: await overdueSeconds() }
}

/** Where nothing waits, nothing has waited for any time. */
const noneIsZero = (ages: {
  oldest_operation_seconds: number | null
  oldest_transaction_seconds: number | null
}) => ({
  oldest_operation_seconds: ages.oldest_operation_seconds ?? 0,
  oldest_transaction_seconds: ages.oldest_transaction_seconds ?? 0,
})
