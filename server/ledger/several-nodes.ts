import type { SignatureStatus } from "@solana/web3.js"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes, isWithoutHistory } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import { feePayerIn } from "#server/solana/transaction.ts"
import { isFinal } from "./settling-commitment.ts"

// A node that lies steadily agrees with itself, however often it is asked. What cannot be undone takes the answers of two
// where there are two, and of one node evidence of two kinds.

/** How many nodes have to say the same of what cannot be undone. */
export const answersNeeded = ({ views }: Rpc): number => Math.min(2, views.length)

/** What nodes say, each for itself, until enough have; fewer where the others do not answer. Rejects where none does. */
async function askEach<T>(rpc: Rpc, ask: (view: Rpc) => Promise<T>): Promise<T[]> {
  const { views } = rpc
  const answers: T[] = []
  let trouble: unknown
  for (const view of views) {
    if (answers.length === answersNeeded(rpc)) break
    try {
      answers.push(await ask(view))
    } catch (error) {
      if (!isOfTheNodes(error)) throw error
      trouble = error
    }
  }
  if (answers.length === 0) throw trouble
  return answers
}

/** As `askEach`, for what no one node is believed in: rejects where fewer answer. */
export async function askEnough<T>(rpc: Rpc, ask: (view: Rpc) => Promise<T>): Promise<T[]> {
  let trouble: unknown
  const answers = await askEach(rpc, (view) =>
    ask(view).catch((error) => {
      trouble = error
      throw error
    }),
  )
  if (answers.length < answersNeeded(rpc)) throw trouble
  return answers
}

/** What nodes know of a signature, each for itself. */
export type Told = { signature: string; statuses: readonly (SignatureStatus | null)[] }

export async function askStatuses(rpc: Rpc, signatures: readonly string[]): Promise<Told[]> {
  const answers = await askEach(rpc.settling, async (view) => (await view.statuses(signatures)).value)
  return signatures.map((signature, i) => ({ signature, statuses: answers.map((value) => value[i] ?? null) }))
}

/** Whether nodes say, all of them, that a transaction is there for good. */
export const areFinal = ({ statuses }: Told): boolean =>
  statuses.every((status) => isFinal(status) && status.err === null)

type Sought = Told & { wire: Buffer; slot: number }

/**
 * Those of transactions that nodes tell to be there for good for which that is sure: two nodes say so, or the one that answers lists
 * them for whoever paid as well. A node that keeps no history is believed in what it says of the transaction alone.
 */
export async function surelyFinal({ rpc, embedded }: Chain, told: readonly Sought[]): Promise<Set<string>> {
  const sure = new Set<string>()
  const alone: Sought[] = []
  for (const one of told) {
    // What the deployment runs itself is no stranger.
    if (embedded || one.statuses.length > 1) sure.add(one.signature)
    else alone.push(one)
  }
  for (const [payer, own] of Map.groupBy(alone, ({ wire }) => feePayerIn(wire))) {
    const slots = own.map(({ slot }) => slot)
    const range = { slot: Math.min(...slots), since: Math.max(...slots), commitment: "finalized" as const }
    const listed = await rpc.settling.listedSince(publicKeyOf(payer), range).catch((error) => {
      if (isWithoutHistory(error)) return null
      // What one payer's history is missing concerns no other.
      if (isOfTheNodes(error)) return []
      throw error
    })
    const there = new Set(listed?.flatMap(({ err, signature }) => (err === null ? signature : [])))
    for (const { signature } of own) if (listed === null || there.has(signature)) sure.add(signature)
  }
  return sure
}
