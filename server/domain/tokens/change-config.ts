import { isDeepStrictEqual } from "node:util"
import { z } from "zod"
import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { recordChange } from "#domain/audit-log"
import { chainOf } from "#domain/deployment"
import { type Command, claimKey } from "#domain/requests"
import { countInvestors, forgetInvestors } from "#domain/token-investors"
import { voidPlans } from "#server/ledger/index.ts"
import { canonicalJson, type Json } from "#server/lib/json.ts"
import { fail } from "#shared/errors.ts"
import { countsInvestors, holdingNames, type RulesJson } from "#shared/rules/fields.ts"
import { ensureAssetMints } from "./asset-mint.ts"
import {
  type ConfigInput,
  type ConfigRow,
  changeableFields,
  checkTogether,
  configInput,
  type MintConfigRecord,
  requestedMode,
} from "./config.ts"
import {
  type Author,
  addConfig,
  configNotFound,
  getConfig,
  lockConfig,
  lockCreation,
  requireSchemaOf,
} from "./configs.ts"
import { hasOpenHolds } from "./holds/carry.ts"
import { followPause, startReconciling } from "./pause.ts"
import { rulesPatch } from "./rule-schemas.ts"

const { name, symbol, decimals, required_schema, transfer_mode } = configInput.shape

const UNTIL_MINTED = "Written on chain with the mint. Cannot change once the mint's creation has begun"

/** The fields that a change may set. Others stay unchanged. */
export const configPatch = {
  name: name.optional().meta({ description: `Token name. ${UNTIL_MINTED}`, example: "EU Growth Fund" }),
  symbol: symbol.optional().meta({ description: `Token symbol. ${UNTIL_MINTED}`, example: "EUGF" }),
  decimals: decimals.optional().meta({ description: `Digits after the decimal point. ${UNTIL_MINTED}`, example: 6 }),
  required_schema: required_schema.optional(),
  transfer_mode: transfer_mode
    .unwrap()
    .optional()
    .meta({ description: "Accepted if unchanged. Change it in the dashboard", example: "agent" }),
  rules: rulesPatch.optional(),
}
const patch = z.object(configPatch)
export type ConfigPatch = z.infer<typeof patch>

/**
 * Changes fields of a configuration, or asks for approval. A rule that is not named stays, and null removes it. The new
 * rules apply to every later request and to operations that are not signed yet. Errors: mint_config_not_found,
 * validation_failed, unknown_schema, chain_not_configured, approver_missing; throws AwaitingApproval.
 */
export const patchConfig = (command: Changing & { patch: ConfigPatch }): Promise<MintConfigRecord> =>
  change(command, ({ transfer_mode: mode }) => {
    const { patch } = command
    const elsewhere = "Change it in the dashboard, or with vouch mint-config apply."
    if (patch.transfer_mode !== undefined && patch.transfer_mode !== mode)
      fail("validation_failed", `transfer_mode: cannot change here; it is ${mode}. ${elsewhere}`)
    return patch
  })

/** Makes a change that was approved. */
export const redoConfigChange = ({ request, ...command }: Changing & { request: Record<string, unknown> }) =>
  change(command, () => {
    const { mint_config: _, ...changes } = request
    return changes as ConfigPatch
  })

type Changing = Command & { id: string; replay?: Replay }

async function change(command: Changing, patchFor: (known: ConfigRow) => ConfigPatch): Promise<MintConfigRecord> {
  const { principal, idempotency, id } = command
  const { workspaceId, mode } = principal
  chainOf(mode)
  if (!idempotency?.begun) {
    const decided = await sql.begin(async (sql) => {
      // Locked before it is merged, so that the later of two simultaneous changes includes the earlier one.
      const row = await lockConfig(sql, workspaceId, id)
      if (!row) return configNotFound(id)
      const known = asRequested(row)
      const config = merge(known, patchFor(known))
      checkTogether(config)
      return changeConfig(sql, command, known, config)
    })
    publish("ledger")
    publishActivity(workspaceId)
    doneOf(decided)
  }
  return getConfig(principal, id)
}

