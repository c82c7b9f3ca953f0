import { type Queryable, sql } from "#db/client.ts"
import { announce, nextNotice } from "#server/bus.ts"
import type { IdempotencyClaim, Principal } from "#server/context.ts"
import { chainOf } from "#server/deployment.ts"
import { fail } from "#server/errors.ts"
import { claimKey } from "#server/rest/idempotency.ts"
import { ensureAssetMints } from "./asset-mint.ts"
import {
  type ConfigInput,
  type ConfigRow,
  checkTogether,
  configColumns,
  insertConfig,
  isConfigId,
  MAX_CONFIGS,
  type MintConfigRecord,
  toConfigRecord,
} from "./config.ts"

const configNotFound = (id: string): never =>
  fail(
    "mint_config_not_found",
    `There is no mint configuration ${isConfigId(id) ? id : "with this id"} in this workspace.`,
  )

async function readConfig(workspaceId: string, id: string): Promise<ConfigRow> {
  const [row] = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} and id = ${id}`
  return row ?? configNotFound(id)
}

/** Errors: mint_config_not_found. */
export const getConfig = async ({ workspaceId }: Principal, id: string): Promise<MintConfigRecord> =>
  toConfigRecord(await readConfig(workspaceId, id))

/** All of a workspace, the oldest first: there are at most MAX_CONFIGS. */
export async function listConfigs({ workspaceId }: Principal): Promise<MintConfigRecord[]> {
  const rows = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${workspaceId} order by created_at, id`
  return rows.map(toConfigRecord)
}

/**
 * Creates a configuration, and its mint through the ledger. Waits until the mint is on chain, for `waitMs` at most.
 * Errors: validation_failed, unknown_schema, mint_config_exists, chain_not_configured.
 */
export async function createConfig({
  principal,
  idempotency,
  config,
  waitMs,
}: {
  principal: Principal
  idempotency: IdempotencyClaim | null
  config: ConfigInput
  waitMs: number
}): Promise<MintConfigRecord> {
  const { workspaceId, mode } = principal
  chainOf(mode)
  checkTogether(config)
  if (!idempotency?.begun) {
    await sql.begin(async (sql) => {
      await addConfig(sql, workspaceId, config)
      if (idempotency) await claimKey(sql, idempotency, config.id)
      await ensureAssetMints(sql, workspaceId, [config.id])
    })
    announce("ledger")
  }
  const giveUpAt = Date.now() + waitMs
  for (;;) {
    const notice = nextNotice("settled", Math.max(0, Math.min(1000, giveUpAt - Date.now())))
    const row = await readConfig(workspaceId, config.id)
    if (row.minted_at !== null || Date.now() >= giveUpAt) return toConfigRecord(row)
    await notice
  }
}

async function addConfig(sql: Queryable, workspaceId: string, config: ConfigInput): Promise<void> {
  // One at a time in a workspace, so that two cannot pass the limit together.
  await sql`select id from workspaces where id = ${workspaceId} for no key update`
  const [known] = await sql<{ schema: boolean; exists: boolean; count: number }[]>`
    select exists (select from schemas where workspace_id = ${workspaceId} and id = ${config.required_schema}) as schema,
      exists (select from mint_configs where workspace_id = ${workspaceId} and id = ${config.id}) as exists,
      (select count(*)::int from mint_configs where workspace_id = ${workspaceId}) as count`
  if (known!.exists) {
    fail("mint_config_exists", `id: there is a configuration ${config.id} already. Choose another id.`)
  }
  if (!known!.schema) {
    fail(
      "unknown_schema",
      `required_schema: ${config.required_schema} is not a schema of this workspace. List them with GET /schemas.`,
    )
  }
  if (known!.count >= MAX_CONFIGS) {
    fail(
      "validation_failed",
      `id: a workspace has ${MAX_CONFIGS} configurations at most, and this one has them.`,
    )
  }
  await insertConfig(sql, workspaceId, config)
}

/** Stops minting and moving, or lets it go on. Errors: mint_config_not_found. */
export async function setPaused({
  principal,
  idempotency,
  id,
  paused,
}: {
  principal: Principal
  idempotency: IdempotencyClaim | null
  id: string
  paused: boolean
}): Promise<MintConfigRecord> {
  const { workspaceId } = principal
  if (!idempotency?.begun) {
    await sql.begin(async (sql) => {
      const [row] = await sql<{ paused: boolean }[]>`
        select paused from mint_configs where workspace_id = ${workspaceId} and id = ${id} for no key update`
      if (!row) return configNotFound(id)
      if (idempotency) await claimKey(sql, idempotency, id)
      if (row.paused === paused) return
      await sql`update mint_configs set paused = ${paused} where workspace_id = ${workspaceId} and id = ${id}`
    })
  }
  return getConfig(principal, id)
}
