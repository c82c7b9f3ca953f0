import postgres from "postgres"
import { addressOf } from "./address.ts"
import { arrayTypes } from "./arrays.ts"
import { connection } from "./connect.ts"
import { isEndOfSession } from "./errors.ts"

// postgres.js alone is not safe for a process that serves many customers (3.4.9; connection.test.ts reproduces each
// case). If a statement is cancelled, or its parameters cannot be written, while others are in flight on the same
// connection, all answers behind it shift. A transaction that loses its connection continues on the replacement, inside
// another transaction. So here a connection has one user, only statements that can always be written travel together, and
// it is discarded at the first doubt.

export type Types = { bigint: bigint; date: Date }
/** What pools and transactions share: a tag for statements and parts of statements. */
export type Queryable = postgres.ISql<Types>
/** A statement of postgres.js, sent when first awaited. `handler` is its destination. */
export type Statement = postgres.PendingQuery<postgres.MaybeRow[]> & {
  handler: (statement: Statement) => void
  reject: (error: unknown) => void
  args: unknown[]
}

/** How long the database lets a session hold locks, in milliseconds. */
export type Limits = { lock_ms: number; statement_ms: number; idleInTransaction_ms: number }

/** The limits as settings of a session (https://www.postgresql.org/docs/18/runtime-config-client.html). */
export const settingsOf = ({ lock_ms, statement_ms, idleInTransaction_ms }: Limits) => ({
  lock_timeout: `${lock_ms}ms`,
  statement_timeout: `${statement_ms}ms`,
  idle_in_transaction_session_timeout: `${idleInTransaction_ms}ms`,
})

/**
 * Session settings for requests if there is no pooler: the limits, and keepalives that release the locks of a vanished
 * client within seconds (https://www.postgresql.org/docs/18/runtime-config-connection.html).
 */
export const sessionSettings = (limits: Limits): Record<string, string> => ({
  ...settingsOf(limits),
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
})

export type ConnectionOptions = {
  /** Settings of a new session. A pooler refuses those that it does not know. */
  settings?: Record<string, string>
  max?: number
  /** Called when a connection is lost, before its replacement can be used. */
  onLost?: () => void
}

/** URLs of poolers that do not track prepared statements per server. */
const unprepared = new Set<string>()

/** From now on, clients of the URL use unnamed prepared statements. */
export const prepareNothing = (url: string): void => void unprepared.add(url)

/** A client of postgres.js with our types. Nothing connects before the first statement. */
export function openClient(url: string, { settings, max = 1, onLost }: ConnectionOptions): postgres.Sql<Types> {
  const address = addressOf(url)
  const { user, database, applicationName, options, keepAlive_s } = address
  const session = {
    user,
    database,
    client_encoding: "UTF8",
    application_name: applicationName ?? "vouch",
    TimeZone: "UTC",
    ...(options !== null && { options }),
    ...settings,
  }
  const gone = new AbortController()
  const connecting = { socket: () => connection({ address, settings: session, gone: gone.signal }) }
  const client = postgres({
    host: address.hosts[0]!.name,
    port: address.hosts[0]!.port,
    user,
    database,
    ...(connecting as object),
    prepare: !unprepared.has(url),
    max,
    types: {
      ...arrayTypes,
      bigint: postgres.BigInt,
      // Like the library's own, but never throws: the database refuses an invalid time.
      date: {
        to: 1184,
        from: [1082, 1114, 1184],
        serialize: (time: Date) =>
          time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : String(time),
        // In Postgres's format, the years 1 to 99 would be read as 1950 to 2049. In ISO 8601, they are not.
        parse: (text: string) => new Date(text.startsWith("00") ? text.replace(" ", "T").replace(/\+00$/, "Z") : text),
      },
    },
    // Without this, each connection queries the types, and a failure of that query is unhandled. `arrays.ts` has them.
    fetch_types: false,
    connect_timeout: 5,
    // Notices a dead peer within seconds, instead of the kernel's two hours.
    keep_alive: keepAlive_s,
    // The library would close a connection in the middle of a transaction. The pool does it between two.
    max_lifetime: null,
    // A short pause between attempts, so that a restarted database is used again at once.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 1),
    onnotice: () => {},
    ...(onLost && { onclose: onLost }),
  })
  // A connection that is still opening when the client ends would stay open and unused.
  const end = client.end
  client.end = (options) => {
    if (options?.timeout === 0) gone.abort(new ConnectionLost("the connections are closed"))
    return end(options).finally(() => gone.abort(new ConnectionLost("the connections are closed")))
  }
  return client
}

