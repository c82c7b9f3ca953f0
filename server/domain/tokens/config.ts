import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { schemaId } from "#server/domain/kyc/wallet.ts"
import type { Issuer } from "#server/ledger/definition.ts"
import type { Operation } from "#server/ledger/operation.ts"
import {
  address,
  amountText,
  country,
  matching,
  NAME,
  recordedCountry,
  time,
  timestamp,
  wholeNumber,
} from "#server/lib/fields.ts"
import { plainText, readable } from "#server/lib/text.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Asset, TransferMode } from "#server/solana/asset.ts"
import { fromBaseUnits, limitsOf, toBaseUnits } from "#shared/amount.ts"
import { admitsAny } from "#shared/countries.ts"
import { fail } from "#shared/errors.ts"
import { assetMintOf } from "./asset-accounts.ts"
import type { Case, Rules } from "./rules.ts"

/** The configuration that every workspace starts with; its mint is made with the first use. */
export const firstConfig = {
  id: "us_real_estate_fund_v1",
  name: "US Real Estate Fund",
  symbol: "USREF",
  decimals: 6,
  required_schema: "kyc_individual_v1",
  transfer_mode: "agent",
  rules: {},
} satisfies ConfigInput

export const MAX_CONFIGS = 100
/** What the name may take of the transaction that creates the mint. */
const MAX_NAME_BYTES = 96

const countries = z.array(country).min(1).max(250)

const UNITS = /^(0|[1-9][0-9]{0,19})(\.[0-9]{1,9})?$/
const units = z
  .string()
  .refine((text) => UNITS.test(text) && /[1-9]/.test(text), {
    error: 'must be a decimal string of more than zero, such as "1000000"',
  })
  .meta({ pattern: UNITS.source })

const allowed = { description: "Only investors from these", example: ["US", "CA"] }
const blocked = { description: "No investors from these", example: ["KP"] }

const ruleFields = {
  allowed_countries: countries.optional().meta(allowed),
  blocked_countries: countries.optional().meta(blocked),
  require_accredited: z
    .boolean()
    .optional()
    .meta({ description: "Only accredited investors", example: true }),
  max_supply: units.optional().meta({ description: "Maximum supply, in whole tokens", example: "1000000" }),
  max_holders: wholeNumber(1, 1_000_000_000)
    .optional()
    .meta({ description: "Maximum number of holders", example: 2000 }),
  max_balance_per_wallet: units.optional().meta({
    description: "Maximum balance of one wallet, in whole tokens",
    example: "50000",
  }),
  transfers_locked_until: time.optional().meta({
    description: "No transfers before this time; minting is not affected",
    example: "2027-01-01T00:00:00Z",
  }),
}

const ABOUT_RULES = "Every rule is optional; a rule that is left out does not apply"
const rulesField = z.strictObject(ruleFields).meta({ id: "MintRulesRequest", description: ABOUT_RULES })
// A configuration that was made before may name what is no country: it can be read all the same.
const recordedCountries = z.array(recordedCountry)
const rulesRecord = z
  .object({
    ...ruleFields,
    allowed_countries: recordedCountries.optional().meta(allowed),
    blocked_countries: recordedCountries.optional().meta(blocked),
  })
  .meta({ id: "MintRules", description: ABOUT_RULES })

const idMeta = { description: "Configuration id", example: "us_real_estate_fund_v1" }

export const isConfigId = (text: string): boolean => NAME.test(text)

/** The id of a configuration that is there. One that is not is unknown_mint_config, whatever it looks like. */
export const knownConfigId = matching(
  NAME,
  "is not a mint configuration of this workspace. List them with GET /mint-configs.",
  "unknown_mint_config",
).meta(idMeta)

/** The same in a path: one that is not there is not found. */
export const configId = matching(
  NAME,
  "this workspace has no such mint configuration",
  "mint_config_not_found",
).meta(idMeta)

const configFields = {
  id: matching(NAME, "must be 1 to 64 of a-z, 0-9 and _, and not begin with _").meta(idMeta),
  name: plainText(64)
    .refine((text) => Buffer.byteLength(text) <= MAX_NAME_BYTES, `must be at most ${MAX_NAME_BYTES} bytes`)
    .meta({ description: "Token name, also on chain", example: "US Real Estate Fund" }),
  symbol: matching(/^[A-Za-z0-9.]{1,10}$/, "must be 1 to 10 letters, digits and points").meta({
    description: "Token symbol, also on chain",
    example: "USREF",
  }),
  decimals: wholeNumber(0, 9).meta({ description: "Digits after the decimal point", example: 6 }),
  required_schema: schemaId.meta({
    description: "Schema that holders must be verified for",
    example: "kyc_individual_v1",
  }),
  transfer_mode: z.enum(["agent", "holder"]).meta({
    description:
      "`agent`: accounts stay frozen, and tokens move only through Vouch. `holder`: verified holders can move them themselves",
    example: "agent",
  }),
}

/** A configuration as it is created. */
export const configInput = z.object({
  ...configFields,
  id: configFields.id.meta({ example: "eu_growth_fund_v1" }),
  name: readable(configFields.name).meta({ example: "EU Growth Fund" }),
  symbol: configFields.symbol.meta({ example: "EUGF" }),
  transfer_mode: configFields.transfer_mode.default("agent"),
  rules: rulesField.default({}),
})
export type ConfigInput = z.infer<typeof configInput>

