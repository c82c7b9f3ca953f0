import { background as sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { recordChange, vouch } from "#domain/audit-log"
import { finalMoment, incompleteSince, loadConfigs } from "#domain/tokens"
import { enqueue, refuseInQuarantine } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import { Failure } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { anchor } from "./anchor.ts"
import { summarize } from "./holders.ts"

/** How many tokens to look at in one pass. The next pass goes on after them, so that none keeps others waiting. */
const TOKENS = 50
/** How many snapshots of one token to complete in one pass. */
const BATCH = 10
let last: Token | null = null

type Token = { workspace_id: string; mint_config: string; mode: Mode }
type Due = { id: string; mint_config: string; record_at: Date }

/** Completes snapshots whose record date is final. */
export async function advanceSnapshots(): Promise<void> {
  const tokens = await sql<Token[]>`
    select distinct s.workspace_id, s.mint_config, w.mode from snapshots s join workspaces w on w.id = s.workspace_id
    where s.ready_at is null and s.record_at < ${clock.now()}
      and (s.workspace_id, s.mint_config) > (${last?.workspace_id ?? ""}, ${last?.mint_config ?? ""})
    order by s.workspace_id, s.mint_config limit ${TOKENS}`
  last = tokens.length < TOKENS ? null : tokens.at(-1)!
  const silent = new Set<Mode>()
  for (const { workspace_id: workspaceId, mint_config: mintConfig, mode } of tokens) {
    if (silent.has(mode)) continue
    try {
      const { time } = await finalMoment({ workspaceId, mode }, mintConfig, null)
      const due = await sql<Due[]>`
        select id, mint_config, record_at from snapshots
        where workspace_id = ${workspaceId} and mint_config = ${mintConfig} and ready_at is null and record_at <= ${time}
        order by record_at limit ${BATCH}`
      for (const one of due) await complete(workspaceId, one)
    } catch (error) {
      if (error instanceof Failure && error.code === "chain_not_configured") silent.add(mode)
      else logger.warn({ err: error, workspaceId, mintConfig }, "snapshots wait; trying again")
    }
  }
}

/** What is final does not change, so the holders are read before the commit that says so. */
async function complete(workspaceId: string, { id, mint_config: mintConfig, record_at: recordAt }: Due): Promise<void> {
  const { holders, supply, sha256 } = await summarize({ workspaceId, mintConfig, recordAt })
  await sql.begin(async (sql) => {
    await refuseInQuarantine(sql, workspaceId)
    await loadConfigs(sql, workspaceId, [mintConfig], { lock: true })
    const [open] = await sql<{ operation_id: string | null }[]>`
      select (select o.id from operations o where o.workspace_id = s.workspace_id and o.id = s.operation_id
        and o.payload ->> 'sha256' = ${sha256}) as operation_id
      from snapshots s where workspace_id = ${workspaceId} and id = ${id} and ready_at is null for update of s`
    // Another process was first.
    if (!open) return
    const moment = { slot: null, time: recordAt }
    const isComplete = (await incompleteSince(sql, { workspaceId, mintConfig, moment })) === null
    const payload = { mint_config: mintConfig, snapshot_id: id, sha256 }
    const operationId =
      open.operation_id ?? (await enqueue(sql, workspaceId, anchor, { payload, writes: [], reads: [] }))
    await sql`
      update snapshots set holders = ${holders}, supply = ${String(supply)}, sha256 = ${sha256}, complete = ${isComplete},
        operation_id = ${operationId}, ready_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = ${id}`
    const detail = { mint_config: mintConfig, holders, sha256 }
    await recordChange(sql, workspaceId, { author: vouch, action: "snapshot.ready", subject: id, detail })
  })
  publish("ledger")
  publishActivity(workspaceId)
}
