import { PublicKey, TransactionMessage, VersionedTransaction } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { logger } from "#server/lib/log.ts"
import { sleep } from "#server/lib/time.ts"
import { computeUnitsOf, MAX_UNITS, measuredUnitsOf, withMargin } from "#server/solana/compute-units.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import { computeBudget } from "#server/solana/transaction.ts"
import type { Planned } from "./pack.ts"

/** The most results that are cached, and how soon a failed simulation is repeated, in milliseconds. */
const MOST_KNOWN = 1000
const AGAIN_MS = 60_000
/** Simulations per batch, and how long a batch waits for them, in milliseconds. */
const MOST_AT_ONCE = 4
const PATIENCE_MS = 1000

/**
 * Compute units of operations with an instruction that is not in the measured table: a node simulates one of each kind
 * before it is signed. If none answers, each such instruction gets the cluster's default.
 */
export class SimulatedUnits {
  readonly #rpc: Rpc
  readonly #known = new LRUCache<string, number>({ max: MOST_KNOWN })
  readonly #asked = new LRUCache<string, true>({ max: MOST_KNOWN, ttl: AGAIN_MS })

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  /** The most that an operation takes, with a margin, as far as known. */
  of(one: Planned): number {
    return this.#known.get(nameOf(one)) ?? one.instructions.reduce((sum, next) => sum + computeUnitsOf(next), 0)
  }

  /** Simulates what is not known yet. It does not throw. `since` is a slot that the node must have reached. */
  async learn(planned: readonly Planned[], payer: PublicKey, since: () => Promise<number>): Promise<void> {
    const unmeasured = planned.filter(({ instructions }) => instructions.some((one) => measuredUnitsOf(one) === null))
    const byName = new Map(unmeasured.map((one) => [nameOf(one), one]))
    const toAsk = [...byName].filter(([name]) => !this.#known.has(name) && !this.#asked.has(name))
    if (toAsk.length === 0) return
    const answered = new AbortController()
    const asking = toAsk.slice(0, MOST_AT_ONCE).map(([name, one]) => this.#ask(name, one, { payer, since }))
    await Promise.race([Promise.all(asking), sleep(PATIENCE_MS, answered.signal)])
    answered.abort()
  }

  async #ask(
    name: string,
    { operation, instructions }: Planned,
    { payer, since }: { payer: PublicKey; since: () => Promise<number> },
  ): Promise<void> {
    this.#asked.set(name, true)
    try {
      const message = new TransactionMessage({
        payerKey: payer,
        // The node replaces it.
        recentBlockhash: PublicKey.default.toBase58(),
        instructions: [...computeBudget({ units: MAX_UNITS, price: 0 }), ...instructions],
      })
      const transaction = new VersionedTransaction(message.compileToLegacyMessage())
      const units = await this.#rpc.patient.simulatedUnits(transaction, { since: await since() })
      if (units !== null) this.#known.set(name, Math.min(withMargin(units), MAX_UNITS))
    } catch (error) {
      logger.debug({ err: error, kind: operation.kind }, "could not simulate an operation")
    }
  }
}

/** The operation's kind and its instructions, which programs distinguish by their first byte. */
const nameOf = ({ operation, instructions }: Planned): string =>
  [operation.kind, ...instructions.map(({ programId, data }) => `${programId.toBase58()}.${data[0]}`)].join()
