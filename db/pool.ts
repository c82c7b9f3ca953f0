import { AsyncLocalStorage } from "node:async_hooks"
import type postgres from "postgres"
import { Tally } from "#server/lib/tally.ts"
import {
  Connection,
  ConnectionLost,
  isWritable,
  type Limits,
  openClient,
  type Queryable,
  type Statement,
  sessionSettings,
  settingsOf,
  type Types,
} from "./connection.ts"
import { hasCode } from "./errors.ts"
import { bindTag, Session, type Transaction, type Work } from "./session.ts"
import { traceStatement } from "./trace.ts"

/** The default of a pool. Together with the lock timeout, a request is still answered within 5 seconds. */
export const WAIT_MS = 2000
/** Maximum waiters for a connection. Beyond it, none could be served in time. */
const MAX_WAITING = 10_000
/** Time beyond the database's statement timeout before silence counts as a lost connection. */
const SILENCE_MS = 2000
const WATCH_EVERY_MS = 500
/** Age at which a connection is replaced, so that new members behind a load balancer get their share. */
const LIFETIME_MS = 45 * 60_000

export type PoolOptions = {
  url: string
  max: number
  limits: Limits
  /** Whether there is a pooler. Then each transaction sets its limits instead of the session. */
  pooled: boolean
  /** How long to wait for a connection before the database counts as unavailable. */
  wait_ms?: number
  /** Whether an owner may have at most as many connections as are left for all others. */
  fair: boolean
}

/** No connection became free in time. */
class PoolExhausted extends Error {
  readonly code = "POOL_EXHAUSTED"
  constructor() {
    super("no connection to the database became free in time")
    this.name = "PoolExhausted"
  }
}

const owner = new AsyncLocalStorage<string>()

/** Runs `work` for an owner, such as a workspace, to which its statements are counted. */
export const onBehalfOf = <T>(who: string, work: () => T): T => owner.run(who, work)

type Waiting = { give: (connection: Connection) => void; refuse: (error: Error) => void; until_ms: number }

/** Runs a transaction. It is rolled back if `work` throws or if any of its statements failed. */
type Begin = {
  <T>(work: (sql: Transaction) => Promise<T>): Promise<T>
  <T>(options: string, work: (sql: Transaction) => Promise<T>): Promise<T>
}

export type Sql = Queryable & {
  begin: Begin
  end(options?: { timeout?: number }): Promise<void>
}

