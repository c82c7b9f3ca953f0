import { isDatabaseUnavailable } from "#db/client.ts"
import { logger } from "#server/lib/log.ts"
import { WrongChain } from "#server/solana/rpc/errors.ts"

const LOG_EVERY_MS = 60_000

/** Logs an outage when it begins, once a minute, and when it ends. Failed attempts in between are not logged. */
export class Outage {
  readonly #about: object
  #began: number | null = null
  #loggedAt = 0
  #failures = 0

  constructor(about: object) {
    this.#about = about
  }

  get lasts_ms(): number {
    return this.#began === null ? 0 : performance.now() - this.#began
  }

  noteFailure(error: unknown): void {
    const now = performance.now()
    this.#began ??= now
    this.#failures++
    if (this.#failures > 1 && now - this.#loggedAt < LOG_EVERY_MS) return
    this.#loggedAt = now
    const tried = { seconds: Math.round((now - this.#began) / 1000), failures: this.#failures }
    logger.warn({ err: error, ...this.#about, ...tried }, "the ledger failed; retrying until it works again")
  }

  noteSuccess(): void {
    if (this.#began === null) return
    const seconds = Math.round((performance.now() - this.#began) / 1000)
    logger.info({ ...this.#about, seconds, failures: this.#failures }, "the ledger works again")
    this.#began = null
    this.#failures = 0
  }
}

export function troubleOf(error: unknown): string {
  if (error instanceof WrongChain) return "the configured chain has changed"
  return isDatabaseUnavailable(error) ? "the database is unreachable" : "the chain is unreachable"
}
