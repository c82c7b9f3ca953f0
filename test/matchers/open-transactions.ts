import { sql } from "#db/client.ts"
import { waitFor } from "../fixtures/app.ts"

/**
 * Resolves once no transaction is open between two statements. Others may be for a moment; one that waits for another
 * would stay.
 */
export const noTransactionIsOpen = () =>
  waitFor(async () => {
    const open = await sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    return open.length === 0
  }, "no transaction to be open")
