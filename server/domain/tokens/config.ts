import { z } from "zod"
import type { Queryable } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { type Binding, bindingColumn } from "#domain/approvals"
import { schemaId } from "#domain/schemas"
import { address, amountText, matching, NAME, timestamp, wholeNumber } from "#server/lib/fields.ts"
import { plainText, readable } from "#server/lib/text.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits, limitsOf } from "#shared/amount.ts"
import { type ErrorCode, fail } from "#shared/errors.ts"
import { type MintExtension, mintExtensions } from "#shared/mint-extensions.ts"
import { countsInvestors, firstConflict, type RulesJson } from "#shared/rules/fields.ts"
import { ALL_INVESTORS, type InvestorCounts } from "#shared/rules/investor-counts.ts"
import { type TransferMode, transferModes } from "#shared/transfer-modes.ts"
import { rulesInput, rulesRecord } from "./rule-schemas.ts"

/** The configuration with which every workspace starts. Its mint is created on first use. */
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
/** The most bytes of the name, which is part of the transaction that creates the mint. */
const MAX_NAME_BYTES = 96

const idMeta = { description: "Configuration id", example: "us_real_estate_fund_v1" }

export const isConfigId = (text: string): boolean => NAME.test(text)

const NOT_A_CONFIG = "is not a mint configuration of this workspace. List them with GET /mint-configs."

/** The id of an existing configuration. Any other text is unknown_mint_config, even one that cannot be an id. */
export const knownConfigId = matching(NAME, NOT_A_CONFIG, "unknown_mint_config").meta(idMeta)

/** The same in a path, where a missing configuration is not found. */
export const configId = matching(NAME, "this workspace has no such mint configuration", "mint_config_not_found").meta(
  idMeta,
)

export type RequestRefusal = { code: ErrorCode; detail: string }
export const refuse = ({ code, detail }: RequestRefusal): never => fail(code, detail)

export const unknownConfig = (id: string): RequestRefusal => ({
  code: "unknown_mint_config",
  detail: `mint_config: ${id} ${NOT_A_CONFIG}`,
})

export const invalidAmount = ({ id, decimals }: Pick<ConfigRow, "id" | "decimals">): RequestRefusal => ({
  code: "invalid_amount",
  detail: `amount: must be more than zero; for ${id} it ${limitsOf(decimals)}.`,
})

const configFields = {
  id: matching(NAME, "must be 1 to 64 of a-z, 0-9 and _, and not begin with _").meta(idMeta),
  name: plainText(64)
    .refine((text) => Buffer.byteLength(text) <= MAX_NAME_BYTES, `must be at most ${MAX_NAME_BYTES} bytes`)
    .meta({ description: "Token name, also on chain", example: "US Real Estate Fund" }),
  symbol: matching(/^[A-Za-z0-9.]{1,10}$/, "must be 1 to 10 letters, digits and periods").meta({
    description: "Token symbol, also on chain",
    example: "USREF",
  }),
  decimals: wholeNumber(0, 9).meta({ description: "Digits after the decimal point", example: 6 }),
  required_schema: schemaId.meta({
    description: "Schema that holders must be verified for",
    example: "kyc_individual_v1",
  }),
  transfer_mode: z.enum(transferModes).meta({
    description:
      "`agent`: accounts stay frozen, and tokens move only through Vouch. `holder`: verified holders can also move them directly",
    example: "agent",
  }),
}

export const configInput = z.object({
  ...configFields,
  id: configFields.id.meta({ example: "eu_growth_fund_v1" }),
  name: readable(configFields.name).meta({ example: "EU Growth Fund" }),
  symbol: configFields.symbol.meta({ example: "EUGF" }),
  transfer_mode: configFields.transfer_mode.default("agent"),
  rules: rulesInput.default({}),
})
export type ConfigInput = z.infer<typeof configInput>

/** The fields of a configuration that can change, some only until its mint exists. */
export const changeableFields = ["name", "symbol", "decimals", "required_schema", "transfer_mode", "rules"] as const

