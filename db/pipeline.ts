import type postgres from "postgres"
import {
  handlerOf,
  isPlain,
  openClient,
  type Queryable,
  redirect,
  type Statement,
  settle,
  type Types,
} from "./connection.ts"
import { traceStatement } from "./trace.ts"

/** No answer for so long is the end of the connection. */
const SILENCE_MS = 4000
const WATCH_EVERY_MS = 500

export type Reads = Queryable

/**
 * One connection for short single reads that many requests send at once. They travel in batches, many to a system call,
 * which doubles what a process answers. Answers come in the order of the statements, so nothing may disturb it: only
 * plain values are sent (a parameter that cannot be written would take a place and send nothing), nothing is
 * cancelled, and nothing that could wait for a lock belongs here.
 */
export class Pipeline {
  readonly #url: string
  readonly #settings: Record<string, string>
  readonly #watch: NodeJS.Timeout
  readonly sql: Reads
  #client: postgres.Sql<Types>
  #send: Statement["handler"]
  /** Statements without an answer, and since when there has been one always. */
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
    this.#watch = setInterval(() => this.#look(), WATCH_EVERY_MS).unref()
  }

  readonly #execute = (statement: Statement): void => {
    if (!statement.args.every(isPlain)) {
      statement.reject(new TypeError("a read takes plain values only"))
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

  /** Two looks must agree that there is no answer: a process that stood still has yet to read them. */
  #look(): void {
    if (this.#open === 0 || performance.now() - this.#since_ms < SILENCE_MS) return
    if (this.#overdue) this.refresh()
    this.#overdue = true
  }

  /** Begins with a connection of its own; what the old one was asked fails. */
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
