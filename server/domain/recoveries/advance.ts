import { type Queryable, background as sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { recordChange, vouch } from "#domain/audit-log"
import { configsHeldBy, type Progress, type Recovering, recoverPosition } from "#domain/tokens"
import { logger } from "#server/lib/log.ts"
import { clock } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import { ruleCodes } from "#shared/rules/rules.ts"
import { endingOf, findRecovery, type RecoveryRow, recoveryRows } from "./recovery.ts"
import { close } from "./request.ts"

/** How many recoveries to carry on with in one pass. The next pass goes on after them, so that none keeps others waiting. */
const BATCH = 50
let lastSeq = 0n

type Row = RecoveryRow & { mode: Mode }

/**
 * Carries on with recoveries: moves what is left in each lost wallet, and ends those of which nothing is left. Every
 * operation is queued in its own commit before it is sent, so a process may end at any moment.
 */
export async function advanceRecoveries(): Promise<void> {
  const waiting = await sql<RecoveryRow[]>`
    ${recoveryRows(sql)} where r.state = 'awaiting_approval' and (a.state <> 'pending' or a.expires_at <= ${clock.now()})
    limit ${BATCH}`
  for (const one of waiting) await alone(one, () => closeDecided(one.workspace_id, one.id))
  const rows = await sql<{ workspace_id: string; id: string; seq: bigint; mode: Mode }[]>`
    select r.workspace_id, r.id, r.seq, w.mode from recoveries r join workspaces w on w.id = r.workspace_id
    where r.state = 'in_progress' and r.seq > ${lastSeq} order by r.seq limit ${BATCH}`
  lastSeq = rows.length < BATCH ? 0n : rows.at(-1)!.seq
  for (const one of rows)
    await alone(one, async () => advance({ ...(await findRecovery(sql, one.workspace_id, one.id)), mode: one.mode }))
}

/** What keeps one recovery from going on does not keep the others. */
const alone = ({ workspace_id, id }: { workspace_id: string; id: string }, act: () => Promise<void>): Promise<void> =>
  act().catch((error) =>
    logger.warn({ err: error, workspaceId: workspace_id, recovery: id }, "a recovery waits; trying again"),
  )

const closeDecided = (workspaceId: string, id: string): Promise<void> =>
  sql.begin(async (sql) => {
    const row = await findRecovery(sql, workspaceId, id, { lock: true })
    const { state } = endingOf(row)
    if (row.state === "awaiting_approval" && (state === "rejected" || state === "failed")) await close(sql, row)
  })

async function advance(row: Row): Promise<void> {
  const { workspace_id: workspaceId, id: recoveryId, lost_wallet: lost, new_wallet: to } = row
  const failure = await readRefusal(row)
  const grounds = {
    reason_code: row.reason_code,
    reference: row.reference,
    ...(row.document_sha256 !== null && { document_sha256: row.document_sha256 }),
  }
  const wallets = { lost, to: to! }
  const isStopped = failure !== null
  const recovering: Recovering = {
    workspaceId,
    mode: row.mode,
    recoveryId,
    ...wallets,
    grounds,
    isStopped,
    now: clock.now(),
  }
  const configs = await configsHeldBy(sql, workspaceId, lost)
  const progress: Progress[] = []
  for (const config of configs) progress.push(await recoverPosition(inProgress(row), recovering, config))
  if (progress.some((one) => one.do === "begun")) publish("ledger")
  // It has all moved while both wallets were this investor's. The new one may have passed to another person since.
  if (progress.every((one) => one.do === "done")) return (await isBusy(row)) ? undefined : end(row, "completed", null)
  const refused = progress.find((one) => one.do === "wait" && one.refusal && !isPassing(one.refusal.code))
  const refusal = failure ?? (refused?.do === "wait" ? refused.refusal : null)
  if (refusal) await end(row, "failed", refusal)
}

/**
 * Refusals after which another operation may succeed, because a member can remove their cause or it passes. A new wallet that
 * was lost, too, or belongs to another investor gets nothing more.
 */
const isPassing = (code: string): boolean =>
  (code !== "wallet_barred" && ruleCodes.some((one) => one === code)) ||
  ["cancelled", "sol_budget_exceeded", "chain_unavailable"].includes(code)

/** Acts only while the recovery goes on. Two workers never act for the same one at the same time. */
const inProgress =
  ({ workspace_id, id }: Row) =>
  (act: (sql: Queryable) => Promise<Progress>): Promise<Progress> =>
    sql.begin(async (sql: Transaction): Promise<Progress> => {
      const held = await sql`
        select from recoveries where workspace_id = ${workspace_id} and id = ${id} and state = 'in_progress'
        for update skip locked`
      return held.length === 0 ? { do: "wait" } : act(sql)
    }) as Promise<Progress>

/** Why the newest operation on one of its positions failed, unless another one may succeed. */
async function readRefusal({ workspace_id, id, lost_wallet }: Row): Promise<{ code: string; detail: string } | null> {
  const rows = await sql<{ status: string; code: string; detail: string }[]>`
    select distinct on (o.mint_config, o.kind, o.payload ->> 'hold_id') o.status, o.error_code as code, o.error_detail as detail
    from operations o
    where o.workspace_id = ${workspace_id} and o.from_wallet = ${lost_wallet} and o.payload ->> 'recovery_id' = ${id}
    order by o.mint_config, o.kind, o.payload ->> 'hold_id', o.seq desc`
  return rows.find(({ status, code }) => status === "failed" && !isPassing(code)) ?? null
}

/** Whether anything about the lost wallet has begun and not ended, such as the end of its credential. */
async function isBusy({ workspace_id, lost_wallet }: Row): Promise<boolean> {
  const [row] = await sql<{ busy: boolean }[]>`
    select exists (select from operations o where o.workspace_id = ${workspace_id}
      and o.status in ('queued', 'submitted') and (o.wallet = ${lost_wallet} or o.from_wallet = ${lost_wallet})) as busy`
  return row!.busy
}

async function end(
  { workspace_id, id, lost_wallet, new_wallet }: Row,
  state: "completed" | "failed",
  error: { code: string; detail: string } | null,
): Promise<void> {
  await sql.begin(async (sql) => {
    const ended = await sql`
      update recoveries set state = ${state}, error_code = ${error?.code ?? null}, error_detail = ${error?.detail ?? null},
        ended_at = ${clock.now()}
      where workspace_id = ${workspace_id} and id = ${id} and state = 'in_progress' returning id`
    if (ended.length === 0) return
    const detail = { lost_wallet, new_wallet, ...(error && { error: error.code }) }
    await recordChange(sql, workspace_id, { author: vouch, action: `recovery.${state}`, subject: id, detail })
  })
  publishActivity(workspace_id)
}
