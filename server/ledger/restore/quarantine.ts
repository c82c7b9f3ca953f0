import { PublicKey } from "@solana/web3.js"
import { background, type Queryable } from "#db/client.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { askQuorum } from "#server/ledger/quorum.ts"
import { clock } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { readTokenAccount } from "#server/solana/token-account.ts"
import { fail } from "#shared/errors.ts"
import type { Mode } from "#shared/mode.ts"
import { serverRun } from "./state.ts"

/** Why nothing is signed: for a workspace a person decides, a mode is being compared. Null if signing is allowed. */
export async function readQuarantine(sql: Queryable, workspaceId: string) {
  const [row] = await sql<{ is_own: boolean; is_of_mode: boolean; waits_for: string | null }[]>`
    select q.workspace_id is not null as is_own, c.waits_for,
      c.server is distinct from ${serverRun(sql)} and c.server is not null as is_of_mode
    from workspaces w left join chains c on c.mode = w.mode left join quarantines q on q.workspace_id = w.id
    where w.id = ${workspaceId}`
  const unexplained = "the chain shows what this workspace's records do not explain; an administrator decides"
  if (row?.is_own) return { of: "workspace", reason: unexplained } as const
  const restarted = "the database was restarted, and is being compared with the chain"
  return row?.is_of_mode ? ({ of: "mode", reason: row.waits_for ?? restarted } as const) : null
}

/**
 * Refuses requests that need a signature while the books may lack what has landed, because limits and verifications
 * could then be wrong. Call it before anything is written. Errors: chain_unavailable.
 */
export async function refuseInQuarantine(sql: Queryable, workspaceId: string): Promise<void> {
  const quarantine = await readQuarantine(sql, workspaceId)
  if (quarantine) fail("chain_unavailable", whyStopped(quarantine))
}

/** The detail of a request that is refused for it. */
export const whyStopped = ({ reason }: { reason: string }): string => `Nothing is signed now: ${reason}. Retry later.`

/** Signs nothing for a workspace until these are explained. */
export async function quarantine(
  sql: Queryable,
  workspaceId: string,
  differences: readonly Unexplained[],
): Promise<void> {
  await sql`
    insert into quarantines as q (workspace_id, since, differences)
    values (${workspaceId}, ${clock.now()}, ${sql.json(differences as never)})
    on conflict (workspace_id) do update set differences = q.differences || excluded.differences`
}

export type Quarantined = { workspace_id: string; since: Date; differences: Unexplained[] }

export const readQuarantines = (mode: Mode): Promise<Quarantined[]> =>
  background<Quarantined[]>`
    select q.workspace_id, q.since, q.differences from quarantines q join workspaces w on w.id = q.workspace_id
    where w.mode = ${mode} order by q.since, q.workspace_id`.then((rows) => [...rows])

/** Checks quarantines again, and returns those that remain. An account that is empty now needs no decision. */
export async function recheckQuarantines(chain: Chain): Promise<Quarantined[]> {
  const remaining: Quarantined[] = []
  for (const one of await readQuarantines(chain.mode)) {
    const differences = await stillThere(chain, one.differences)
    if (differences.length === one.differences.length) remaining.push(one)
    else if (differences.length === 0)
      await background`delete from quarantines where workspace_id = ${one.workspace_id}`
    else {
      remaining.push({ ...one, differences })
      await background`
        update quarantines set differences = ${background.json(differences)} where workspace_id = ${one.workspace_id}`
    }
  }
  return remaining
}

/**
 * The accounts that still hold tokens. Two nodes must confirm an empty one, if there are two. Rejects if fewer answer.
 */
async function stillThere(chain: Chain, differences: readonly Unexplained[]): Promise<Unexplained[]> {
  const { slot } = await chain.rpc.finalizedHeight()
  const accounts = differences.flatMap(({ account }) => (account === null ? [] : new PublicKey(account)))
  const held = new Set<string>()
  const words = await askQuorum(chain.rpc.settling, (view) =>
    view.accounts(accounts, { since: slot, commitment: "finalized" }),
  )
  for (const { value } of words)
    for (const [i, account] of accounts.entries())
      if ((readTokenAccount(account, value[i], null)?.amount ?? 0n) > 0n) held.add(account.toBase58())
  return differences.filter(({ account }) => account === null || held.has(account))
}
