import { background } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { lockHoldings } from "../holder-facts.ts"
import { bindHolds } from "./bound-holds.ts"

const BATCH = 1000

/** Ends holds whose time has come. Until then they are read as expired, so this decides nothing. */
export async function expireHolds(now: Date): Promise<void> {
  const due = await background<{ workspace_id: string; config: string; wallet: Address }[]>`
    select distinct workspace_id, mint_config as config, wallet from holds
    where state = 'active' and remaining > 0 and expires_at <= ${now} order by workspace_id limit ${BATCH}`
  for (const [workspaceId, keys] of Map.groupBy(due, (row) => row.workspace_id)) {
    await background.begin(async (sql) => {
      const holdings = await lockHoldings(sql, workspaceId, keys)
      const holds = await bindHolds(sql, workspaceId, { keys, holdingOf: (key) => holdings.of(key), now })
      await holds.save(sql, workspaceId)
      await holdings.save(sql)
    })
  }
}