/**
 * Connections of one purpose. A statement holds a connection until it is answered, a transaction until it ends. An
 * owner gets another connection only while more are free than they have. So however many of their requests wait for one
 * locked row, others are served.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #settings: Record<string, string>
  readonly #begin: string
  readonly #free: Connection[] = []
  readonly #leased = new Map<Connection, string>()
  readonly #held = new Tally()
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #watch: NodeJS.Timeout
  /** Creates statements; never connects. */
  readonly #tag: postgres.Sql<Types>
  #waitingCount = 0
  #ended = false
  /** The connection with a short statement of each owner. */
  readonly #short = new Map<string, Connection>()
  readonly sql: Sql
  /**
   * For short single statements that many requests send at once. They follow a recent statement of the same owner,
   * because on two connections they would wait for each other's rows. A statement that waits for a lock is not followed
   * for long, so a locked row delays few, and only its owner's.
   */
  readonly short: Queryable

  constructor(options: PoolOptions) {
    this.#options = options
    this.#settings = options.pooled ? {} : sessionSettings(options.limits)
    this.#begin = options.pooled
      ? `;${Object.entries(settingsOf(options.limits))
          .map(([name, value]) => `set local ${name} = '${value}'`)
          .join(";")}`
      : ""
    this.#tag = openClient(options.url, {})
    this.sql = this.#asSql()
    this.short = bindTag(this.#tag, this.#executeShort)
    this.#watch = setInterval(() => this.#checkHealth(), WATCH_EVERY_MS).unref()
  }

  /** Connections in use, and requests waiting for one. */
  get use(): { leased: number; waiting: number; max: number } {
    return { leased: this.#leased.size, waiting: this.#waitingCount, max: this.#options.max }
  }

  readonly #execute = (statement: Statement): void => {
    traceStatement(statement)
    const who = owner.getStore() ?? ""
    const connection = this.#take(who)
    if (connection) alone(connection, statement)
    else this.#wait(who, (given) => alone(given, statement), statement.reject)
  }

  readonly #executeShort = (statement: Statement): void => {
    traceStatement(statement)
    const who = owner.getStore() ?? ""
    const mayShare = isWritable(statement)
    if (mayShare && this.#short.get(who)?.follow(statement)) return
    const connection = this.#take(who)
    const start = (given: Connection) => {
      if (mayShare) this.#short.set(who, given)
      alone(given, statement)
    }
    if (connection) start(connection)
    else this.#wait(who, start, statement.reject)
  }

  #asSql(): Sql {
    return Object.assign(bindTag(this.#tag, this.#execute), {
      begin: ((first: string | Work<unknown>, second?: Work<unknown>) =>
        typeof first === "string" ? this.#transaction(first, second!) : this.#transaction("", first)) as Begin,
      end: () => this.end(),
    })
  }

  async #transaction<T>(options: string, work: Work<T>): Promise<T> {
    const connection = await this.#lease()
    const session = new Session(this.#tag, connection)
    try {
      await session.sql.unsafe(`begin ${options}${this.#begin}`)
      const result = await work(session.sql)
      if (session.failure) throw session.failure
      await session.sql.unsafe("commit")
      return result
    } catch (error) {
      if (!connection.doubt) await session.sql.unsafe("rollback").catch((reason) => connection.discard(reason))
      // A statement after the failed one only reports that the transaction has failed.
      throw hasCode(error, "in_failed_sql_transaction") ? (session.failure ?? error) : error
    } finally {
      session.close()
      this.#release(connection)
    }
  }

  async #lease(): Promise<Connection> {
    const who = owner.getStore() ?? ""
    return (
      this.#take(who) ??
      new Promise<Connection>((resolve, reject) => {
        this.#wait(who, resolve, reject)
      })
    )
  }

  #take(who: string): Connection | null {
    if (this.#ended || this.#waiting.has(who)) return null
    return this.#takeNow(who)
  }

  #takeNow(who: string): Connection | null {
    const held = this.#held.of(who)
    const left = this.#options.max - this.#leased.size
    if (left < 1 || (this.#options.fair && held > 0 && held >= left)) return null
    let connection = this.#free.pop()
    while (connection?.doubt) connection = this.#free.pop()
    connection ??= new Connection(this.#options.url, { settings: this.#settings }, this.#release)
    this.#leased.set(connection, who)
    this.#held.add(who)
    connection.isLeased = true
    return connection
  }

  #wait(who: string, give: Waiting["give"], refuse: Waiting["refuse"]): void {
    if (this.#ended) return void refuse(new ConnectionLost("the connections are closed"))
    if (this.#waitingCount >= MAX_WAITING) return void refuse(new PoolExhausted())
    const line = this.#waiting.get(who) ?? []
    this.#waiting.set(who, line)
    line.push({ give, refuse, until_ms: performance.now() + (this.#options.wait_ms ?? WAIT_MS) })
    this.#waitingCount++
  }

  readonly #release = (connection: Connection): void => {
    const who = this.#leased.get(connection)
    if (who === undefined) return
    this.#leased.delete(connection)
    if (this.#short.get(who) === connection) this.#short.delete(who)
    this.#held.remove(who)
    connection.isLeased = false
    connection.isForOne = false
    if (!connection.doubt) {
      if (this.#ended || performance.now() - connection.bornAt_ms > LIFETIME_MS)
        connection.discard(new ConnectionLost("the connection is old"))
      else this.#free.push(connection)
    }
    this.#serve()
  }

  /** Gives free connections to waiting owners, one after the other. */
  #serve(): void {
    for (const [who, line] of this.#waiting) {
      const connection = this.#takeNow(who)
      if (!connection) {
        if (this.#leased.size >= this.#options.max) return
        continue
      }
      this.#waiting.delete(who)
      this.#waitingCount--
      line.shift()!.give(connection)
      // Behind all other waiters.
      if (line.length > 0) this.#waiting.set(who, line)
    }
  }

  #checkHealth(): void {
    const now = performance.now()
    for (const [who, line] of this.#waiting) {
      while (line.length > 0 && line[0]!.until_ms <= now) {
        line.shift()!.refuse(new PoolExhausted())
        this.#waitingCount--
      }
      if (line.length === 0) this.#waiting.delete(who)
    }
    const limit_ms = this.#options.limits.statement_ms + SILENCE_MS
    for (const connection of this.#leased.keys()) connection.watch(limit_ms)
  }

  /** Discards idle connections, for example after a failover: the next user reconnects. */
  refresh(reason: string): void {
    for (const connection of this.#free.splice(0)) connection.discard(new ConnectionLost(reason))
  }

  /** Waits for work in progress to end, for at most `timeout_s`. */
  async end(timeout_s = 5): Promise<void> {
    this.#ended = true
    for (const line of this.#waiting.values())
      for (const one of line) one.refuse(new ConnectionLost("the connections are closed"))
    this.#waiting.clear()
    this.#waitingCount = 0
    const until_ms = performance.now() + timeout_s * 1000
    while (this.#leased.size > 0 && performance.now() < until_ms) await new Promise((next) => setTimeout(next, 5))
    clearInterval(this.#watch)
    const clients = [...this.#free, ...this.#leased.keys()].map((connection) => connection.client)
    this.#free.length = 0
    await Promise.all([...clients, this.#tag].map((client) => client.end({ timeout: 0 })))
  }
}

/** Runs one statement, then frees the connection. */
function alone(connection: Connection, statement: Statement): void {
  connection.isForOne = true
  connection.execute(statement)
}
