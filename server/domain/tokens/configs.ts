import { isDeepStrictEqual } from "node:util"
import { type Queryable, sql } from "#db/client.ts"
import { nextMessage, publish, publishActivity } from "#db/pubsub.ts"
import { budgetRefusal } from "#domain/accounts"
import { recordChange } from "#domain/audit-log"
import { chainOf } from "#domain/deployment"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { enqueue, voidPlans } from "#server/ledger/index.ts"
import { fail } from "#shared/errors.ts"
import { holdingNames } from "#shared/rules/fields.ts"
import { ensureAssetMints } from "./asset-mint.ts"
import {
  type ConfigInput,
  type ConfigRow,
  changeableFields,
  checkTogether,
  configColumns,
  extensionsOf,
  insertConfig,
  isConfigId,
  loadConfigs,
  MAX_CONFIGS,
  type MintConfigRecord,
  refuse,
  toConfigRecord,
} from "./config.ts"
import { reconcilePause } from "./operations/reconcile-pause.ts"

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

async function addConfig(sql: Queryable, author: Author, config: ConfigInput): Promise<void> {
  const { workspaceId } = author.principal
  await lockCreation(sql, workspaceId)
  await checkNewConfig(sql, workspaceId, config)
  await insertConfig(sql, workspaceId, config)
  const { id: subject, ...detail } = config
  await recordChange(sql, workspaceId, { author, action: "mint_config.created", subject, detail })
}

/** Two simultaneous requests of a workspace cannot exceed the limit together. */
const lockCreation = (sql: Queryable, workspaceId: string) =>
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

/** Pauses or unpauses a token. Errors: mint_config_not_found. */
export async function setPaused(command: Command & { id: string; paused: boolean }): Promise<MintConfigRecord> {
  const { principal, requestId, idempotency, id, paused } = command
  const { workspaceId } = principal
  if (!idempotency?.begun) {
    await sql.begin(async (sql) => {
      const config = await lockConfig(sql, workspaceId, id)
      if (!config) return configNotFound(id)
      if (idempotency) await claimKey(sql, idempotency, id)
      if (config.paused === paused) return
      await sql`update mint_configs set paused = ${paused} where workspace_id = ${workspaceId} and id = ${id}`
      await followPause(sql, workspaceId, { ...config, paused })
      await voidPlans(sql, workspaceId)
      const action = paused ? "mint_config.paused" : "mint_config.unpaused"
      await recordChange(sql, workspaceId, { author: { principal, requestId }, action, subject: id })
    })
    publish("ledger")
    publishActivity(workspaceId)
  }
  return getConfig(principal, id)
}

/**
 * Makes the chain follow a pause: pauses the mint or, if it cannot be paused, freezes the accounts. In agent mode nothing
 * moves without Vouch, so nothing needs to be paused on chain. A mint that was paused in holder mode is still resumed.
 */
async function followPause(sql: Queryable, workspaceId: string, config: ConfigRow): Promise<void> {
  const { id, mint, transfer_mode, paused } = config
  if (mint === null || (paused && transfer_mode === "agent")) return
  if (extensionsOf(config).includes("pausable")) {
    const operation = { payload: { mint_config: id }, writes: [mint], reads: [] }
    await enqueue(sql, workspaceId, reconcilePause, operation)
  } else if (transfer_mode === "holder") await startReconciling(sql, workspaceId, id)
}

const startReconciling = async (sql: Queryable, workspaceId: string, id: string): Promise<void> => {
  await sql`update mint_configs set aligned_up_to = '' where workspace_id = ${workspaceId} and id = ${id}`
}

/** Rules about wallets, which holder mode enforces by freezing. */
const walletRules = ({ required_schema, rules }: Pick<ConfigInput, "required_schema" | "rules">) =>
  JSON.stringify([required_schema, ...holdingNames.map((name) => rules[name])])

export type Applied = { outcome: "created" | "changed" | "unchanged"; reconciles: boolean }

