import { background, type Queryable } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { assetMintOf } from "#domain/token-accounts"
import { askQuorum, type Lookup } from "#server/ledger/index.ts"
import { readIsPaused } from "#server/solana/mint-account.ts"
import { isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { PassesPause } from "./operations/forced.ts"
import { reconcilePause } from "./operations/reconcile-pause.ts"

/** Whether mints were paused on chain at a slot, by configuration. Null if it is not certain: the operation waits. */
export type SeenPauses = { slot: number; isPaused: ReadonlyMap<string, boolean | null> }

type Passing = { payload: PassesPause & { mint_config: string } }

/** The configurations whose pause operations pass. Most operations pass none. */
const passed = (operations: readonly Passing[]): string[] => [
  ...new Set(operations.flatMap(({ payload }) => (payload.while_paused ? [payload.mint_config] : []))),
]

/**
 * Reads whether mints are paused. An operation that passes a pause restores what is read here, so one node's answer is
 * not enough if there are two. No pause begins or ends on chain until the operation has landed, because it reads the mint
 * that they write.
 */
export async function lookUpPauses(
  operations: readonly Passing[],
  { workspaceId, chain }: Lookup,
): Promise<SeenPauses | null> {
  const configs = passed(operations)
  if (configs.length === 0) return null
  const since = await lastLandingOfPause(background, workspaceId, configs)
  const mints = configs.map((config) => assetMintOf(workspaceId, config))
  const answers = await askQuorum(chain.rpc, (view) => readIsPaused(view, mints, { since })).catch((error) => {
    // These operations wait for the other node; the rest of the workspace does not.
    if (isOfTheNodes(error)) return []
    throw error
  })
  const agreed = (i: number): boolean | null => {
    const said = new Set(answers.map(({ value }) => value[i]!))
    return said.size === 1 ? [...said][0]! : null
  }
  return {
    slot: Math.min(...answers.map(({ slot }) => slot)),
    isPaused: new Map(configs.map((config, i) => [config, agreed(i)])),
  }
}

/** What was read, unless a pause may have begun or ended since: in the slot of the reading, either can be first. */
export async function stillPaused(
  sql: Queryable,
  workspaceId: string,
  operations: readonly Passing[],
  seen: SeenPauses | null,
): Promise<SeenPauses["isPaused"] | null> {
  const configs = passed(operations)
  if (seen === null || configs.length === 0) return null
  return (await lastLandingOfPause(sql, workspaceId, configs)) >= seen.slot ? null : seen.isPaused
}

/** How many of a workspace's last transactions are searched. Nodes do not lag behind by more. */
const RECENT = 1000

/** The slot in which a pause last began or ended on chain; 0 if that was long ago. */
async function lastLandingOfPause(sql: Queryable, workspaceId: string, configs: readonly string[]): Promise<number> {
  const rows = await sql<{ slot: bigint | null }[]>`
    select max(t.slot) as slot
    from (select signature, slot from transactions where workspace_id = ${workspaceId}
      order by created_at desc limit ${RECENT}) t
    join operations o on o.workspace_id = ${workspaceId} and o.signature = t.signature
    where o.kind = ${reconcilePause.kind} and o.mint_config = any(${configs as string[]}) and o.status = 'confirmed'`
  return Number(only(rows).slot ?? 0)
}
