import { background as sql } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { publish } from "#db/pubsub.ts"
import { qualified } from "#db/rows.ts"
import type { Operations } from "#server/ledger/definition.ts"
import { effectsOf } from "#server/ledger/evidence.ts"
import { OPERATION_COLUMNS, type OperationRow } from "#server/ledger/operation.ts"
import { askQuorum } from "#server/ledger/quorum.ts"
import { logger } from "#server/lib/log.ts"
import type { Chain } from "#server/solana/chain.ts"
import { HistoryMissing } from "#server/solana/rpc/errors.ts"
import { BLOCKHASH_HEIGHTS } from "#server/solana/transaction.ts"
import { Booking, type BookingResult } from "./booking.ts"
import { hasOwnTransaction, readAgreedUnbooked, readUnbooked } from "./history.ts"
import { type Quarantined, readQuarantines, recheckQuarantines } from "./quarantine.ts"
import { type ChainState, markCompared, noteSeen, noteWaiting, readState } from "./state.ts"

/** How often to check that the database is still the run that was compared, in milliseconds. */
const CHECK_EVERY_MS = 1000
/** How often the latest seen slot is saved, and how often to ask a node again that could not answer. */
const SEEN_EVERY_MS = 10_000
const RETRY_MS = 2000
const LONGEST_RETRY_MS = 15_000

const OPERATIONS_AT_ONCE = 100

const NOTHING_SIGNED = "nothing is signed until the database and the chain agree"

type Begun = { server: string; wait: ReturnType<typeof waitUntil> | null; tries: number }

/**
 * Compares a restarted database with its chain before anything is signed. A restore or a failover may have lost
 * commits: what they signed is on chain, or may land until its blockhash is invalid, and would be signed a second time.
 * The fee payer's history, with its memos, is the other half of the record.
 *
 * - Another run of the database server may be a restore, whatever the server reports. So it waits until the finalized
 * height is past everything that may have been signed before, and books all that has landed as if it had just been
 * signed. A workspace of which the chain cannot explain something stays in quarantine until a person decides.
 * - On the embedded network, which executes transactions at once, and on a database server that was never restarted, it
 * waits only if something has landed that the database does not know.
 */
export class Comparison {
  readonly #chain: Chain
  readonly #kinds: Operations
  /** The run of the database server that this process has compared. */
  #compared: string | null = null
  /** The run that it is comparing, and what it waits for; null while nothing seems to be lost. */
  #begun: Begun | null = null
  /** Whether the wait ends by itself. */
  isPassing = true
  /** Workspaces that wait for a person. */
  quarantined = 0
  #checkedAt = Number.NEGATIVE_INFINITY
  #seenAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  /** Why nothing may be signed; null if signing is allowed. */
  reason: string | null = "not compared with the chain yet"

  constructor(chain: Chain, kinds: Operations) {
    this.#chain = chain
    this.#kinds = kinds
  }

