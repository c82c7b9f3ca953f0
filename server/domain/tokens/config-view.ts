import { z } from "zod"
import { deployment } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { explorerOf } from "#server/solana/explorer.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { isBeingReconciled, mintConfigRecord, toConfigRecord } from "./config.ts"
import { readConfig } from "./configs.ts"
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
export async function viewConfig({ workspaceId, mode }: Principal, id: string): Promise<ConfigView> {
  const row = await readConfig(workspaceId, id)
  const cluster = deployment.chains[mode]?.identity?.cluster
  const { accounts, remaining } = await readReconcileProgress(workspaceId, row.id)
  // Pausing the mint itself is one operation besides the accounts.
  const total = Math.max(accounts, remaining)
  return {
    ...toConfigRecord(row),
    issued: fromBaseUnits(BigInt(row.issued), row.decimals),
    mint_state: row.minted_at !== null ? "ready" : row.mint === null ? "none" : "creating",
    reconciling: isBeingReconciled(row) || remaining > 0 ? { done: total - remaining, total } : null,
    cluster: cluster ?? null,
    explorer: explorerOf(cluster),
  }
}
