import { z } from "zod"
import { sql } from "#db/client.ts"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { explorerOf } from "#server/solana/explorer.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { type ConfigRow, configColumns, isBeingReconciled, mintConfigRecord, toConfigRecord } from "./config.ts"
import { configNotFound } from "./configs.ts"
import { readReconcileProgress } from "./reconcile-accounts.ts"

/** A configuration with the fields that only the dashboard shows. */
export const configView = z.object({
  ...mintConfigRecord.shape,
  /** Whole tokens that are minted or about to be. max_supply limits them. */
  issued: z.string(),
  /** `none`: the mint is created on first use. */
  mint_state: z.enum(["none", "creating", "ready"]),
  /** The progress of accounts after a change of mode, rules or pause; null if all are done. */
  reconciling: z.object({ done: z.number(), total: z.number() }).nullable(),
  cluster: z.string().nullable(),
  /** With `{}` for `tx/…` or `address/…`; null if no public explorer reaches it. */
  explorer: z.string().nullable(),
})
export type ConfigView = z.infer<typeof configView>

/** Errors: mint_config_not_found. */
export async function viewConfig(principal: Principal, id: string): Promise<ConfigView> {
  const [row] = await sql<ConfigRow[]>`
    select ${sql(configColumns)} from mint_configs where workspace_id = ${principal.workspaceId} and id = ${id}`
  return row ? toView(principal, row) : configNotFound(id)
}

async function toView({ workspaceId, mode }: Principal, row: ConfigRow): Promise<ConfigView> {
  const cluster = deployment.chains[mode]?.identity?.cluster
  const { accounts, remaining } = await readReconcileProgress(workspaceId, row.id)
  const isDue = isBeingReconciled(row)
  // Pausing the mint itself is one operation besides the accounts.
  const total = Math.max(accounts, remaining)
  return {
    ...toConfigRecord(row),
    issued: fromBaseUnits(BigInt(row.issued), row.decimals),
    mint_state: row.minted_at !== null ? "ready" : row.mint === null ? "none" : "creating",
    reconciling: isDue || remaining > 0 ? { done: total - remaining, total } : null,
    cluster: cluster ?? null,
    explorer: explorerOf(cluster),
  }
}
