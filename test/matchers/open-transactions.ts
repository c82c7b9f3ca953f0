import { sql } from "#db/client.ts"
import { waitFor } from "../fixtures/app.ts"

/**
 * Resolves when no transaction is open between two statements. A transaction may be for a moment; one that waits for
 * another would stay open.
 */
export const noTransactionIsOpen = () =>
  waitFor(async () => {
    const open = await sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    return open.length === 0
  }, "no transaction to be open")
