import postgres from "postgres"

/** Errors that Vouch distinguishes, by name (https://www.postgresql.org/docs/18/errcodes-appendix.html). */
export const codes = {
  unique_violation: "23505",
  /** After a failover this server is a replica. */
  read_only_sql_transaction: "25006",
  in_failed_sql_transaction: "25P02",
  idle_in_transaction_session_timeout: "25P03",
  transaction_timeout: "25P04",
  /** Such as a connection without TLS if the server requires it. */
  invalid_authorization_specification: "28000",
  /** While a database with another name is renamed into place. */
  invalid_catalog_name: "3D000",
  deadlock_detected: "40P01",
  /** The database accepts no connections because it is being restored or replaced. */
  object_not_in_prerequisite_state: "55000",
  lock_not_available: "55P03",
  /** A statement timed out. */
  query_canceled: "57014",
  admin_shutdown: "57P01",
  crash_shutdown: "57P02",
  cannot_connect_now: "57P03",
  database_dropped: "57P04",
  idle_session_timeout: "57P05",
} as const

type Name = keyof typeof codes

/** Whether `error` is one of these. */
export const hasCode = (error: unknown, ...names: Name[]): boolean =>
  names.some((name) => codes[name] === codeOf(error))

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === "string" ? code : ""
}

/** Whether the database refused a duplicate, of the named constraint if given. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  error instanceof postgres.PostgresError &&
  hasCode(error, "unique_violation") &&
  (constraint === undefined || error.constraint_name === constraint)

/** Whether a statement failed because another transaction holds a lock. A retry helps. */
export const isLocked = (error: unknown): boolean => hasCode(error, "lock_not_available", "query_canceled")

/** Whether that lock was on a table, or on an index named after it. */
export function isLockOf(error: unknown, table: string): boolean {
  if (!hasCode(error, "lock_not_available")) return false
  // The database names the relation in the message, in every language.
  const { where } = error as { where?: string }
  return where?.includes(`"${table}`) === true
}

/** Whether the server refuses writes or ends the session, so that its connection must be replaced. */
export const isEndOfSession = (error: unknown): boolean =>
  hasCode(
    error,
    "read_only_sql_transaction",
    "idle_in_transaction_session_timeout",
    "transaction_timeout",
    "admin_shutdown",
    "crash_shutdown",
    "cannot_connect_now",
    "database_dropped",
    "idle_session_timeout",
  )

// Code classes that mean "not now": connection, rollback (a deadlock), insufficient resources, operator intervention.
// Then our own codes, and postgres.js's for a lost connection.
const TRANSIENT =
  /^(08|40|53|57)|^(POOL_EXHAUSTED|CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)/

/** Whether a file is missing. A missing socket of the database has the same code, but an address in place of a path. */
const isMissingFile = (error: unknown): boolean =>
  codeOf(error) === "ENOENT" && (error as NodeJS.ErrnoException).path !== undefined

/** Whether the database was unreachable, shutting down or too slow. The same request may succeed in a moment. */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  (TRANSIENT.test(codeOf(error)) && !isMissingFile(error)) ||
  isLocked(error) ||
  isEndOfSession(error) ||
  hasCode(error, "invalid_catalog_name", "object_not_in_prerequisite_state")

/** Whether the database rolled back a transaction in favor of another one. Not known of a lost connection. */
export const isUndone = (error: unknown): boolean => hasCode(error, "lock_not_available", "deadlock_detected")

/** Runs a transaction again if the database rolled it back to resolve a deadlock. */
export async function repeatOnDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!hasCode(error, "deadlock_detected") || attempt === 5) throw error
    }
  }
}
