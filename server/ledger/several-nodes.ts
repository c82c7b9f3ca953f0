import type { SignatureStatus } from "@solana/web3.js"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { isOfTheNodes, isWithoutHistory } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import { feePayerIn } from "#server/solana/transaction.ts"
import { isFinal } from "./settling-commitment.ts"

// A node that lies consistently agrees with itself, however often it is asked. What cannot be undone takes the answers
// of two nodes if there are two, and two kinds of evidence from one.

/** How many nodes must agree on what cannot be undone. */
export const answersNeeded = ({ views }: Rpc): number => Math.min(2, views.length)

/** Independent answers of nodes, until there are enough; fewer if the others do not answer. Rejects if none does. */
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

/** Like `askEach`, when a single node is not enough: rejects if fewer answer. */
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

/** What each node reports about a signature. */
export type Told = { signature: string; statuses: readonly (SignatureStatus | null)[] }

export async function askStatuses(rpc: Rpc, signatures: readonly string[]): Promise<Told[]> {
  const answers = await askEach(rpc.settling, async (view) => (await view.statuses(signatures)).value)
  return signatures.map((signature, i) => ({ signature, statuses: answers.map((value) => value[i] ?? null) }))
}

/** Whether all nodes report a transaction as final. */
export const areFinal = ({ statuses }: Told): boolean =>
  statuses.every((status) => isFinal(status) && status.err === null)

type Sought = Told & { wire: Buffer; slot: number }

/**
 * Returns the transactions, reported as final, that certainly are: two nodes say so, or the only node that answers also
 * lists them for their fee payer. A node without history is believed about the transaction alone.
 */
export async function surelyFinal({ rpc, embedded }: Chain, told: readonly Sought[]): Promise<Set<string>> {
  const sure = new Set<string>()
  const alone: Sought[] = []
  for (const one of told) {
    // A node that the deployment runs itself is trusted.
    if (embedded || one.statuses.length > 1) sure.add(one.signature)
    else alone.push(one)
  }
  for (const [payer, own] of Map.groupBy(alone, ({ wire }) => feePayerIn(wire))) {
    const slots = own.map(({ slot }) => slot)
    const range = { slot: Math.min(...slots), since: Math.max(...slots), commitment: "finalized" as const }
    const listed = await rpc.settling.listedSince(publicKeyOf(payer), range).catch((error) => {
      if (isWithoutHistory(error)) return null
      // If one payer's history is missing, the others are not affected.
      if (isOfTheNodes(error)) return []
      throw error
    })
    const there = new Set(listed?.flatMap(({ err, signature }) => (err === null ? signature : [])))
    for (const { signature } of own) if (listed === null || there.has(signature)) sure.add(signature)
  }
  return sure
}
