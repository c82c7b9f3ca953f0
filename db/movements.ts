import type { Fragment } from "postgres"
import { sql } from "./client.ts"

/**
 * Whether an operation moves tokens, in the words of the indexes that list such operations (`schema/ledger.ts`).
 * `alias` is the table's, such as sql`o.`.
 */
export const isMovement = (alias: Fragment = sql``): Fragment =>
  sql`${alias}kind in ('mint', 'transfer', 'burn', 'force_transfer', 'hold', 'release')`
