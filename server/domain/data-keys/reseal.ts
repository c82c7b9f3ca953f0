import { sql } from "#db/client.ts"
import type { TableName, TableRow } from "#db/rows.ts"
import { deployment, reseal } from "#domain/deployment"
import { linkOwner, reminderOwner } from "#domain/kyc"
import { resealSecondFactors } from "#domain/people"
import { referenceOwner } from "#domain/privacy"
import { claimsOwner, entryOwner, reasonOwner } from "#domain/reviews"
import { secretOwner } from "#domain/webhooks"

const BATCH = 500

/** The columns that identify a row in its workspace (`id`), and that name the owner its column is sealed for (`of`). */
type Keys = { id: "id" | "event_id" | "seq"; of: "id" | "attestation_id" | "review_id" | "wallet" }

const sealedIn = <Table extends TableName, Column extends keyof TableRow<Table> & string>(
  table: Table,
  column: Column,
  owner: (of: string) => string,
  keys: Partial<Keys> = {},
) => ({ table, column, owner, ...({ id: "id", of: "id", ...keys } as Keys) })

const itself = (id: string) => id

/** All columns sealed by `seal`. A test fails for a column of bytes that is neither here nor known to be unsealed. */
export const sealedColumns = [
  sealedIn("attestations", "claims", itself),
  sealedIn("attestations", "provider_link", (id) => linkOwner({ id })),
  sealedIn("attestations", "reminder_email", reminderOwner, { of: "wallet" }),
  sealedIn("sandbox_submissions", "claims", itself, { id: "event_id", of: "attestation_id" }),
  sealedIn("reviews", "claims", claimsOwner),
  sealedIn("reviews", "approved_claims", claimsOwner),
  sealedIn("reviews", "reason", reasonOwner),
  sealedIn("review_entries", "text", entryOwner, { id: "seq", of: "review_id" }),
  sealedIn("vendor_redactions", "reference", (id) => referenceOwner({ id })),
  sealedIn("webhook_endpoints", "secret", secretOwner),
  sealedIn("webhook_endpoints", "previous_secret", secretOwner),
  sealedIn("investor_notes", "body", itself),
]

/** A row with a sealed column. */
type Sealed = { workspace_id: string; id: string; sealed: Buffer; owner: string }

/**
 * Seals everything again with the first data key that another key sealed, in small commits. It can be interrupted:
 * finished rows are skipped the next time. Returns how many it sealed.
 */
export async function resealAll(progress: (text: string) => void): Promise<number> {
  let resealed = await resealSecondFactors(deployment.dataKeys, sql)
  for (const column of sealedColumns) {
    let after = { workspace_id: "", id: "" }
    for (;;) {
      const rows = await readSealed(column, after)
      const count = await resealRows(column, rows)
      resealed += count
      if (count > 0) progress(`${resealed} sealed with the new key`)
      if (rows.length < BATCH) break
      after = rows.at(-1)!
    }
  }
  return resealed
}

type Column = (typeof sealedColumns)[number]

const readSealed = ({ table, column, id, of }: Column, after: Pick<Sealed, "workspace_id" | "id">) => sql<Sealed[]>`
  select workspace_id, ${sql(id)}::text as id, ${sql(column)} as sealed, ${sql(of)} as owner from ${sql(table)}
  where (workspace_id, ${sql(id)}::text) > (${after.workspace_id}, ${after.id}) and ${sql(column)} is not null
  order by workspace_id, ${sql(id)}::text limit ${BATCH}`

async function resealRows({ table, column, id, owner }: Column, rows: readonly Sealed[]): Promise<number> {
  const changed = rows.flatMap((row) => {
    const fresh = reseal(owner(row.owner), row.sealed)
    return fresh === null ? [] : [{ ...row, sealed: row.sealed.toString("hex"), fresh: fresh.toString("hex") }]
  })
  if (changed.length === 0) return 0
  // A row that was erased or decided again in the meantime keeps its new value.
  const { count } = await sql`
    update ${sql(table)} t set ${sql(column)} = decode(c.fresh, 'hex')
    from jsonb_to_recordset(${sql.json(changed)}) as c(workspace_id text, id text, sealed text, fresh text)
    where t.workspace_id = c.workspace_id and t.${sql(id)}::text = c.id and t.${sql(column)} = decode(c.sealed, 'hex')`
  return count
}
