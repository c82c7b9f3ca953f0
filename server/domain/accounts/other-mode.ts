import { type Queryable, sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { NAME } from "#server/lib/fields.ts"
import { type IdPrefix, isId } from "#server/lib/ids.ts"
import { type ErrorCode, Failure } from "#shared/errors.ts"

type Kept = {
  thing: string
  /** Input fields that may contain the id. The first one in the request is used. */
  fields: readonly string[]
  isNamed: (id: string) => boolean
  /** The table to search, by `workspace_id` and id. */
  table: string
  column: string
  when?: (sql: Queryable) => ReturnType<Queryable>
}

const kept = (
  thing: string,
  prefix: IdPrefix,
  table: string,
  more: Partial<Pick<Kept, "fields" | "column" | "when">> = {},
): Kept => ({
  thing,
  fields: ["id"],
  isNamed: (id) => isId(prefix, id),
  table,
  column: "id",
  ...more,
})

const named = (thing: string, table: string, fields: readonly string[]): Kept => ({
  thing,
  fields,
  isNamed: (id) => NAME.test(id),
  table,
  column: "id",
})

/**
 * What to search in the other mode, by the error in this mode. Wallets are left out, because anyone can guess which
 * wallets exist.
 */
const things: { readonly [code in ErrorCode]?: Kept } = {
  attestation_not_found: kept("attestation", "att", "attestations"),
  session_not_found: kept("session", "sess", "attestations", { column: "session_id" }),
  investor_not_found: kept("investor", "inv", "investors"),
  erasure_not_found: kept("erasure", "era", "erasures"),
  operation_not_found: kept("operation", "op", "operations", {
    when: (sql) => sql`kind in ('mint', 'transfer')`,
  }),
  webhook_endpoint_not_found: kept("webhook endpoint", "whe", "webhook_endpoints", {
    when: (sql) => sql`deleted_at is null`,
  }),
  event_not_found: kept("event", "evt", "events", { fields: ["event_id"] }),
  mint_config_not_found: named("mint configuration", "mint_configs", ["id", "mint_config"]),
  unknown_mint_config: named("mint configuration", "mint_configs", ["mint_config"]),
  schema_not_found: named("schema", "schemas", ["id"]),
  unknown_schema: named("schema", "schemas", ["schemaId", "schema", "required_schema"]),
}

/**
 * The response in place of a not-found error if the object is in the other mode of the same account; null if it is not.
 * Status and code stay the same. No other account is searched, so neither the response nor its timing reveals whether
 * another account's object exists.
 */
export async function inOtherMode(
  code: ErrorCode,
  { workspaceId, mode }: Principal,
  input: Readonly<Record<string, unknown>>,
): Promise<Failure | null> {
  const kept = things[code]
  const field = kept?.fields.find((one) => input[one] !== undefined)
  if (!kept || field === undefined) return null
  const id = input[field]
  if (typeof id !== "string" || !kept.isNamed(id)) return null
  const [found] = await sql`
    select from workspaces mine join workspaces other
      on other.account_id = mine.account_id and other.id <> mine.id
    where mine.id = ${workspaceId} and exists (
      select from ${sql(kept.table)}
      where workspace_id = other.id and ${sql(kept.column)} = ${id} ${kept.when ? sql`and ${kept.when(sql)}` : sql``})`
  if (!found) return null
  const other = mode === "live" ? "test" : "live"
  return new Failure(
    code,
    `${field}: this ${kept.thing} is in ${other} mode, and your key is for ${mode} mode. Use a key that begins with vouch_${other}_.`,
  )
}
