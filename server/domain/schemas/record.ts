import { z } from "zod"
import { sql } from "#db/client.ts"
import { columns, qualified, type RowOf, timestamped } from "#db/rows.ts"
import type { Principal } from "#domain/requests"
import { requiredFor } from "#server/domain/schemas/proof-required.ts"
import { matching, NAME, named, timestamp } from "#server/lib/fields.ts"
import { clock } from "#server/lib/time.ts"
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
  ...timestamped(row),
  wallet_proof: requiredFor(mode, row.id, row.wallet_proof),
  wallet_proof_setting: row.wallet_proof,
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

/** Call it if a filter by a schema finds nothing, so that a typo is not just an empty list. Errors: unknown_schema. */
export async function requireSchema(workspaceId: string, schemaId: string): Promise<void> {
  const known = await sql`select id from schemas where workspace_id = ${workspaceId} and id = ${schemaId}`
  if (known.length > 0) return
  fail("unknown_schema", `schema: ${schemaId} is not a schema of this workspace. List them with GET /schemas.`)
}

/** The highest number that is counted. Beyond it, the answer is `more`: counting a million rows takes too long. */
const COUNTED = 1000
/** How many attestations of a schema are read for the count, newest first. */
const LOOKED_THROUGH = 20_000

/** The schemas of a workspace, each with its number of verified attestations, counted as far as is cheap. */
export async function summariseSchemas({ workspaceId, mode }: Principal) {
  const rows = await sql<(RowOf<typeof schemaColumns> & { verified: number; older: boolean })[]>`
    select ${sql(qualified("s", schemaColumns))}, c.verified,
      exists (
        select from attestations a where a.workspace_id = s.workspace_id and a.schema_id = s.id
        order by seq desc nulls last offset ${LOOKED_THROUGH} limit 1
      ) as older
    from schemas s cross join lateral (
      select count(*)::int as verified
      from (
        select from (
          select status, expires_at from attestations a
          where a.workspace_id = s.workspace_id and a.schema_id = s.id
          order by seq desc nulls last limit ${LOOKED_THROUGH}
        ) recent
        where status = 'verified' and expires_at > ${clock.now()} limit ${COUNTED + 1}
      ) counted
    ) c
    where s.workspace_id = ${workspaceId} order by s.created_at desc, s.id`
  return rows.map(({ verified, older, ...row }) => ({
    ...toDetail(mode, row),
    verified: { count: Math.min(verified, COUNTED), more: verified > COUNTED || older },
  }))
}
