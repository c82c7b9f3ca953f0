import { background as sql } from "#db/client.ts"
import { certainNow, clockDoubt } from "#db/clock.ts"
import { expireAttestations, expireSessions } from "#server/domain/attestations/expire.ts"
import { isReplayedNoMore } from "#server/domain/idempotency.ts"
import { cleanPeople } from "#server/domain/people/retention.ts"
import { reconcileDue } from "#server/domain/tokens/reconcile-accounts.ts"
import { logger } from "#server/lib/log.ts"
import { addDays } from "#server/lib/time.ts"

const SWEEP_EVERY_MS = 1000
const ALIGN_EVERY_MS = 500
const CLEAN_EVERY_MS = 60_000
const BEAT_EVERY_MS = 2000
const WEBHOOK_EVENTS_DAYS = 90
const REQUESTS_DAYS = 30
const BATCH = 5000

/** What has to happen by the clock: expiry, retention, and the sign of life of this process. */
export class Housekeeping {
  readonly #id = crypto.randomUUID()
  readonly #trouble: () => string | null
  readonly #timers: NodeJS.Timeout[] = []
  #running = new Set<Promise<void>>()

  /** `trouble` says why this process's workers cannot work; null if they can. */
  constructor(trouble: () => string | null) {
    this.#trouble = trouble
  }

  start(): void {
    this.#every(SWEEP_EVERY_MS, sweep)
    this.#every(ALIGN_EVERY_MS, reconcileAccounts)
    this.#every(CLEAN_EVERY_MS, clean)
    this.#every(BEAT_EVERY_MS, () => this.beat())
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await Promise.all(this.#running)
    await sql`delete from workers where id = ${this.#id}`.catch(() => {})
  }

  async beat(): Promise<void> {
    await sql`
      insert into workers (id, seen_at, trouble) values (${this.#id}, now(), ${this.#trouble()})
      on conflict (id) do update set seen_at = excluded.seen_at, trouble = excluded.trouble`
  }

  #every(ms: number, step: () => Promise<void>): void {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      const run = step()
        .catch((error) => logger.warn({ err: error }, "housekeeping failed; retrying later"))
        .finally(() => {
          busy = false
          this.#running.delete(run)
        })
      this.#running.add(run)
    }, ms)
    this.#timers.push(timer)
  }
}

/** Ends what has expired, a batch at a time until nothing is due. Nothing while the time is in doubt. */
export async function sweep(): Promise<void> {
  const now = await certainNow()
  if (now === null) return
  while ((await expireSessions({ workspaceId: null, now })) > 0);
  while ((await expireAttestations({ now })) > 0);
}

/** Reconciles accounts with changed configurations, a batch at a time. */
export async function reconcileAccounts(): Promise<void> {
  if (clockDoubt() === null) await reconcileDue()
}

/** Drops what is past its retention, a batch at a time until nothing is. Nothing while the time is in doubt. */
export async function clean(): Promise<void> {
  const now = await certainNow()
  if (now === null) return
  const recognised = addDays(now, -WEBHOOK_EVENTS_DAYS)
  const logged = addDays(now, -REQUESTS_DAYS)
  const ended = await Promise.allSettled([
    untilFew(
      () => sql`
        delete from idempotency_records where ctid in (
          select ctid from idempotency_records where ${isReplayedNoMore(sql)} limit ${BATCH})`,
    ),
    untilFew(
      () => sql`
        delete from webhook_events where ctid in (
          select ctid from webhook_events where received_at <= ${recognised} limit ${BATCH})`,
    ),
    untilFew(
      () => sql`
        delete from api_requests where ctid in (
          select ctid from api_requests where at <= ${logged} order by at limit ${BATCH})`,
    ),
    cleanPeople(),
    sql`delete from workers where seen_at <= ${addDays(now, -1)}`,
  ])
  // One that fails keeps no other from its work.
  for (const one of ended) if (one.status === "rejected") throw one.reason
}

async function untilFew(remove: () => PromiseLike<{ count: number }>): Promise<void> {
  while ((await remove()).count === BATCH);
}
