import { type Queryable, sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { destroyUnexplained } from "#domain/attestations"
import { recordChange, theOperator } from "#domain/audit-log"
import { chainOf } from "#domain/deployment"
import { operations as kinds } from "#server/domain/operations/operations.ts"
import { Comparison, markCompared, readState, recheckQuarantines } from "#server/ledger/index.ts"
import { sleep } from "#server/lib/time.ts"
import { bindChain } from "#server/solana/chain.ts"
import type { Mode } from "#shared/mode.ts"

/** What keeps a mode, or some of its workspaces, from signing after a restore. */
export type Quarantine = {
  mode: Mode
  /** Why the whole mode waits; null once it has been compared. */
  waits_for: string | null
  /** The slot as of which that was found. */
  slot: number
  workspaces: { workspace: string; since: string; differences: Unexplained[] }[]
}

/** How long the command waits for the chain each time. */
const CHECK_EVERY_MS = 1000

/**
 * Compares a mode's database with its chain like a worker, and records in the books what has landed. Waits as long as
 * only time is missing. Returns what still keeps Vouch from signing.
 */
export async function reconcileMode(mode: Mode, progress: (text: string) => void): Promise<Quarantine> {
  const chain = chainOf(mode)
  await bindChain(chain)
  const comparison = new Comparison(chain, kinds)
  let said: string | null = null
  for (;;) {
    const { slot } = await chain.rpc.finalizedHeight()
    const reason = await comparison.check(slot)
    if (reason === null || !comparison.isPassing) {
      const remaining = await recheckQuarantines(chain)
      return {
        mode,
        waits_for: reason,
        slot,
        workspaces: remaining.map(({ workspace_id, since, differences }) => ({
          workspace: workspace_id,
          since: since.toISOString(),
          differences,
        })),
      }
    }
    if (reason !== said) progress(`${mode}: ${reason}…`)
    said = reason
    await sleep(CHECK_EVERY_MS)
  }
}

/**
 * Lets signing continue after a person has decided, and records that in the audit log of the workspaces concerned.
 * Credentials without an attestation are destroyed, and their owners verify again. Everything else stays as the chain
 * and the books have it.
 */
export async function acceptQuarantine(quarantine: Quarantine, reason: string): Promise<void> {
  const { mode, slot, waits_for, workspaces } = quarantine
  const state = await readState(mode)
  await sql.begin(async (sql) => {
    for (const { workspace, differences } of workspaces) {
      for (const one of differences) await destroyUnexplained(sql, workspace, one)
      await sql`delete from quarantines where workspace_id = ${workspace}`
      await recordLifted(sql, workspace, {
        reason,
        differences: differences.map(({ signature }) => signature),
      })
    }
    if (waits_for === null || state === null) return
    const all = await sql<{ id: string }[]>`select id from workspaces where mode = ${mode} order by id`
    for (const { id } of all) await recordLifted(sql, id, { reason, waited_for: waits_for })
    await markCompared(sql, mode, { ...state, slot })
  })
  publish("ledger")
}

const recordLifted = (sql: Queryable, workspaceId: string, detail: Record<string, unknown>) =>
  recordChange(sql, workspaceId, {
    author: theOperator,
    action: "ledger.quarantine_lifted",
    subject: workspaceId,
    detail,
  })
