import { background } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { addSeconds } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { lockHoldings } from "../holder-facts.ts"
import { beginRelease } from "./begin.ts"
import { bindHolds } from "./bound-holds.ts"

const BATCH = 1000
const RETRY_SECONDS = 3600

/** Ends holds whose time has come. Until then they are read as expired, so this decides nothing. */
export async function expireHolds(now: Date): Promise<void> {
  const due = await background<{ workspace_id: string; config: string; wallet: Address }[]>`
    select distinct workspace_id, mint_config as config, wallet from holds
    where state = 'active' and account is null and next_account is null and remaining > 0
      and expires_at <= ${now} order by workspace_id limit ${BATCH}`
  for (const [workspaceId, keys] of Map.groupBy(due, (row) => row.workspace_id)) {
    await background.begin(async (sql) => {
      const holdings = await lockHoldings(sql, workspaceId, keys)
      const holds = await bindHolds(sql, workspaceId, { keys, holdingOf: (key) => holdings.of(key), now })
      await holds.save(sql, workspaceId)
      await holdings.save(sql)
    })
  }
}

/**
 * Moves back what is in hold accounts and has expired. If the chain refuses, it is tried again after an hour. While a
 * token is paused nothing moves.
 */
export async function releaseExpired(now: Date): Promise<void> {
  const due = await background<{ workspace_id: string; id: string; mint_config: string; wallet: Address }[]>`
    select h.workspace_id, h.id, h.mint_config, h.wallet from holds h
      join mint_configs c on c.workspace_id = h.workspace_id and c.id = h.mint_config
    where h.state = 'active' and h.account is not null and h.remaining > 0 and h.taking = 0 and h.expires_at <= ${now}
      and not c.paused and c.counted_up_to is null and not exists (
        select from operations o where o.workspace_id = h.workspace_id and o.id = h.operation_id and o.kind = 'release'
          and o.status = 'failed' and o.finished_at > ${addSeconds(now, -RETRY_SECONDS)})
    limit ${BATCH}`
  for (const { workspace_id, id, mint_config, wallet } of due) {
    await background.begin(async (sql) => {
      const key = { config: mint_config, wallet }
      const holdings = await lockHoldings(sql, workspace_id, [key])
      const holding = holdings.of(key)
      const holds = await bindHolds(sql, workspace_id, { keys: [key], named: [id], holdingOf: () => holding, now })
      const hold = holds.get(id)
      if (hold?.state !== "active" || hold.account === null || hold.remaining === 0n || hold.taking > 0n) return
      await beginRelease(sql, workspace_id, { hold, holds, holding, endsAs: "expired" })
      await holds.save(sql, workspace_id)
      await holdings.save(sql)
    })
  }
  if (due.length > 0) publish("ledger")
}
