import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { inForceAt } from "#domain/attestations"
import { endOf, type Moment } from "./moments.ts"

/** Whether a wallet had no verification in force at a moment, as a condition on its column. */
export const unverifiedAt = (workspaceId: string, schemaId: string, moment: Moment) => (wallet: Fragment) =>
  sql`
  ${wallet} not in (select v.wallet from attestations v
    where v.workspace_id = ${workspaceId} and v.schema_id = ${schemaId} and ${inForceAt(endOf(moment))})`
