import type { Queryable } from "./client.ts"

/**
 * How long each statement of a transaction, from here on, waits for a row that somebody else has locked. Past that it
 * fails, which `isDatabaseUnavailable` knows, and nothing of the transaction has happened.
 */
export async function waitForLocks(sql: Queryable, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(ms)}, true)`
}

// lock_not_available and query_canceled (https://www.postgresql.org/docs/18/errcodes-appendix.html).
const LOCKED = new Set(["55P03", "57014"])

/** Whether a statement gave up because somebody else has what it needs. */
export const isLocked = (error: unknown): boolean =>
  LOCKED.has((error as { code?: unknown } | null)?.code as string)
