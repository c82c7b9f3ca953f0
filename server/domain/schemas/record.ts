import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { requiredFor } from "#server/domain/schemas/proof-required.ts"
import { matching, NAME, named, timestamp } from "#server/lib/fields.ts"
import { toTimestamp } from "#server/lib/time.ts"
import { fail } from "#shared/errors.ts"

/** The id of a schema. An id that no schema can have also counts as unknown. */
export const schemaId = matching(NAME, "is not a schema of this workspace", "unknown_schema").meta({
  description: "Schema id",
  example: "kyc_individual_v1",
})

/** The id of a schema in a path. An id that no schema can have also counts as not found. */
export const schemaInPath = matching(
  NAME,
  "this workspace has no schema with this id. List them with GET /schemas.",
  "schema_not_found",
).meta({ description: "Schema id", example: "kyc_individual_v1" })

export const schemaRecord = z
  .object({
    id: named.meta({ description: "Schema id, as used in schemaId", example: "kyc_individual_v1" }),
    name: z.string().meta({ description: "Display name", example: "Individual identity" }),
    validity_days: z.number().int().meta({ description: "Days from the provider's decision", example: 365 }),
    wallet_proof: z.boolean().meta({
      description: "Whether sessions started now ask investors to prove with a signature that the wallet is theirs",
      example: true,
    }),
    created_at: timestamp,
  })
  .meta({ id: "VerificationSchema" })

/** The schema with its settings. */
export const schemaDetail = schemaRecord
  .extend({
    wallet_proof_setting: z.boolean().nullable().meta({
      description: "The setting of wallet_proof; null if the provider decides",
      example: null,
    }),
    reminder_days: z.array(z.number().int()).meta({
      description: "How many days before the expiry Vouch sends attestation.expiring and reminds investors who want it",
      example: [30, 7, 1],
    }),
  })
  .meta({ id: "VerificationSchemaDetail" })
export type SchemaDetail = z.infer<typeof schemaDetail>

const schemaColumns = columns("schemas", "id, name, validity_days, wallet_proof, reminder_days, created_at")

const toDetail = (mode: Principal["mode"], row: RowOf<typeof schemaColumns>): SchemaDetail => ({
  id: row.id,
  name: row.name,
  validity_days: row.validity_days,
  wallet_proof: requiredFor(mode, row.id, row.wallet_proof),
  created_at: toTimestamp(row.created_at),
  wallet_proof_setting: row.wallet_proof,
  reminder_days: row.reminder_days,
})

/** All schemas of a workspace, newest first. */
export async function listSchemas({ workspaceId, mode }: Principal): Promise<SchemaDetail[]> {
  const rows = await sql<RowOf<typeof schemaColumns>[]>`
    select ${sql(schemaColumns)} from schemas where workspace_id = ${workspaceId} order by created_at desc, id`
  return rows.map((row) => toDetail(mode, row))
}

/** Errors: schema_not_found. */
export async function getSchema({ workspaceId, mode }: Principal, id: string): Promise<SchemaDetail> {
  const [row] = await sql<RowOf<typeof schemaColumns>[]>`
    select ${sql(schemaColumns)} from schemas where workspace_id = ${workspaceId} and id = ${id}`
  return row ? toDetail(mode, row) : schemaNotFound()
}

export const schemaNotFound = (): never =>
  fail("schema_not_found", "id: this workspace has no schema with this id. List them with GET /schemas.")

/**
 * Refuses an unknown schema if a filter by it finds nothing, so that a typo does not look like an empty list.
 * Errors: unknown_schema.
 */
export async function requireSchema(workspaceId: string, schemaId: string): Promise<void> {
  const known = await sql`select id from schemas where workspace_id = ${workspaceId} and id = ${schemaId}`
  if (known.length > 0) return
  fail("unknown_schema", `schema: ${schemaId} is not a schema of this workspace. List them with GET /schemas.`)
}
