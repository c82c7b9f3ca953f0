import { sql } from "#db/client.ts"
import { deployment, reseal } from "#domain/deployment"
import { linkOwner, reminderOwner } from "#domain/kyc"
import { resealSecondFactors } from "#domain/people"
import { referenceOwner } from "#domain/privacy"
import { claimsOwner, entryOwner, reasonOwner } from "#domain/reviews"
import { secretOwner } from "#domain/webhooks"

const BATCH = 500

/** A row with sealed columns, and its owner. */
type Sealed = { workspace_id: string; id: string; sealed: Buffer }

type Column = {
  table:
    | "attestations"
    | "sandbox_submissions"
    | "reviews"
    | "review_entries"
    | "investor_notes"
    | "vendor_redactions"
    | "webhook_endpoints"
  /** The columns that identify a row in its workspace. */
  id: "id" | "event_id" | "seq"
  column:
    | "claims"
    | "approved_claims"
    | "provider_link"
    | "reason"
    | "text"
    | "body"
    | "reference"
    | "reminder_email"
    | "secret"
    | "previous_secret"
  /** The columns that name its owner. */
  of: "id" | "attestation_id" | "review_id" | "wallet"
  owner: (row: { id: string }) => string
}

/**
 * All columns sealed by `seal`. A test knows every column of bytes, and fails for one that is neither here nor known to
 * be unsealed.
 */
export const sealedColumns = [
  { table: "attestations", id: "id", column: "claims", of: "id", owner: ({ id }) => id },
  { table: "attestations", id: "id", column: "provider_link", of: "id", owner: linkOwner },
  {
    table: "attestations",
    id: "id",
    column: "reminder_email",
    of: "wallet",
    owner: ({ id }) => reminderOwner(id),
  },
  {
    table: "sandbox_submissions",
    id: "event_id",
    column: "claims",
    of: "attestation_id",
    owner: ({ id }) => id,
  },
  { table: "reviews", id: "id", column: "claims", of: "id", owner: ({ id }) => claimsOwner(id) },
  { table: "reviews", id: "id", column: "approved_claims", of: "id", owner: ({ id }) => claimsOwner(id) },
  { table: "reviews", id: "id", column: "reason", of: "id", owner: ({ id }) => reasonOwner(id) },
  {
    table: "review_entries",
    id: "seq",
    column: "text",
    of: "review_id",
    owner: ({ id }) => entryOwner(id),
  },
  { table: "vendor_redactions", id: "id", column: "reference", of: "id", owner: referenceOwner },
  {
    table: "webhook_endpoints",
    id: "id",
    column: "secret",
    of: "id",
    owner: ({ id }) => secretOwner(id),
  },
  {
    table: "webhook_endpoints",
    id: "id",
    column: "previous_secret",
    of: "id",
    owner: ({ id }) => secretOwner(id),
  },
  { table: "investor_notes", id: "id", column: "body", of: "id", owner: ({ id }) => id },
] as const satisfies readonly Column[]

/**
 * Seals everything again with the first data key that another key sealed, in small commits. It can be interrupted:
 * finished rows are skipped the next time. Returns how many it sealed.
 */
export async function resealAll(progress: (text: string) => void): Promise<number> {
  let resealed = await resealSecondFactors(deployment.dataKeys, sql)
  for (const column of sealedColumns) {
    let after: Pick<Sealed, "workspace_id" | "id"> | null = { workspace_id: "", id: "" }
    while (after) {
      const batch: { last: Pick<Sealed, "workspace_id" | "id"> | null; resealed: number } = await resealBatch(
        column,
        after,
      )
      resealed += batch.resealed
      if (batch.resealed > 0) progress(`${resealed} sealed with the new key`)
      after = batch.last
    }
  }
  return resealed
}

async function resealBatch(
  { table, id, column, of, owner }: Column,
  after: Pick<Sealed, "workspace_id" | "id">,
): Promise<{ last: Pick<Sealed, "workspace_id" | "id"> | null; resealed: number }> {
  const rows = await sql<(Sealed & { owner: string })[]>`
    select workspace_id, ${sql(id)}::text as id, ${sql(column)} as sealed, ${sql(of)} as owner from ${sql(table)}
    where (workspace_id, ${sql(id)}::text) > (${after.workspace_id}, ${after.id}) and ${sql(column)} is not null
    order by workspace_id, ${sql(id)}::text limit ${BATCH}`
  const changed = rows.flatMap((row) => {
    const fresh = reseal(owner({ id: row.owner }), row.sealed)
    return fresh === null ? [] : [{ ...row, fresh }]
  })
  const hex = (bytes: Buffer[]) => bytes.map((one) => one.toString("hex"))
  // A row that was erased or decided again in the meantime keeps its new value.
  const done =
    changed.length === 0
      ? { count: 0 }
      : await sql`
          update ${sql(table)} t set ${sql(column)} = decode(c.fresh, 'hex')
          from unnest(${changed.map((row) => row.workspace_id)}::text[], ${changed.map((row) => row.id)}::text[],
            ${hex(changed.map((row) => row.sealed))}::text[], ${hex(changed.map((row) => row.fresh))}::text[])
            as c(workspace_id, id, sealed, fresh)
          where t.workspace_id = c.workspace_id and t.${sql(id)}::text = c.id and t.${sql(column)} = decode(c.sealed, 'hex')`
  const last = rows.length < BATCH ? null : rows.at(-1)!
  return { last, resealed: done.count }
}
