import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { getSchema } from "#domain/schemas"

const tokenColumns = columns("mint_configs", "id, name, symbol, transfer_mode, paused, mint, holders")

/** A schema, with the tokens that require it and the provider of its sessions. Errors: schema_not_found. */
export async function readSchemaUse(principal: Principal, id: string) {
  const { workspaceId, mode } = principal
  const [schema, tokens] = await Promise.all([
    getSchema(principal, id),
    // A workspace has few tokens.
    sql<RowOf<typeof tokenColumns>[]>`
      select ${sql(tokenColumns)} from mint_configs
      where workspace_id = ${workspaceId} and required_schema = ${id} order by created_at desc, id`,
  ])
  const { default: common, bySchema } = deployment.providers[mode]
  const provider = bySchema.get(id) ?? common
  return {
    ...schema,
    tokens,
    /** Null if the mode has none. `chosen`: by a setting for this schema, or the mode's for all. */
    provider: provider && {
      label: provider.label,
      chosen: bySchema.has(id) ? ("schema" as const) : ("mode" as const),
      setting: mode === "live" ? "VOUCH_LIVE_PROVIDER" : "VOUCH_TEST_PROVIDER",
    },
  }
}