/** Where a client of postgres.js sends its statements. Internal to the library, so a test checks that it exists. */
export const handlerOf = (client: postgres.Sql<Types>): Statement["handler"] =>
  (client`` as unknown as Statement).handler

/** Binds a statement to another sender. Fragments and helpers are never sent and stay unchanged. */
export function redirect<T>(part: T, handler: Statement["handler"]): T {
  if (part instanceof Promise) (part as unknown as Statement).handler = handler
  return part
}

/** Waits for a statement that has been sent. Its own `then` would check again whether to send it. */
export const settle: (statement: Statement, answered: () => void, failed: (error: unknown) => void) => void = (
  statement,
  answered,
  failed,
) => void Promise.prototype.then.call(statement, answered, failed)

/** The connection was lost or discarded before the statement's answer came. The outcome may be unknown. */
export class ConnectionLost extends Error {
  readonly code = "CONNECTION_LOST"
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = "ConnectionLost"
  }
}

/** Maximum statements behind an unanswered one. If that one waits for a lock, they wait too. */
const MOST_FOLLOWING = 3
/** Maximum statements of one transaction in flight. */
const MOST_TOGETHER = 16
/** How long statements may follow an unanswered one. Answers usually come sooner. */
const FOLLOWED_FOR_MS = 20
/** Maximum followers before the connection is released, because others wait for it. */
const MOST_IN_A_ROW = 32

/** A statement waiting to be sent, and whether it may be sent before the one ahead of it is answered. */
type Queued = { statement: Statement; mayFollow: boolean }

/**
 * One connection with one owner at a time. A statement is sent when the one before is answered, or at once behind it if
 * the parameters of both can always be written. After the first doubt nothing more is sent.
 */
export class Connection {
  readonly bornAt_ms = performance.now()
  readonly client: postgres.Sql<Types>
  /** Whether it is in use. */
  isLeased = false
  /** Whether it was taken for one statement and is free once everything is answered. */
  isForOne = false
  /** How many statements have followed that one. */
  #followed = 0
  readonly #send: Statement["handler"]
  readonly #free: (connection: Connection) => void
  readonly #waiting: Queued[] = []
  /** Whether others may be sent behind unanswered ones. */
  #mayBeFollowed = false
  /** Sent statements without an answer. */
  #unanswered = 0
  /** When the oldest of them was sent or became the oldest. */
  #since_ms = 0
  #overdue = false
  /** Why it must not be used again; null if it may. */
  doubt: Error | null = null

