import { type Queryable, sql } from "#db/client.ts"
import { nextMessage, publish, publishActivity } from "#db/pubsub.ts"
import { budgetRefusal } from "#domain/accounts"
import { recordChange } from "#domain/audit-log"
import { chainOf } from "#domain/deployment"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import { ensureAssetMints } from "./asset-mint.ts"
import {
  type ConfigInput,
  type ConfigRow,
  checkTogether,
  configColumns,
  insertConfig,
  isConfigId,
  loadConfigs,
  MAX_CONFIGS,
  type MintConfigRecord,
  refuse,
  toConfigRecord,
} from "./config.ts"

export const configNotFound = (id: string, field = "id"): never =>
  fail(
    "mint_config_not_found",
    `${field}: this workspace has no mint configuration ${isConfigId(id) ? id : "with this id"}. List them with GET /mint-configs.`,
  )

/** Errors: mint_config_not_found. */
export async function readConfig(workspaceId: string, id: string, field = "id"): Promise<ConfigRow> {
  const [row] = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} and id = ${id}`
  return row ?? configNotFound(id, field)
}

/** Errors: mint_config_not_found. */
export const getConfig = async ({ workspaceId }: Principal, id: string): Promise<MintConfigRecord> =>
  toConfigRecord(await readConfig(workspaceId, id))

/** All configurations of a workspace, newest first. There are at most MAX_CONFIGS. */
export async function listConfigs({ workspaceId }: Principal): Promise<MintConfigRecord[]> {
  const rows = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} order by created_at desc, id`
  return rows.map(toConfigRecord)
}

/**
 * Creates a configuration and, through the ledger, its mint. Waits at most `waitMs` until the mint is on chain. Errors:
 * validation_failed, unknown_schema, mint_config_exists, chain_not_configured.
 */
export async function createConfig(
  command: Command & { config: ConfigInput; waitMs: number },
): Promise<MintConfigRecord> {
  const { principal, requestId, idempotency, config, waitMs } = command
  const { workspaceId, mode } = principal
  chainOf(mode)
  checkTogether(config)
  if (!idempotency?.begun) {
    await sql.begin(async (sql) => {
      const overBudget = await budgetRefusal(sql, workspaceId)
      if (overBudget) refuse(overBudget)
      await addConfig(sql, { principal, requestId }, config)
      if (idempotency) await claimKey(sql, idempotency, config.id)
      await ensureAssetMints(sql, workspaceId, [config.id])
    })
    publish("ledger")
    publishActivity(workspaceId)
  }
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const notice = nextMessage("settled", Math.max(0, Math.min(1000, giveUpAt - performance.now())))
    const row = await readConfig(workspaceId, config.id)
    if (row.minted_at !== null || performance.now() >= giveUpAt) return toConfigRecord(row)
    await notice
  }
}

export type Author = { principal: Principal; requestId: string | null }

export async function addConfig(sql: Queryable, author: Author, config: ConfigInput): Promise<void> {
  const { workspaceId } = author.principal
  await lockCreation(sql, workspaceId)
  await checkNewConfig(sql, workspaceId, config)
  await insertConfig(sql, workspaceId, config)
  const { id: subject, ...detail } = config
  await recordChange(sql, workspaceId, { author, action: "mint_config.created", subject, detail })
}

/** Two simultaneous requests of a workspace cannot exceed the limit together. */
export const lockCreation = (sql: Queryable, workspaceId: string) =>
  sql`select id from workspaces where id = ${workspaceId} for no key update`

/** Checks a new configuration against the workspace. Errors: mint_config_exists, unknown_schema, validation_failed. */
export async function checkNewConfig(
  sql: Queryable,
  workspaceId: string,
  config: Pick<ConfigInput, "id" | "required_schema">,
): Promise<void> {
  const [known] = await sql<{ exists: boolean; count: number }[]>`
    select exists (select from mint_configs where workspace_id = ${workspaceId} and id = ${config.id}) as exists,
      (select count(*)::int from mint_configs where workspace_id = ${workspaceId}) as count`
  if (known!.exists) {
    fail("mint_config_exists", `id: the mint configuration ${config.id} already exists. Choose another id.`)
  }
  await requireSchemaOf(sql, workspaceId, config)
  if (known!.count >= MAX_CONFIGS) {
    fail("validation_failed", `id: this workspace has reached the maximum of ${MAX_CONFIGS} configurations.`)
  }
}

export const lockConfig = async (sql: Queryable, workspaceId: string, id: string): Promise<ConfigRow | undefined> =>
  (await loadConfigs(sql, workspaceId, [id], { lock: true })).get(id)

/** Errors: unknown_schema. */
export async function requireSchemaOf(
  sql: Queryable,
  workspaceId: string,
  config: Pick<ConfigInput, "required_schema">,
): Promise<void> {
  const known = await sql`
    select id from schemas where workspace_id = ${workspaceId} and id = ${config.required_schema}`
  if (known.length > 0) return
  fail(
    "unknown_schema",
    `required_schema: ${config.required_schema} is not a schema of this workspace. List them with GET /schemas.`,
  )
}
