import { background as sql } from "#db/client.ts"
import { certainNow, clockDoubt } from "#db/clock.ts"
import { expireApprovals } from "#domain/approvals"
import { expireDue, revokeDue } from "#domain/attestations"
import { anchorAuditLogs } from "#domain/audit-anchors"
import { linkEntries } from "#domain/audit-log"
import { auditDue } from "#domain/audits"
import { deployment } from "#domain/deployment"
import { advanceDistributions } from "#domain/distributions"
import { announceExpiring, sequenceEvents } from "#domain/events"
import { applyHeld, askProviders, sendReminders } from "#domain/kyc"
import { sendNotifications } from "#domain/notifications"
import { clearRequests, redactDue } from "#domain/privacy"
import { advanceRecoveries } from "#domain/recoveries"
import { fillPriorities } from "#domain/reviews"
import { digestsInUse, loadedLists, rescreenDue } from "#domain/screening"
import { advanceSnapshots } from "#domain/snapshots"
import { datePostings, expireHolds, followHolders, reconcileDue, releaseExpired } from "#domain/tokens"
import { checkPaymentMints } from "#domain/treasury"
import { archiveEnded } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import { Passes } from "#server/lib/passes.ts"
import { addDays } from "#server/lib/time.ts"
import type { LedgerReport, LowPayer } from "#shared/ledger-report.ts"
import { modes } from "#shared/mode.ts"
import { clean } from "./retention.ts"

/** How often a worker looks for wallets that another process left unfinished or whose policy changed. */
const SCREEN_AGAIN_MS = 3000
/** How often postings are dated. What is final waits so long for the register. */
const DATE_MS = 2000

/** How often what holders moved is recorded. A moment is final for the register once it is. */
const FOLLOW_MS = 2000

/** How often a worker looks for payouts to begin. */
const DISTRIBUTE_MS = 250

/** How often the payment mints are read for the health report. An issuer changes one rarely, if ever. */
const PAYMENT_MINTS_MS = 30_000

/** How often a worker looks for record dates that are final. */
const SNAPSHOT_MS = 2000

/** How often entries of the audit log are linked in its hash chain. */
const LINK_MS = 2000
/** How often a worker looks for audit logs whose day is over. */
const ANCHOR_MS = 600_000

/** What a process reports about its workers. */
export type Report = {
  /** Why they cannot work; null if they can. */
  trouble: string | null
  ledgers: LedgerReport[]
  /** Fee payers that need SOL. */
  lowPayers: LowPayer[]
}

/** Work that runs by the clock: expiry, retention, and reporting that this process is alive. */
export class Housekeeping {
  readonly #id = crypto.randomUUID()
  readonly #report: () => Promise<Report>
  readonly #timers: NodeJS.Timeout[] = []
  readonly #passes = new Passes()
  #isStopped = false

  constructor(report: () => Promise<Report>) {
    this.#report = report
  }

  start(): void {
    this.#every(1000, sweep)
    this.#every(500, reconcileAccounts)
    this.#every(500, carryOn)
    this.#every(DISTRIBUTE_MS, distribute)
    this.#every(DATE_MS, datePostings)
    this.#every(FOLLOW_MS, follow)
    this.#every(SNAPSHOT_MS, completeSnapshots)
    this.#every(LINK_MS, linkEntries)
    this.#every(ANCHOR_MS, anchorAudits)
    this.#every(60_000, clean)
    this.#every(10_000, fillPriorities)
    // How often a worker looks for workspaces that must be reconciled.
    this.#every(60_000, () => this.#audit())
    this.#every(1000, askProviders)
    this.#every(250, () => this.#screen())
    this.#every(1000, redactDue)
    this.#every(10_000, clearRequests)
    this.#every(250, () => this.#revoke())
    for (const send of [sendReminders, sendNotifications, announceExpiring]) this.#every(60_000, send)
    this.#every(200, sequenceEvents)
    this.#every(60_000, () => this.archive())
    this.#every(PAYMENT_MINTS_MS, checkMints)
    this.#every(2000, () => this.beat())
  }