  /** `free` is called when the owner's statements are answered, and never within the call that sent one. */
  constructor(url: string, options: ConnectionOptions, free: (connection: Connection) => void) {
    this.#free = free
    this.client = openClient(url, { ...options, onLost: () => this.#lost() })
    this.#send = handlerOf(this.client)
  }

  /**
   * Sends a statement after those before it. With `mayFollow` it does not wait for their answers, so statements issued
   * together travel in one packet: half the cost of a short statement is waking the other side. Allowed only for
   * parameters that can always be written. One that cannot would take a place in the order and send nothing.
   */
  readonly execute = (statement: Statement, mayFollow = false): void => {
    if (this.doubt) {
      statement.reject(new ConnectionLost("the connection is lost", { cause: this.doubt }))
      if (this.isForOne) queueMicrotask(() => this.#free(this))
      return
    }
    if (this.#waiting.length > 0 || !this.#canSend(mayFollow)) this.#waiting.push({ statement, mayFollow })
    else this.#sendInTurn({ statement, mayFollow })
  }

  #canSend(mayFollow: boolean): boolean {
    if (this.#unanswered === 0) return true
    return mayFollow && this.#mayBeFollowed && this.#unanswered < MOST_TOGETHER
  }

  #sendInTurn({ statement, mayFollow }: Queued): void {
    if (this.#unanswered === 0) this.#since_ms = performance.now()
    this.#mayBeFollowed = mayFollow
    this.#sendNow(statement)
  }

  /** Sends another request's writable statement behind a pending one. False, and nothing sent, if it cannot. */
  follow(statement: Statement): boolean {
    if (this.doubt || !this.isForOne || this.#unanswered === 0 || this.#unanswered > MOST_FOLLOWING) return false
    if (performance.now() - this.#since_ms > FOLLOWED_FOR_MS) return false
    if (++this.#followed > MOST_IN_A_ROW) return false
    this.#sendNow(statement)
    return true
  }

  #sendNow(statement: Statement): void {
    this.#unanswered++
    settle(statement, this.#answered, this.#failed)
    this.#send(statement)
  }

  readonly #answered = (): void => {
    this.#unanswered--
    this.#since_ms = performance.now()
    this.#overdue = false
    while (this.#waiting.length > 0 && !this.doubt && this.#canSend(this.#waiting[0]!.mayFollow))
      this.#sendInTurn(this.#waiting.shift()!)
    if (this.#unanswered === 0 && this.isForOne) {
      this.#followed = 0
      this.#free(this)
    }
  }

  readonly #failed = (error: unknown): void => {
    if (!isAnswer(error)) this.discard(error as Error)
    this.#answered()
  }

  /** The socket closed. Between two owners that loses nothing: the next statement reconnects. */
  #lost(): void {
    if (this.#unanswered > 0 || this.isLeased) this.discard(new ConnectionLost("the database closed the connection"))
  }

  /** Discards the connection: nothing more is sent, and pending statements fail. */
  discard(reason: Error): void {
    if (this.doubt) return
    this.doubt = reason
    for (const { statement } of this.#waiting.splice(0)) {
      statement.reject(new ConnectionLost("the connection is lost", { cause: reason }))
    }
    // Destroys the socket with everything in flight. The library's cancel would shift answers.
    this.client.end({ timeout: 0 }).catch(() => {})
  }

  /**
   * Discards the connection if a statement has had no answer for `limit_ms`. Two checks must agree: after a stall of
   * this process every statement looks late, although its answer may be waiting to be read.
   */
  watch(limit_ms: number): void {
    if (this.#unanswered === 0 || performance.now() - this.#since_ms < limit_ms) return
    if (this.#overdue) this.discard(new ConnectionLost("the database does not respond"))
    this.#overdue = true
  }
}

/** Whether this is an error from the server after which the session continues. */
const isAnswer = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.severity === "ERROR" && !isEndOfSession(error)

/** Values that the library can always write without an error. */
function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
    case "bigint":
      return true
    default:
      return value === null || value instanceof Date || Buffer.isBuffer(value)
  }
}

/** Whether the library can always write a statement: its values, arrays of them, and its fragments. */
export const isWritable = ({ args }: Statement): boolean => args.every(isWritableValue)

const isWritableValue = (value: unknown): boolean => {
  if (isPlain(value)) return true
  // `arrays.ts` writes every array as text.
  if (Array.isArray(value)) return value.every(isPlain)
  return value instanceof Promise ? isWritable(value as unknown as Statement) : isListOfColumns(value)
}

/** `sql(columns)`: the library quotes names. */
function isListOfColumns(value: unknown): boolean {
  const { first, rest } = (value ?? {}) as { first?: unknown; rest?: unknown[] }
  return rest?.length === 0 && Array.isArray(first) && first.every((name) => typeof name === "string")
}
