import { sql } from "#db/client.ts"
import { fail } from "#shared/errors.ts"

/**
 * Where a filter by schema finds nothing, tells a mistyped schema from one without attestations.
 * Errors: unknown_schema.
 */
export async function requireSchema(workspaceId: string, schemaId: string): Promise<void> {
  const known = await sql`select id from schemas where workspace_id = ${workspaceId} and id = ${schemaId}`
  if (known.length > 0) return
  fail(
    "unknown_schema",
    `schema: ${schemaId} is not a schema of this workspace. List them with GET /schemas.`,
  )
}