function merge(known: ConfigInput, { rules, ...fields }: ConfigPatch): ConfigInput {
  const { id, name, symbol, decimals, required_schema, transfer_mode } = known
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  const merged = Object.entries({ ...known.rules, ...rules }).filter(([, rule]) => rule !== null && rule !== undefined)
  return {
    ...{ id, name, symbol, decimals, required_schema, transfer_mode },
    ...given,
    rules: Object.fromEntries(merged) as RulesJson,
  }
}

/** Rules about wallets, which holder mode enforces by freezing. */
const walletRules = ({ required_schema, rules }: Pick<ConfigInput, "required_schema" | "rules">) =>
  JSON.stringify([required_schema, ...holdingNames.map((name) => rules[name])])

export type Applied = { outcome: "created" | "changed" | "unchanged"; reconciles: boolean }

/**
 * Creates a configuration, or changes the one with that id. Fields that are fixed on chain cannot change. If accounts
 * must be reconciled, that begins with the commit and continues in the server (`reconcile-accounts.ts`). Errors:
 * validation_failed, unknown_schema, chain_not_configured, approver_missing; throws AwaitingApproval.
 */
export async function applyConfig({ principal, requestId }: Author, config: ConfigInput): Promise<Applied> {
  const { workspaceId, mode } = principal
  const author = { principal, requestId }
  chainOf(mode)
  checkTogether(config)
  const decided = await sql.begin(async (sql): Promise<Decided<Applied>> => {
    let row = await lockConfig(sql, workspaceId, config.id)
    if (!row) {
      await lockCreation(sql, workspaceId)
      // The same command in another process may have created it while this one waited.
      row = await lockConfig(sql, workspaceId, config.id)
    }
    if (!row) {
      await addConfig(sql, author, config)
      await ensureAssetMints(sql, workspaceId, [config.id])
      return { done: { outcome: "created", reconciles: false } }
    }
    return changeConfig(sql, { ...author, idempotency: null }, asRequested(row), config)
  })
  publish("ledger")
  publishActivity(workspaceId)
  return doneOf(decided)!
}

/** A configuration with the mode that was last requested. Holds may still be carried because of it. */
const asRequested = (row: ConfigRow): ConfigRow => ({ ...row, transfer_mode: requestedMode(row) })

/**
 * Changes a locked configuration, or asks for approval. Errors: validation_failed for a field that is fixed on chain,
 * unknown_schema, approver_missing.
 */
async function changeConfig(
  sql: Transaction,
  { principal, requestId, idempotency, replay }: Omit<Changing, "id">,
  known: ConfigRow,
  config: ConfigInput,
): Promise<Decided<Applied>> {
  const { workspaceId } = principal
  const author = { principal, requestId }
  const { id, mint } = known
  const fixed = (["decimals", "name", "symbol"] as const).find((field) => known[field] !== config[field])
  if (mint !== null && fixed !== undefined) {
    const has = `the mint has ${JSON.stringify(known[fixed])}`
    fail("validation_failed", `${fixed}: cannot change; ${has}. Keep it, or create a configuration with another id.`)
  }
  await requireSchemaOf(sql, workspaceId, config)
  const make = async (sql: Transaction) => {
    if (idempotency) await claimKey(sql, idempotency, id)
    return makeChange(sql, author, known, config)
  }
  const changes = changesTo(known, config)
  if (Object.keys(changes).length === 0) return { done: await make(sql) }
  const rules = canonicalJson(only(known, changeableFields) as Json)
  const about = { subject: id, mint_config: id, request: { mint_config: id, ...changes }, rules }
  return underPolicy(sql, workspaceId, { action: "config_change", ...about, author, idempotency, replay }, make)
}

const only = (from: ConfigInput, fields: readonly (keyof ConfigInput)[]) =>
  Object.fromEntries(fields.map((field) => [field, from[field]]))