/**
 * Creates a configuration, or changes the one with that id. Fields that are fixed on chain cannot change. If accounts
 * must be reconciled, that begins with the commit and continues in the server (`reconcile-accounts.ts`). Errors:
 * validation_failed, unknown_schema, chain_not_configured.
 */
export async function applyConfig(author: Author, config: ConfigInput): Promise<Applied> {
  const { workspaceId, mode } = author.principal
  chainOf(mode)
  checkTogether(config)
  const applied = await sql.begin(async (sql): Promise<Applied> => {
    let known = await lockConfig(sql, workspaceId, config.id)
    if (!known) {
      await lockCreation(sql, workspaceId)
      // The same command in another process may have created it while this one waited.
      known = await lockConfig(sql, workspaceId, config.id)
    }
    if (!known) {
      await addConfig(sql, author, config)
      await ensureAssetMints(sql, workspaceId, [config.id])
      return { outcome: "created", reconciles: false }
    }
    return changeConfig(sql, author, known, config)
  })
  publish("ledger")
  publishActivity(workspaceId)
  return applied
}

export const lockConfig = async (sql: Queryable, workspaceId: string, id: string): Promise<ConfigRow | undefined> =>
  (await loadConfigs(sql, workspaceId, [id], { lock: true })).get(id)

/** Changes a locked configuration. Errors: validation_failed for a field that is fixed on chain, unknown_schema. */
export async function changeConfig(
  sql: Queryable,
  author: Author,
  known: ConfigRow,
  config: ConfigInput,
): Promise<Applied> {
  const { workspaceId } = author.principal
  const { id, mint } = known
  const fixed = (["decimals", "name", "symbol"] as const).find((field) => known[field] !== config[field])
  if (mint !== null && fixed !== undefined) {
    const has = `the mint has ${JSON.stringify(known[fixed])}`
    fail("validation_failed", `${fixed}: cannot change; ${has}. Keep it, or create a configuration with another id.`)
  }
  await requireSchemaOf(sql, workspaceId, config)
  const changed = await sql`
    update mint_configs set name = ${config.name}, symbol = ${config.symbol}, decimals = ${config.decimals},
      required_schema = ${config.required_schema}, transfer_mode = ${config.transfer_mode}, rules = ${sql.json(config.rules)}
    where workspace_id = ${workspaceId} and id = ${id} and (name, symbol, decimals, required_schema, transfer_mode, rules)
      is distinct from (${config.name}, ${config.symbol}, ${config.decimals}::smallint, ${config.required_schema},
        ${config.transfer_mode}, ${sql.json(config.rules)}::jsonb)
    returning id`
  if (changed.length === 0) return { outcome: "unchanged", reconciles: false }
  await voidPlans(sql, workspaceId)
  const fields = changeableFields.filter((field) => !isDeepStrictEqual(known[field], config[field]))
  const only = (from: ConfigInput | ConfigRow) => Object.fromEntries(fields.map((field) => [field, from[field]]))
  const detail = { before: only(known), after: only(config) }
  await recordChange(sql, workspaceId, { author, action: "mint_config.changed", subject: id, detail })
  const otherMode = known.transfer_mode !== config.transfer_mode
  const reconciles =
    mint !== null && (otherMode || (config.transfer_mode === "holder" && walletRules(known) !== walletRules(config)))
  // A pause that was only in the books. The mint is paused before any account is opened.
  if (reconciles && otherMode && known.paused) await followPause(sql, workspaceId, { ...known, ...config })
  if (reconciles) await startReconciling(sql, workspaceId, id)
  // Holders have moved tokens themselves. The books are read back from the chain once all accounts are frozen.
  if (reconciles && otherMode && config.transfer_mode === "agent") {
    await sql`update mint_configs set counted_up_to = '' where workspace_id = ${workspaceId} and id = ${id}`
  }
  return { outcome: "changed", reconciles }
}

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
