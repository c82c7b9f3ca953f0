import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { inForceAt } from "#domain/attestations"
import { endOf, type Moment } from "./moments.ts"

/** The wallets with a verification in force at a moment. */
export const verifiedAt = (workspaceId: string, schemaId: string, moment: Moment) => sql`
  select wallet from attestations
  where workspace_id = ${workspaceId} and schema_id = ${schemaId} and ${inForceAt(endOf(moment))}`

/**
 * Whether a wallet is not among the verified ones, as a condition on its column. The inner query gives the column another
 * name, because the verified ones have a `wallet` as well. `not in` would compare each wallet with all of them once they
 * outgrow the memory of a query.
 */
export const isUnverified = (wallet: Fragment, verified: Fragment) => sql`
  not exists (select from (select ${wallet} as holder) h join (${verified}) v on v.wallet = h.holder)`
