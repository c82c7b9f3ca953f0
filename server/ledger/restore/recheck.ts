import { PublicKey } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { askEnough } from "#server/ledger/several-nodes.ts"
import type { Chain } from "#server/solana/chain.ts"
import { readTokenAccount } from "#server/solana/token-account.ts"
import { type Quarantined, readQuarantines } from "./state.ts"

/**
 * Checks quarantines again. If a token account is empty now, because its tokens were taken away later, there is nothing
 * left to decide. Returns those that remain.
 */
export async function recheckQuarantines(chain: Chain): Promise<Quarantined[]> {
  const remaining: Quarantined[] = []
  for (const one of await readQuarantines(chain.mode)) {
    const differences = await stillThere(chain, one.differences)
    if (differences.length === one.differences.length) remaining.push(one)
    else if (differences.length === 0) await sql`delete from quarantines where workspace_id = ${one.workspace_id}`
    else {
      remaining.push({ ...one, differences })
      await sql`
        update quarantines set differences = ${sql.json(differences)} where workspace_id = ${one.workspace_id}`
    }
  }
  return remaining
}

/**
 * The accounts that a node still shows with tokens. An empty one must be confirmed by two nodes, if there are two.
 * Rejects if fewer answer.
 */
async function stillThere(chain: Chain, differences: readonly Unexplained[]): Promise<Unexplained[]> {
  const { slot } = await chain.rpc.finalizedHeight()
  const accounts = differences.flatMap(({ account }) => (account === null ? [] : new PublicKey(account)))
  const held = new Set<string>()
  const words = await askEnough(chain.rpc.settling, (view) =>
    view.accounts(accounts, { since: slot, commitment: "finalized" }),
  )
  for (const { value } of words) {
    for (const [i, account] of accounts.entries())
      if ((readTokenAccount(account, value[i], null)?.amount ?? 0n) > 0n) held.add(account.toBase58())
  }
  return differences.filter(({ account }) => account === null || held.has(account))
}