export const mintConfigRecord = z
  .object({
    ...configFields,
    rules: rulesRecord,
    mint: address.nullable().meta({
      description: "Address of the Token-2022 mint; null until it is on chain",
      example: "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh",
    }),
    supply: amountText.meta({ description: "Whole tokens minted", example: "1000" }),
    holders: z.number().int().meta({ description: "Wallets that hold the token", example: 2 }),
    paused: z.boolean().meta({ description: "Whether minting and transfers are stopped", example: false }),
    created_at: timestamp,
  })
  .meta({ id: "MintConfig" })
export type MintConfigRecord = z.infer<typeof mintConfigRecord>

type RulesJson = z.infer<typeof rulesField>

export const configColumns = columns(
  "mint_configs",
  "id",
  "name",
  "symbol",
  "decimals",
  "required_schema",
  "transfer_mode",
  "rules",
  "paused",
  "mint",
  "pausable",
  "minted_at",
  "issued",
  "supply",
  "holders",
  "aligned_up_to",
  "counted_up_to",
  "created_at",
)
export type ConfigRow = RowOf<typeof configColumns, { transfer_mode: TransferMode; rules: RulesJson }>

export const toConfigRecord = (row: ConfigRow): MintConfigRecord => ({
  id: row.id,
  name: row.name,
  symbol: row.symbol,
  decimals: row.decimals,
  required_schema: row.required_schema,
  transfer_mode: row.transfer_mode,
  rules: row.rules,
  mint: row.minted_at === null ? null : row.mint,
  supply: fromBaseUnits(BigInt(row.supply), row.decimals),
  holders: row.holders,
  paused: row.paused,
  created_at: toTimestamp(row.created_at),
})

/** Rules as the API writes them, in base units. Amounts have been checked against the decimals. */
export function readRules(rules: RulesJson, decimals: number): Rules {
  const { max_supply, max_balance_per_wallet, transfers_locked_until } = rules
  return {
    ...(rules.allowed_countries && { allowedCountries: rules.allowed_countries }),
    ...(rules.blocked_countries && { blockedCountries: rules.blocked_countries }),
    ...(rules.require_accredited !== undefined && { requireAccredited: rules.require_accredited }),
    ...(max_supply !== undefined && { maxSupply: toBaseUnits(max_supply, decimals)! }),
    ...(rules.max_holders !== undefined && { maxHolders: rules.max_holders }),
    ...(max_balance_per_wallet !== undefined && {
      maxBalancePerWallet: toBaseUnits(max_balance_per_wallet, decimals)!,
    }),
    ...(transfers_locked_until !== undefined && { transfersLockedUntil: new Date(transfers_locked_until) }),
  }
}

/** Rules that the chain cannot hold while holders move tokens by themselves. */
const NEEDS_AGENT = ["max_holders", "max_balance_per_wallet", "transfers_locked_until"] as const

/** A configuration as the rules see it. */
export const ruledBy = (row: ConfigRow): Case["config"] => ({
  decimals: row.decimals,
  requiredSchema: row.required_schema,
  // Nothing moves while balances are read back: a limit must know what it counts.
  paused: row.paused || row.counted_up_to !== null,
  rules: readRules(row.rules, row.decimals),
  issued: BigInt(row.issued),
  holders: row.holders,
  knowsBalances: row.transfer_mode === "agent",
})

/** What the fields of a configuration must be together. Errors: validation_failed. */
export function checkTogether({ transfer_mode, rules, decimals }: ConfigInput): void {
  const unheld = NEEDS_AGENT.find((rule) => rules[rule] !== undefined)
  if (transfer_mode === "holder" && unheld !== undefined) {
    fail(
      "validation_failed",
      `rules.${unheld}: cannot be enforced in transfer_mode holder, where holders move tokens themselves. Leave it out or use agent.`,
    )
  }
  const { allowed_countries, blocked_countries } = rules
  if (!admitsAny(allowed_countries, blocked_countries)) {
    fail(
      "validation_failed",
      `rules.blocked_countries: blocks ${allowed_countries ? "every country in rules.allowed_countries" : "all countries"}, so nobody could hold the token.`,
    )
  }
  for (const name of ["max_supply", "max_balance_per_wallet"] as const) {
    const amount = rules[name]
    if (amount !== undefined && toBaseUnits(amount, decimals) === null) {
      fail("validation_failed", `rules.${name}: ${limitsOf(decimals)}.`)
    }
  }
}

/** Configurations of a workspace by their ids, locked in their order where `lock` says so. */
export async function loadConfigs(
  sql: Queryable,
  workspaceId: string,
  ids: readonly string[],
  { lock }: { lock: boolean },
): Promise<Map<string, ConfigRow>> {
  const rows = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs
    where workspace_id = ${workspaceId} and id = any(${ids as string[]})
    order by id ${lock ? sql`for no key update` : sql``}`
  return new Map(rows.map((row) => [row.id, row]))
}

export const insertConfig = (sql: Queryable, workspaceId: string, config: ConfigInput) => sql`
  insert into mint_configs
    (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, created_at)
  values (${workspaceId}, ${config.id}, ${config.name}, ${config.symbol}, ${config.decimals},
    ${config.required_schema}, ${config.transfer_mode}, ${sql.json(config.rules)}, ${clock.now()})`

/** The token of a configuration on chain, and the keys that act on it. */
export const assetOf = (
  { workspaceId, authority, feePayer }: Issuer,
  { id, decimals }: ConfigRow,
): Asset => ({
  mint: assetMintOf(workspaceId, id),
  authority: authority.publicKey,
  feePayer: feePayer.publicKey,
  decimals,
})

/** The configurations that operations belong to. */
export const configIdsOf = (operations: readonly Operation<{ mint_config: string }>[]): string[] => [
  ...new Set(operations.map(({ payload }) => payload.mint_config)),
]
