import type postgres from "postgres"
import {
  handlerOf,
  isWritable,
  openClient,
  type Queryable,
  redirect,
  type Statement,
  settle,
  type Types,
} from "./connection.ts"
import { traceStatement } from "./trace.ts"

/** After this long without an answer, the connection counts as lost. */
const SILENCE_MS = 4000
const WATCH_EVERY_MS = 500

export type Reads = Queryable

/**
 * One connection for short single reads that many requests send at once. They travel in batches, many per system call,
 * which doubles the throughput of a process. Answers come in the order of the statements, so nothing may disturb it:
 * only plain values and arrays of them are sent (a parameter that cannot be written would take a place and send
 * nothing), nothing is cancelled, and statements that could wait for a lock are not allowed.
 */
export class Pipeline {
  readonly #url: string
  readonly #settings: Record<string, string>
  readonly #watch: NodeJS.Timeout
  readonly sql: Reads
  #client: postgres.Sql<Types>
  #send: Statement["handler"]
  /** Unanswered statements, and since when there has always been one. */
  #open = 0
  #since_ms = 0
  #overdue = false

  constructor(url: string, settings: Record<string, string>) {
    this.#url = url
    this.#settings = settings
    this.#client = openClient(url, { settings })
    this.#send = handlerOf(this.#client)
    const bound = (strings: TemplateStringsArray, ...values: never[]) =>
      redirect(this.#client(strings, ...values), this.#execute)
    this.sql = bound as unknown as Reads
    this.#watch = setInterval(() => this.#checkSilence(), WATCH_EVERY_MS).unref()
  }

  readonly #execute = (statement: Statement): void => {
    if (!isWritable(statement)) {
      statement.reject(new TypeError("a read takes plain values and arrays of them only"))
      return
    }
    traceStatement(statement)
    if (this.#open++ === 0) this.#since_ms = performance.now()
    settle(statement, this.#answered, this.#answered)
    this.#send(statement)
  }

  readonly #answered = (): void => {
    this.#open--
    this.#since_ms = performance.now()
    this.#overdue = false
  }

  /** After a stall, answers may have arrived unread, so two checks must agree that none has. */
  #checkSilence(): void {
    if (this.#open === 0 || performance.now() - this.#since_ms < SILENCE_MS) return
    if (this.#overdue) this.refresh()
    this.#overdue = true
  }

  /** Starts with a new connection. Statements on the old one fail. */
  refresh(): void {
    const old = this.#client
    this.#client = openClient(this.#url, { settings: this.#settings })
    this.#send = handlerOf(this.#client)
    old.end({ timeout: 0 }).catch(() => {})
  }

  async end(): Promise<void> {
    clearInterval(this.#watch)
    await this.#client.end({ timeout: 5 })
  }
}
