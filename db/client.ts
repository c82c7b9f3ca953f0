import postgres from "postgres"
import { socketOptions } from "#server/embedded/socket.ts"

export type Sql = postgres.Sql<{ bigint: bigint }>
/** `sql` or a transaction of it. */
export type Queryable = Sql | postgres.TransactionSql<{ bigint: bigint }>

/** The connections of this process. bigint columns come out as bigint, times as Date. */
export let sql: Sql
/**
 * One connection for the short single reads that many requests send at once. There they travel in batches, many to a
 * system call, which doubles what a process answers; spread over `sql`, each costs a call and a wake-up of its own.
 * Whatever may wait, for a lock or a disk, belongs on `sql`: here it would hold up all that come after it.
 */
export let reads: Sql

export type DatabaseOptions = {
  /** Most connections of this process. */
  max?: number
}

/** Binds `sql` to a database. Nothing connects before the first query. */
export function connectDatabase(url: string, { max = 16 }: DatabaseOptions = {}): void {
  sql = open(url, Math.max(1, max - 1))
  reads = open(url, 1)
}

/** A client of its own for one purpose, such as LISTEN past a pooler. The caller ends it. */
export function open(url: string, max: number): Sql {
  return postgres(url, {
    ...socketOptions(url),
    max,
    types: { bigint: postgres.BigInt },
    connect_timeout: 5,
    // A short pause between attempts: a restarted database is used again at once.
    backoff: (attempt) => Math.min(0.05 * 2 ** attempt, 1),
    onnotice: () => {},
    connection: { application_name: "vouch", TimeZone: "UTC" },
  })
}

export async function disconnectDatabase(): Promise<void> {
  await Promise.all([sql?.end({ timeout: 5 }), reads?.end({ timeout: 5 })])
}

type Cancelable = { canceller: ((query: unknown) => Promise<void>) | null }

/**
 * Asks the database to stop a statement, which then fails with QUERY_CANCELED. The request for it goes over a
 * connection of its own; postgres.js's `cancel()` leaves its failure unhandled, which would end this process.
 */
export function cancelStatement(statement: PromiseLike<unknown>): void {
  const query = statement as unknown as Cancelable
  query.canceller?.(query).catch(() => {})
}

export const UNIQUE_VIOLATION = "23505"
export const QUERY_CANCELED = "57014"

export const DEADLOCK_DETECTED = "40P01"

/** Runs a transaction again when the database ended it to resolve a deadlock: nothing of it has happened. */
export async function repeatOnDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if ((error as { code?: unknown }).code !== DEADLOCK_DETECTED || attempt === 5) throw error
    }
  }
}

/** Whether `error` is the database's refusal of a duplicate, of the named constraint if one is given. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  error instanceof postgres.PostgresError &&
  error.code === UNIQUE_VIOLATION &&
  (constraint === undefined || error.constraint_name === constraint)

// Classes of SQLSTATE that say "not now" (https://www.postgresql.org/docs/18/errcodes-appendix.html):
// connection, rollback (a deadlock), insufficient resources, operator intervention; and postgres.js's own codes for
// a lost connection.
const TRANSIENT = /^(08|40|53|57)|^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ENOTFOUND|ETIMEDOUT)/

/** Whether the database could not be reached or was going down: the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === "string" && TRANSIENT.test(code) && code !== QUERY_CANCELED
}