  /** Checks again, and returns `reason`. `slot` is one that the chain has reached. */
  async check(slot: number): Promise<string | null> {
    if (performance.now() - this.#checkedAt < CHECK_EVERY_MS) return this.reason
    const { mode } = this.#chain
    const state = await readState(mode)
    if (state === null) return this.reason
    if (state.compared?.server === state.server && this.#compared === state.server) {
      if (performance.now() - this.#seenAt >= SEEN_EVERY_MS) {
        this.#seenAt = performance.now()
        await noteSeen(mode, state.server, slot)
      }
      this.quarantined = (await readQuarantines(mode)).length
      this.reason = null
    } else {
      this.reason = await this.#compare(state, slot)
      // Not if only this process has just started and has not compared yet.
      if (this.reason !== null && state.compared?.server !== state.server) await noteWaiting(mode, this.reason)
    }
    // A run that is being compared is checked again as soon as anything can have changed.
    if (this.reason === null) this.#checkedAt = performance.now()
    return this.reason
  }

  async #compare(state: ChainState, slot: number): Promise<string | null> {
    const { server, compared } = state
    if (compared === null && !(await this.#hasWork())) return this.#finish(state, slot)
    const doubt = clockDoubt(this.#chain.mode)
    if (doubt !== null) return doubt
    if (this.#begun?.server !== server) this.#begun = { server, wait: null, tries: 0 }
    const pause_ms = Math.min(RETRY_MS * 2 ** this.#begun.tries, LONGEST_RETRY_MS)
    if (this.reason !== null && performance.now() - this.#triedAt < pause_ms && this.#triedAt > 0) return this.reason
    this.isPassing = true
    try {
      return await this.#read(state, this.#begun, slot)
    } catch (error) {
      if (!(error instanceof HistoryMissing)) throw error
      this.#triedAt = performance.now()
      this.#begun.tries++
      this.isPassing = false
      // The server was never restarted, so it has lost nothing.
      if (compared?.server === server) return this.#finish(state, slot)
      const reason = `no node can say what has landed: ${error.message}. \`vouch ledger reconcile\` shows it`
      if (reason !== this.reason) logger.warn({ mode: this.#chain.mode, reason }, NOTHING_SIGNED)
      return reason
    }
  }

  async #read(state: ChainState, begun: Begun, slot: number): Promise<string | null> {
    const { rpc, mode } = this.#chain
    await rpc.nodes.identify()
    if (begun.wait === null) {
      const since = Math.max(state.compared?.seenSlot ?? 0, slot)
      const newest = await rpc.latestBlockhash({ since })
      let why = this.#whyLost(state)
      if (why === null) {
        const unbooked = await readUnbooked(this.#chain, state, { commitment: "confirmed", since: newest.slot })
        if (!(await hasOwnTransaction(this.#chain, unbooked))) return this.#finish(state, newest.slot)
        why = "the chain has transactions of this deployment that the database does not know"
      }
      const from = await rpc.finalizedHeight()
      begun.wait = waitUntil(why, { from, last: newest.value.lastValidBlockHeight }, this.#chain.slotMs)
      logger.info({ mode, reason: why, seconds: begun.wait.secondsLeft(from) }, NOTHING_SIGNED)
    }
    const finalized = await rpc.finalizedHeight()
    if (!begun.wait.isOver(finalized)) return begun.wait.reason(finalized)
    const unbooked = await readAgreedUnbooked(this.#chain, state, finalized)
    const booking = new Booking(this.#chain, this.#kinds)
    const counts: Record<BookingResult, number> = { settled: 0, unexplained: 0, foreign: 0, stranger: 0 }
    for (const one of unbooked) counts[await booking.book(one)]++
    await rpc.nodes.identify()
    const waiting = await recheckQuarantines(this.#chain)
    await this.#refuseGap(finalized, waiting)
    const about = { mode, ...counts, quarantined: waiting.map(({ workspace_id }) => workspace_id) }
    const done = "the database was compared with the chain: everything that landed is in the books"
    if (unbooked.length > 0 || waiting.length > 0) logger.warn(about, done)
    else logger.info(about, done)
    publish("settled")
    return this.#finish(state, finalized.slot)
  }

  /**
   * A list may have a gap. If accounts show the effect of an operation that is about to be signed, it has landed, and
   * nodes have left something out. Rejects with HistoryMissing then, whichever of two nodes shows it.
   */
  async #refuseGap(asOf: { slot: number }, except: readonly Quarantined[]): Promise<void> {
    const rows = await sql<(OperationRow & { workspace_id: string })[]>`
      select ${sql(qualified("o", OPERATION_COLUMNS))} from operations o join workspaces w on w.id = o.workspace_id
      where w.mode = ${this.#chain.mode} and o.status = 'queued' and not o.urgent and not o.redo
        and not w.id = any(${except.map((one) => one.workspace_id)})
      order by o.workspace_id, o.seq`
    const found = await askQuorum(this.#chain.rpc.settling, (rpc) => this.#findGap({ ...this.#chain, rpc }, rows, asOf))
    const there = found.find((id) => id !== null)
    if (there) throw new HistoryMissing(`no history lists ${there}, but accounts show its effect or a similar one`)
  }

  /** An operation whose effect a node shows; null if there is none. */
  async #findGap(
    chain: Chain,
    rows: readonly (OperationRow & { workspace_id: string })[],
    asOf: { slot: number },
  ): Promise<string | null> {
    for (const [workspaceId, own] of Map.groupBy(rows, (row) => row.workspace_id)) {
      for (let from = 0; from < own.length; from += OPERATIONS_AT_ONCE) {
        const carried = own.slice(from, from + OPERATIONS_AT_ONCE)
        const effects = await effectsOf(chain, this.#kinds, { workspaceId, carried, asOf })
        const there = carried.find(({ id }) => effects.get(id) === "there")
        if (there) return there.id
      }
    }
    return null
  }

  /** Why commits may be lost whose transactions may still land; null if none can be. */
  #whyLost({ server, lineage, compared }: ChainState): string | null {
    const isAnother = compared !== null && compared.lineage !== lineage
    if (isAnother) return "the database is another server than before, which may have lost commits"
    if (this.#chain.embedded || compared?.server === server) return null
    if (compared === null) return "the database was never compared with the chain"
    return "the database was restarted, perhaps from a backup, and may have lost commits"
  }

  async #hasWork(): Promise<boolean> {
    const [row] = await sql<{ has: boolean }[]>`
      select exists (select from workspaces w where w.mode = ${this.#chain.mode} and (
        exists (select from attestations where workspace_id = w.id)
        or exists (select from operations where workspace_id = w.id)
        or exists (select from transactions where workspace_id = w.id))) as has`
    return row!.has
  }

  async #finish({ server, lineage }: ChainState, slot: number): Promise<null> {
    await markCompared(sql, this.#chain.mode, { server, lineage, slot })
    this.#compared = server
    this.#begun = null
    publish("ledger")
    return null
  }
}

/** Blocks after which the chain's pace is measured instead of taken from its settings. */
const PACE_BLOCKS = 20
/** Seconds are rounded up to this, so that the answer does not change with every block. */
const STEP_SECONDS = 5

/** Blocks ahead of the finalized one at which a blockhash that a node returns cannot be genuine. */
const TOO_FAR_BLOCKS = 4 * BLOCKHASH_HEIGHTS

type Height = { slot: number; height: number }

/**
 * Waits until the finalized height is past the last one at which anything signed before can land, and until as many
 * slots have passed. There are never fewer slots than blocks. A height alone may be another number, such as a slot.
 */
function waitUntil(why: string, { from, last }: { from: Height; last: number }, slotMs: number) {
  const began = performance.now()
  const until = Math.min(last, from.height + TOO_FAR_BLOCKS)
  const secondsLeft = ({ height }: Height): number => {
    const passed = height - from.height
    const msPerBlock = passed < PACE_BLOCKS ? slotMs : (performance.now() - began) / passed
    const seconds = ((until + 1 - height) * msPerBlock) / 1000
    return Math.max(1, Math.ceil(seconds / STEP_SECONDS)) * STEP_SECONDS
  }
  return {
    secondsLeft,
    isOver: ({ slot, height }: Height): boolean => height > until && slot > from.slot + BLOCKHASH_HEIGHTS,
    reason: (finalized: Height): string =>
      `${why}; waiting until what it had signed can no longer land, about ${secondsLeft(finalized)} s`,
  }
}
