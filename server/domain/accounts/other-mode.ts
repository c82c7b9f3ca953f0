import { type Queryable, sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import type { Principal } from "#domain/requests"
import { NAME } from "#server/lib/fields.ts"
import { type IdPrefix, isId } from "#server/lib/ids.ts"
import { type ErrorCode, Failure } from "#shared/errors.ts"

type Kept = {
  thing: string
  /** The table to search, by `workspace_id` and id. */
  table: string
  isNamed: (id: string) => boolean
  column?: string
  /** Input fields that may contain the id, if not `id`. The first one in the request is used. */
  fields?: readonly string[]
  when?: (sql: Queryable) => ReturnType<Queryable>
}

const ofId = (prefix: IdPrefix) => (id: string) => isId(prefix, id)
const isName = (id: string) => NAME.test(id)
const config = { thing: "mint configuration", table: "mint_configs", isNamed: isName }
const schema = { thing: "schema", table: "schemas", isNamed: isName }

/** What to search in the other mode, by the error in this one. Wallets are left out: anyone can guess them. */
const things: { readonly [code in ErrorCode]?: Kept } = {
  attestation_not_found: { thing: "attestation", table: "attestations", isNamed: ofId("att") },
  session_not_found: { thing: "session", table: "attestations", isNamed: ofId("sess"), column: "session_id" },
  investor_not_found: { thing: "investor", table: "investors", isNamed: ofId("inv") },
  erasure_not_found: { thing: "erasure", table: "erasures", isNamed: ofId("era") },
  operation_not_found: {
    thing: "operation",
    table: "operations",
    isNamed: ofId("op"),
    when: (sql) => sql`${isMovement()}`,
  },
  hold_not_found: { thing: "hold", table: "holds", isNamed: ofId("hold") },
  snapshot_not_found: { thing: "snapshot", table: "snapshots", isNamed: ofId("snap"), fields: ["id", "snapshot_id"] },
  distribution_not_found: { thing: "distribution", table: "distributions", isNamed: ofId("dist") },
  payout_not_found: { thing: "payout", table: "payouts", isNamed: ofId("pay") },
  webhook_endpoint_not_found: {
    thing: "webhook endpoint",
    table: "webhook_endpoints",
    isNamed: ofId("whe"),
    when: (sql) => sql`deleted_at is null`,
  },
  event_not_found: { thing: "event", table: "events", isNamed: ofId("evt"), fields: ["event_id"] },
  mint_config_not_found: { ...config, fields: ["id", "mint_config"] },
  unknown_mint_config: { ...config, fields: ["mint_config"] },
  schema_not_found: schema,
  unknown_schema: { ...schema, fields: ["schemaId", "schema", "required_schema"] },
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
  const field = (kept?.fields ?? ["id"]).find((one) => input[one] !== undefined)
  if (!kept || field === undefined) return null
  const id = input[field]
  if (typeof id !== "string" || !kept.isNamed(id)) return null
  const [found] = await sql`
    select from workspaces mine join workspaces other
      on other.account_id = mine.account_id and other.id <> mine.id
    where mine.id = ${workspaceId} and exists (
      select from ${sql(kept.table)}
      where workspace_id = other.id and ${sql(kept.column ?? "id")} = ${id} ${kept.when ? sql`and ${kept.when(sql)}` : sql``})`
  if (!found) return null
  const other = mode === "live" ? "test" : "live"
  return new Failure(
    code,
    `${field}: this ${kept.thing} is in ${other} mode, and your key is for ${mode} mode. Use a key that begins with vouch_${other}_.`,
  )
}