export const mintConfigRecord = z
  .object({
    ...configFields,
    rules: rulesRecord,
    mint: address.nullable().meta({
      description: "Address of the Token-2022 mint; null until it is on chain",
      example: "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh",
    }),
    extensions: z
      .array(z.enum(mintExtensions))
      .nullable()
      .meta({
        description:
          "Token-2022 extensions of the mint, fixed when it is created; null until it is on chain. `permissioned_burn`: holders cannot burn",
        example: ["pausable", "scaled_ui_amount"],
      }),
    supply: amountText.meta({ description: "Whole tokens minted", example: "1000" }),
    holders: z.number().int().meta({ description: "Wallets that hold the token", example: 2 }),
    investors: z.number().int().nullable().meta({
      description: "Investors who hold the token; null unless a rule of the token counts them",
      example: null,
    }),
    paused: z.boolean().meta({ description: "Whether minting and transfers are stopped", example: false }),
    created_at: timestamp,
  })
  .meta({ id: "MintConfig" })
export type MintConfigRecord = z.infer<typeof mintConfigRecord>

export const configColumns = columns(
  "mint_configs",
  "id, name, symbol, decimals, required_schema, transfer_mode, rules, paused, mint, authority, extensions, next_transfer_mode",
  "pausable, minted_at, issued, supply, holders, investors, aligned_up_to, counted_up_to, created_at",
)
export type ConfigRow = RowOf<
  typeof configColumns,
  {
    transfer_mode: TransferMode
    next_transfer_mode: TransferMode | null
    rules: RulesJson
    investors: InvestorCounts | null
  }
>

/** The extensions of a configuration's mint. */
export const extensionsOf = ({ extensions, pausable }: Pick<ConfigRow, "extensions" | "pausable">): MintExtension[] =>
  extensions ?? (pausable ? ["pausable"] : [])

/** Whether its accounts, holds or balances still follow a change, so that the books do not match the chain yet. */
export const isBeingReconciled = (
  config: Pick<ConfigRow, "aligned_up_to" | "counted_up_to" | "next_transfer_mode">,
): boolean => config.aligned_up_to !== null || config.counted_up_to !== null || config.next_transfer_mode !== null

/** The mode as last set. Agent mode binds until the holds of a token that changes to holder mode are carried. */
export const requestedMode = (row: Pick<ConfigRow, "transfer_mode" | "next_transfer_mode">): TransferMode =>
  row.next_transfer_mode ?? row.transfer_mode

export const toConfigRecord = (row: ConfigRow): MintConfigRecord => ({
  id: row.id,
  name: row.name,
  symbol: row.symbol,
  decimals: row.decimals,
  required_schema: row.required_schema,
  transfer_mode: requestedMode(row),
  rules: row.rules,
  mint: row.minted_at === null ? null : row.mint,
  extensions: row.minted_at === null ? null : extensionsOf(row),
  supply: fromBaseUnits(BigInt(row.supply), row.decimals),
  holders: row.holders,
  investors: row.investors && (row.investors[ALL_INVESTORS] ?? 0),
  paused: row.paused,
  created_at: toTimestamp(row.created_at),
})

/** Checks the fields of a configuration together. Errors: validation_failed. */
export function checkTogether({ transfer_mode: mode, rules, decimals }: ConfigInput): void {
  const conflict = firstConflict(rules, { mode, decimals })
  if (conflict) fail("validation_failed", `rules.${conflict.field}: ${conflict.detail}`)
}

/** Configurations of a workspace by id; with `lock`, locked in order of id. */
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

/** What a reservation reads of a configuration: also the policies that its movements may need approval by. */
export type BoundConfig = ConfigRow & { binding: Binding }

/** The same for a reservation, locked. */
export async function lockBoundConfigs(
  sql: Queryable,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, BoundConfig>> {
  const rows = await sql<BoundConfig[]>`
    select ${sql(configColumns)}, ${bindingColumn(sql)} as binding from mint_configs c
    where workspace_id = ${workspaceId} and id = any(${ids as string[]})
    order by id for no key update of c`
  return new Map(rows.map((row) => [row.id, row]))
}

export const insertConfig = (sql: Queryable, workspaceId: string, config: ConfigInput) => sql`
  insert into mint_configs
    (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, investors, created_at)
  values (${workspaceId}, ${config.id}, ${config.name}, ${config.symbol}, ${config.decimals},
    ${config.required_schema}, ${config.transfer_mode}, ${sql.json(config.rules)},
    ${countsInvestors(config.rules) ? sql.json({}) : null}, ${clock.now()})`
