import { sql } from "#db/client.ts"
import { fail } from "#shared/errors.ts"

/**
 * Refuses an unknown schema if a filter by it finds nothing, so that a typo does not look like an empty list.
 * Errors: unknown_schema.
 */
export async function requireSchema(workspaceId: string, schemaId: string): Promise<void> {
  const known = await sql`select id from schemas where workspace_id = ${workspaceId} and id = ${schemaId}`
  if (known.length > 0) return
  fail("unknown_schema", `schema: ${schemaId} is not a schema of this workspace. List them with GET /schemas.`)
}
