import { isDeepStrictEqual } from "node:util"
import { sql } from "#db/client.ts"
import { columns, only, type RowOf } from "#db/rows.ts"
import { recordChange } from "#domain/audit-log"
import { claimKey, type IdempotencyClaim, type Principal } from "#domain/requests"
import { voidPlans } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"
import { getSchema, type SchemaDetail, schemaNotFound } from "./record.ts"

/** The most schemas of a workspace. They are listed without pages. */
export const MAX_SCHEMAS = 100

/** `wallet_proof`: null if the provider decides. `reminder_days`: days before the expiry to remind investors. */
const fieldColumns = columns("schemas", "name, validity_days, wallet_proof, reminder_days")
type SchemaFields = RowOf<typeof fieldColumns>

type SchemaChange<Fields> = {
  principal: Principal
  requestId: string | null
  idempotency: IdempotencyClaim | null
  id: string
  fields: Fields
}

/**
 * Adds a schema to a workspace. Its credential's mint is created with its first attestation. Errors: schema_exists,
 * validation_failed if the workspace has MAX_SCHEMAS.
 */
export async function createSchema(change: SchemaChange<SchemaFields>): Promise<SchemaDetail> {
  const { principal, idempotency, id, fields: detail } = change
  if (idempotency?.begun) return getSchema(principal, id)
  const { workspaceId } = principal
  await sql.begin(async (sql) => {
    // One at a time in a workspace, so that two requests cannot pass the limit together.
    await sql`select id from workspaces where id = ${workspaceId} for no key update`
    const known = await sql<{ count: number; exists: boolean }[]>`
      select count(*)::int as count, coalesce(bool_or(id = ${id}), false) as exists from schemas
      where workspace_id = ${workspaceId}`
    const { count, exists } = only(known)
    if (exists) fail("schema_exists", `id: the schema ${id} already exists. Choose another id, or change that schema.`)
    if (count >= MAX_SCHEMAS)
      fail("validation_failed", `id: this workspace has reached the maximum of ${MAX_SCHEMAS} schemas.`)
    const { name, validity_days, wallet_proof, reminder_days } = detail
    await sql`
      insert into schemas (workspace_id, id, name, validity_days, wallet_proof, reminder_days, created_at)
      values (${workspaceId}, ${id}, ${name}, ${validity_days}, ${wallet_proof}, ${reminder_days}, ${clock.now()})`
    if (idempotency) await claimKey(sql, idempotency, id)
    await recordChange(sql, workspaceId, { author: change, action: "schema.created", subject: id, detail })
  })
  return getSchema(principal, id)
}

/**
 * Changes a schema. A new name or validity applies to later decisions: issued attestations keep their expiry, which is
 * on chain. A changed `wallet_proof` applies to sessions that begin later. Errors: schema_not_found.
 */
export async function changeSchema(change: SchemaChange<Partial<SchemaFields>>): Promise<SchemaDetail> {
  const { principal, idempotency, id, fields } = change
  const { workspaceId } = principal
  if (idempotency?.begun) return getSchema(principal, id)
  await sql.begin(async (sql) => {
    const [before] = await sql<SchemaFields[]>`
      select ${sql(fieldColumns)} from schemas where workspace_id = ${workspaceId} and id = ${id} for update`
    if (!before) return schemaNotFound()
    if (idempotency) await claimKey(sql, idempotency, id)
    const after = { ...before, ...fields }
    if (isDeepStrictEqual(after, { ...before })) return
    await sql`
      update schemas set name = ${after.name}, validity_days = ${after.validity_days}, wallet_proof = ${after.wallet_proof},
        reminder_days = ${after.reminder_days}
      where workspace_id = ${workspaceId} and id = ${id}`
    // An operation that is being signed may create the credential's mint, which has the name on chain.
    await voidPlans(sql, workspaceId)
    const detail = { before, after }
    await recordChange(sql, workspaceId, { author: change, action: "schema.changed", subject: id, detail })
  })
  return getSchema(principal, id)
}