  /** Resolves when every pass that has begun has ended. */
  passesEnded(): Promise<void> {
    return this.#passes.ended()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.passesEnded()
    await sql`delete from workers where id = ${this.#id}`.catch(() => {})
  }

  /** Revokes what members selected, a few of each bulk revocation at a time. */
  async #revoke(): Promise<void> {
    while (!this.#isStopped && (await revokeDue()));
  }

  #screened = { version: "", at_ms: 0 }

  /** Compares wallets with changed lists at once. */
  async #screen(): Promise<void> {
    const version = loadedLists()
      .map(({ digest }) => digest)
      .join(" ")
    const now_ms = performance.now()
    const isKnown = version === this.#screened.version && now_ms - this.#screened.at_ms < SCREEN_AGAIN_MS
    if (version === "" || isKnown) return
    await rescreenDue(applyHeld)
    this.#screened = { version, at_ms: now_ms }
  }

  async #audit(): Promise<void> {
    while (!this.#isStopped && clockDoubt() === null && (await auditDue()));
  }

  /** Archives what ended long ago. Does nothing while the clock is in doubt. */
  async archive(): Promise<void> {
    const days = deployment.settings.VOUCH_ARCHIVE_AFTER_DAYS
    const now = days === 0 ? null : await certainNow()
    if (now !== null) await archiveEnded(addDays(now, -days), () => this.#isStopped)
  }

  async beat(): Promise<void> {
    const { trouble, ledgers, lowPayers } = await this.#report()
    const lists = digestsInUse()
    await sql`
      insert into workers (id, seen_at, trouble, report, low_payers, lists)
      values (${this.#id}, now(), ${trouble}, ${sql.json(ledgers)}, ${sql.json(lowPayers)}, ${lists && sql.json(lists)})
      on conflict (id) do update set seen_at = excluded.seen_at, trouble = excluded.trouble, report = excluded.report,
        low_payers = excluded.low_payers, lists = excluded.lists`
  }

  /** Repeats a step each so many milliseconds, unless it is still running. */
  #every(ms: number, step: () => Promise<void>): void {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      const pass = step()
        .catch((error) => logger.warn({ err: error }, "housekeeping failed; retrying later"))
        .finally(() => {
          busy = false
        })
      void this.#passes.add(pass)
    }, ms)
    this.#timers.push(timer)
  }
}

/** Ends what has expired. Does nothing while the clock is in doubt. */
export async function sweep(): Promise<void> {
  const now = await certainNow()
  if (now === null) return
  await expireDue(now)
  await expireApprovals(now)
  await expireHolds(now)
  await releaseExpired(now)
}

/** A record date is compared with the clock. */
async function completeSnapshots(): Promise<void> {
  if (clockDoubt() === null) await advanceSnapshots()
}

/** Records what holders moved themselves. A history that is missing for long counts as lost. */
async function follow(): Promise<void> {
  if (clockDoubt() === null) await followHolders()
}

/** The end of a day is compared with the clock. */
async function anchorAudits(): Promise<void> {
  if (clockDoubt() === null) await anchorAuditLogs()
}

/** Carries on with the recoveries of lost wallets. */
async function carryOn(): Promise<void> {
  if (clockDoubt() === null) await advanceRecoveries()
}

/** Carries on with distributions. A payout is checked against attestations, which expire. */
async function distribute(): Promise<void> {
  if (clockDoubt() === null) await advanceDistributions()
}

/** Reconciles accounts with changed configurations, a batch at a time. */
async function reconcileAccounts(): Promise<void> {
  if (clockDoubt() === null) await reconcileDue()
}

const checkMints = () => checkPaymentMints(modes.flatMap((mode) => deployment.chains[mode] ?? []))
