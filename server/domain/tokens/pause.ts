import { type Queryable, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { recordChange } from "#domain/audit-log"
import { type Command, claimKey } from "#domain/requests"
import { enqueue, voidPlans } from "#server/ledger/index.ts"
import { type ConfigRow, extensionsOf, type MintConfigRecord } from "./config.ts"
import { configNotFound, getConfig, lockConfig } from "./configs.ts"
import { reconcilePause } from "./operations/reconcile-pause.ts"

type Pausing = Command & { id: string; paused: boolean; replay?: Replay }

/**
 * Pauses or unpauses a token. Unpausing may need approval. Errors: mint_config_not_found, approver_missing; throws
 * AwaitingApproval.
 */
export async function setPaused({ id, paused, replay, ...command }: Pausing): Promise<MintConfigRecord> {
  const { principal, requestId, idempotency } = command
  const { workspaceId } = principal
  if (!idempotency?.begun) {
    const decided = await sql.begin(async (sql): Promise<Decided<void>> => {
      const config = await lockConfig(sql, workspaceId, id)
      if (!config) return configNotFound(id)
      const author = { principal, requestId }
      const setTo = async (sql: Transaction) => {
        if (idempotency) await claimKey(sql, idempotency, id)
        if (config.paused === paused) return
        await sql`update mint_configs set paused = ${paused} where workspace_id = ${workspaceId} and id = ${id}`
        await followPause(sql, workspaceId, { ...config, paused })
        await voidPlans(sql, workspaceId)
        const action = paused ? "mint_config.paused" : "mint_config.unpaused"
        await recordChange(sql, workspaceId, { author, action, subject: id })
      }
      if (paused || !config.paused) return { done: await setTo(sql) }
      const rules = await lastPause(sql, workspaceId, id)
      const about = { subject: id, request: { mint_config: id }, mint_config: id, rules }
      return underPolicy(sql, workspaceId, { action: "unpause", ...about, author, idempotency, replay }, setTo)
    })
    publish("ledger")
    publishActivity(workspaceId)
    doneOf(decided)
  }
  return getConfig(principal, id)
}

/** Identifies the pause in force, so that an approval for an earlier one does not lift it. */
async function lastPause(sql: Queryable, workspaceId: string, id: string): Promise<string> {
  const [entry] = await sql<{ seq: bigint }[]>`
    select e.seq from workspaces w join audit_entries e on e.account_id = w.account_id and e.workspace_id = w.id
    where w.id = ${workspaceId} and e.subject = ${id} and e.action = 'mint_config.paused' order by e.seq desc limit 1`
  return String(entry?.seq ?? 0)
}

/**
 * Makes the chain follow a pause: pauses the mint or, if it cannot be paused, freezes the accounts. In agent mode nothing
 * moves without Vouch, so nothing needs to be paused on chain. A mint that was paused in holder mode is still resumed.
 */
export async function followPause(sql: Queryable, workspaceId: string, config: ConfigRow): Promise<void> {
  const { id, mint, transfer_mode, paused } = config
  if (mint === null || (paused && transfer_mode === "agent")) return
  if (extensionsOf(config).includes("pausable")) {
    const operation = { payload: { mint_config: id }, writes: [mint], reads: [] }
    await enqueue(sql, workspaceId, reconcilePause, operation)
  } else if (transfer_mode === "holder") await startReconciling(sql, workspaceId, id)
}

export const startReconciling = async (sql: Queryable, workspaceId: string, id: string): Promise<void> => {
  await sql`update mint_configs set aligned_up_to = '' where workspace_id = ${workspaceId} and id = ${id}`
}
