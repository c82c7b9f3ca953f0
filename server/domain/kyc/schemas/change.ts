import { isDeepStrictEqual } from "node:util"
import { isUniqueViolation, sql } from "#db/client.ts"
import { type Author, recordChange } from "#server/domain/audit-log/record.ts"
import { voidPlans } from "#server/ledger/lease.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

export type SchemaFields = {
  name: string
  validity_days: number
  /** Whether sessions ask for proof of the wallet; null where the provider decides. */
  wallet_proof: boolean | null
  /** How many days before the end investors are reminded. */
  reminder_days: number[]
}

type SchemaChange<Fields> = { workspaceId: string; id: string; fields: Fields; author: Author }

/** Adds a schema to a workspace; its credential's mint is made with its first attestation. Errors: schema_exists. */
export async function createSchema({
  workspaceId,
  id,
  fields,
  author,
}: SchemaChange<SchemaFields>): Promise<void> {
  const { name, validity_days, wallet_proof, reminder_days } = fields
  try {
    await sql.begin(async (sql) => {
      await sql`
        insert into schemas (workspace_id, id, name, validity_days, wallet_proof, reminder_days, created_at)
        values (${workspaceId}, ${id}, ${name}, ${validity_days}, ${wallet_proof}, ${reminder_days}, ${clock.now()})`
      await recordChange(sql, workspaceId, { author, action: "schema.created", subject: id, detail: fields })
    })
  } catch (error) {
    if (!isUniqueViolation(error, "schemas_workspace_id_id_pk")) throw error
    fail("schema_exists", `id: the schema ${id} already exists. Choose another id, or change that schema.`)
  }
}

/**
 * Changes a schema's name or validity, for attestations that are decided from then on: what has been issued keeps its
 * expiry, which is on chain. Proof of the wallet is asked of sessions that begin from then on. Errors: schema_not_found.
 */
export const changeSchema = ({
  workspaceId,
  id,
  fields,
  author,
}: SchemaChange<Partial<SchemaFields>>): Promise<SchemaFields> =>
  sql.begin(async (sql) => {
    const [before] = await sql<SchemaFields[]>`
      select name, validity_days, wallet_proof, reminder_days from schemas where workspace_id = ${workspaceId} and id = ${id} for update`
    if (!before)
      return fail(
        "schema_not_found",
        "id: this workspace has no schema with this id. List them with GET /schemas.",
      )
    const after = { ...before, ...fields }
    if (isDeepStrictEqual(after, { ...before })) return after
    await sql`
      update schemas set name = ${after.name}, validity_days = ${after.validity_days}, wallet_proof = ${after.wallet_proof},
        reminder_days = ${after.reminder_days}
      where workspace_id = ${workspaceId} and id = ${id}`
    // The name goes on chain with the credential's mint.
    await voidPlans(sql, workspaceId)
    await recordChange(sql, workspaceId, {
      author,
      action: "schema.changed",
      subject: id,
      detail: { before, after },
    })
    return after
  })
