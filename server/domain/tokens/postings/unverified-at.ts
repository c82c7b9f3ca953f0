import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { inForceAt } from "#domain/attestations"
import { endOf, type Moment } from "./moments.ts"

/**
 * Whether a wallet had no verification in force at a moment, as a condition on its column. The inner query gives the
 * column another name, because the attestations have a `wallet` as well. `not in` would compare each wallet with all
 * verified ones once they outgrow the memory of a query.
 */
export const unverifiedAt = (workspaceId: string, schemaId: string, moment: Moment) => (wallet: Fragment) =>
  sql`
  not exists (select from (select ${wallet} as holder) h join attestations v on v.wallet = h.holder
    where v.workspace_id = ${workspaceId} and v.schema_id = ${schemaId} and ${inForceAt(endOf(moment))})`
