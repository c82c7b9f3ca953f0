import { z } from "zod"
import { sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { chainOf } from "#domain/deployment"
import { type Command, claimKey } from "#domain/requests"
import { fail } from "#shared/errors.ts"
import type { RulesJson } from "#shared/rules/fields.ts"
import { type ConfigInput, checkTogether, configInput, type MintConfigRecord } from "./config.ts"
import { changeConfig, configNotFound, getConfig, lockConfig } from "./configs.ts"
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
 * Changes fields of a configuration. A rule that is not named stays, and null removes it. The new rules apply to every
 * later request and to operations that are not signed yet. Errors: mint_config_not_found, validation_failed,
 * unknown_schema, chain_not_configured.
 */
export async function patchConfig(command: Command & { id: string; patch: ConfigPatch }): Promise<MintConfigRecord> {
  const { principal, requestId, idempotency, id, patch } = command
  const { workspaceId, mode } = principal
  chainOf(mode)
  if (!idempotency?.begun) {
    await sql.begin(async (sql) => {
      // Locked before it is merged, so that the later of two simultaneous changes includes the earlier one.
      const known = await lockConfig(sql, workspaceId, id)
      if (!known) return configNotFound(id)
      if (idempotency) await claimKey(sql, idempotency, id)
      const { transfer_mode: mode } = known
      const elsewhere = "Change it in the dashboard, or with vouch mint-config apply."
      if (patch.transfer_mode !== undefined && patch.transfer_mode !== mode)
        fail("validation_failed", `transfer_mode: cannot change here; it is ${mode}. ${elsewhere}`)
      const config = merge(known, patch)
      checkTogether(config)
      await changeConfig(sql, { principal, requestId }, known, config)
    })
    publish("ledger")
    publishActivity(workspaceId)
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