/** What a change sets, in the form of a PATCH: of the rules only those that differ, null for one that it removes. */
function changesTo(known: ConfigInput, config: ConfigInput): ConfigPatch {
  const fields = changeableFields.filter((field) => !isDeepStrictEqual(known[field], config[field]))
  const changes = only(config, fields)
  if (!fields.includes("rules")) return changes
  const names = new Set([...Object.keys(known.rules), ...Object.keys(config.rules)]) as Set<keyof RulesJson>
  const differing = [...names].filter((name) => !isDeepStrictEqual(known.rules[name], config.rules[name]))
  return { ...changes, rules: Object.fromEntries(differing.map((name) => [name, config.rules[name] ?? null])) }
}

/** Counts investors from now on if a rule needs it, and again if another schema says who they are. */
async function followRules(sql: Queryable, workspaceId: string, known: ConfigRow, config: ConfigInput): Promise<void> {
  const counts = countsInvestors(config.rules)
  if (!counts && known.investors !== null) await forgetInvestors(sql, workspaceId, known.id)
  if (counts && (known.investors === null || known.required_schema !== config.required_schema))
    await countInvestors(sql, workspaceId, config)
}

/** The mode that binds after a change of mode, and the one that follows once holds are carried into their accounts. */
async function modesFor(sql: Queryable, workspaceId: string, { id, transfer_mode }: ConfigInput) {
  const waits = transfer_mode === "holder" && (await hasOpenHolds(sql, workspaceId, id))
  return waits ? ({ mode: "agent", next: "holder" } as const) : { mode: transfer_mode, next: null }
}

async function makeChange(sql: Queryable, author: Author, known: ConfigRow, config: ConfigInput): Promise<Applied> {
  const { workspaceId } = author.principal
  const { id, mint } = known
  const otherMode = known.transfer_mode !== config.transfer_mode
  const { mode, next } = otherMode
    ? await modesFor(sql, workspaceId, config)
    : { mode: known.next_transfer_mode === null ? known.transfer_mode : "agent", next: known.next_transfer_mode }
  const changed = await sql`
    update mint_configs set name = ${config.name}, symbol = ${config.symbol}, decimals = ${config.decimals},
      required_schema = ${config.required_schema}, transfer_mode = ${mode}, next_transfer_mode = ${next},
      rules = ${sql.json(config.rules)}
    where workspace_id = ${workspaceId} and id = ${id}
      and (name, symbol, decimals, required_schema, transfer_mode, next_transfer_mode, rules)
      is distinct from (${config.name}, ${config.symbol}, ${config.decimals}::smallint, ${config.required_schema},
        ${mode}, ${next}, ${sql.json(config.rules)}::jsonb)
    returning id`
  if (changed.length === 0) return { outcome: "unchanged", reconciles: false }
  await voidPlans(sql, workspaceId)
  const fields = changeableFields.filter((field) => !isDeepStrictEqual(known[field], config[field]))
  const detail = { before: only(known, fields), after: only(config, fields) }
  await recordChange(sql, workspaceId, { author, action: "mint_config.changed", subject: id, detail })
  await followRules(sql, workspaceId, known, config)
  const reconciles =
    mint !== null && (otherMode || (config.transfer_mode === "holder" && walletRules(known) !== walletRules(config)))
  // Until holds are carried, accounts stay frozen (`reconcile-accounts.ts`).
  if (reconciles && next === null) {
    // A pause that was only in the books. The mint is paused before any account is opened.
    if (otherMode && known.paused) await followPause(sql, workspaceId, { ...known, ...config })
    await startReconciling(sql, workspaceId, id)
  }
  // Holders have moved tokens themselves. The books are read back from the chain once all accounts are frozen.
  if (reconciles && otherMode && config.transfer_mode === "agent") {
    await sql`update mint_configs set counted_up_to = '' where workspace_id = ${workspaceId} and id = ${id}`
  }
  return { outcome: "changed", reconciles }
}
