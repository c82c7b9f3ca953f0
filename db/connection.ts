import postgres from "postgres"
import { addressOf } from "./address.ts"
import { arrayTypes } from "./arrays.ts"
import { connection } from "./connect.ts"
import { isEndOfSession } from "./errors.ts"

// postgres.js alone is not safe for a process that serves many customers (3.4.9, each reproduced in
// connection.test.ts): a statement that is cancelled, or whose parameters cannot be written, while others are on their
// way on the same connection, shifts all answers behind it; and a transaction that lost its connection continues on the
// connection that replaced it, in another transaction. So here a connection has one user and one statement at a time,
// and is discarded at the first doubt.

export type Types = { bigint: bigint; date: Date }
/** What both a pool and a transaction are: a tag for statements and for the parts of statements. */
export type Queryable = postgres.ISql<Types>
/** A statement of postgres.js, sent when it is first awaited. `handler` is where it is sent to. */
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
 * Everything that a session of requests starts with, if there is no pooler: the limits, and that a client that vanished holds
 * its locks for seconds (https://www.postgresql.org/docs/18/runtime-config-connection.html).
 */
export const sessionSettings = (limits: Limits): Record<string, string> => ({
  ...settingsOf(limits),
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10000",
})

export type ConnectionOptions = {
  /** Settings that the session starts with. A pooler refuses those that it does not know. */
  settings?: Record<string, string>
  max?: number
  /** Called when a connection has gone, before anything else can use what takes its place. */
  onLost?: () => void
}

/** URLs of poolers that do not know which server has which prepared statement. */
const unprepared = new Set<string>()

/** From now on, clients of the URL prepare no statement under a name. */
export const prepareNothing = (url: string): void => void unprepared.add(url)

/** A client of postgres.js with our types. Nothing connects before the first statement. */
export function openClient(
  url: string,
  { settings, max = 1, onLost }: ConnectionOptions,
): postgres.Sql<Types> {
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
  const connecting = { socket: () => connection(address, session, gone.signal) }
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
      // As the library's own, but it never throws: what is no time is refused by the database.
      date: {
        to: 1184,
        from: [1082, 1114, 1184],
        serialize: (time: Date) =>
          time instanceof Date && !Number.isNaN(time.getTime()) ? time.toISOString() : String(time),
        parse: (text: string) => new Date(text),
      },
    },
    // Otherwise read on each connection, by a query whose failure would be unhandled: `arrays.ts` has them.
    fetch_types: false,
    connect_timeout: 5,
    // A peer that is gone is noticed within seconds, not after the two hours of the kernel.
    keep_alive: keepAlive_s,
    // The library would end a connection in the middle of a transaction: the pool does it between two.
    max_lifetime: null,
    // A short pause between attempts: a restarted database is used again at once.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 1),
    onnotice: () => {},
    ...(onLost && { onclose: onLost }),
  })
  // One that is still being made when the client ends would stay open, and used by no one.
  const end = client.end
  client.end = (options) => {
    if (options?.timeout === 0) gone.abort(new ConnectionLost("the connections are closed"))
    return end(options).finally(() => gone.abort(new ConnectionLost("the connections are closed")))
  }
  return client
}

/** Where a client of postgres.js sends its statements. Internal to the library, so a test holds that it is there. */
export const handlerOf = (client: postgres.Sql<Types>): Statement["handler"] =>
  (client`` as unknown as Statement).handler

/** Binds a statement to another sender. Fragments and helpers are never sent, and stay unchanged. */
export function redirect<T>(part: T, handler: Statement["handler"]): T {
  if (part instanceof Promise) (part as unknown as Statement).handler = handler
  return part
}

/** Waits for a statement that is on its way. Its own `then` would look each time whether it must be sent first. */
export const settle: (statement: Statement, answered: () => void, failed: (error: unknown) => void) => void =
  (statement, answered, failed) => void Promise.prototype.then.call(statement, answered, failed)

/** The connection went, or was given up, before the statement's answer came. The outcome may be unknown. */
export class ConnectionLost extends Error {
  readonly code = "CONNECTION_LOST"
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = "ConnectionLost"
  }
}

/** Statements that may follow one that has no answer: where that one waits for a lock, so do they, in turn. */
const MOST_FOLLOWING = 3
/** Statements of one transaction that may be on their way at once. */
const MOST_TOGETHER = 16
/** For how long one that has no answer is followed: it should have come. */
const FOLLOWED_FOR_MS = 20
/** Statements that may follow before the connection is given back: others wait for it. */
const MOST_IN_A_ROW = 32

/** A statement that waits to be sent, and whether it may be sent before the one ahead of it has its answer. */
type Queued = { statement: Statement; mayFollow: boolean }

/**
 * One connection with one owner at a time. A statement is sent when the one before has its answer, or at once behind
 * it if neither has parameters that could fail to be written. After the first doubt none is sent any more.
 */
export class Connection {
  readonly bornAt_ms = performance.now()
  readonly client: postgres.Sql<Types>
  /** Whether it is in use. */
  isLeased = false
  /** Whether it was taken for one statement, and is free again when there is no more to answer. */
  isForOne = false
  /** Statements that have followed that one. */
  #followed = 0
  readonly #send: Statement["handler"]
  readonly #free: (connection: Connection) => void
  readonly #waiting: Queued[] = []
  /** Whether others may be sent behind those without an answer. */
  #mayBeFollowed = false
  /** Statements that are sent and have no answer. */
  #unanswered = 0
  /** When the oldest of them was sent, or became the oldest. */
  #since_ms = 0
  #overdue = false
  /** Why it may not be used again; null while it may. */
  doubt: Error | null = null

  /** `free` is called when what it was taken for has its answer, and never within the call that sent it. */
  constructor(url: string, options: ConnectionOptions, free: (connection: Connection) => void) {
    this.#free = free
    this.client = openClient(url, { ...options, onLost: () => this.#lost() })
    this.#send = handlerOf(this.client)
  }

  /**
   * Sends a statement after those before it. `mayFollow`: without waiting for their answers, so that statements that are
   * issued together travel in one packet: half the cost of a short statement is waking the other side. Only statements
   * whose parameters can always be written may: one that cannot would take a place and send nothing.
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

  /**
   * Sends a statement of another request behind a pending one. Returns false if that is not possible, with nothing
   * done. Takes only statements whose parameters can always be written.
   */
  follow(statement: Statement): boolean {
    if (this.doubt || !this.isForOne || this.#unanswered === 0 || this.#unanswered > MOST_FOLLOWING)
      return false
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

  /** The socket has closed. Between two owners nothing is lost by it: the next statement connects anew. */
  #lost(): void {
    if (this.#unanswered > 0 || this.isLeased)
      this.discard(new ConnectionLost("the database closed the connection"))
  }

  /** Discards the connection: nothing more is sent, and pending statements fail. */
  discard(reason: Error): void {
    if (this.doubt) return
    this.doubt = reason
    for (const { statement } of this.#waiting.splice(0)) {
      statement.reject(new ConnectionLost("the connection is lost", { cause: reason }))
    }
    // Not the library's cancel, which would shift answers: the socket goes, and with it all that it would bring.
    this.client.end({ timeout: 0 }).catch(() => {})
  }

  /**
   * Gives it up when a statement has had no answer for `limit_ms`. Two looks must agree: a process that stood still
   * finds every statement late, though the answers are there to be read.
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

/** What the library can always write: it throws for nothing of these. */
export function isPlain(value: unknown): boolean {
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

/** Whether the library can always write a statement: its values, arrays of them, and the parts it is made of. */
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
