import { HistoryMissing, isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"

/**
 * The answers of two nodes, or of one if there is no other. A node that lacks the history does not count, but one that does
 * not answer may contradict the others later. Rejects with HistoryMissing if all lack it.
 */
export async function askHistory<T>(rpc: Rpc, ask: (view: Rpc) => Promise<T>): Promise<T[]> {
  const views = rpc.views
  const needed = Math.min(2, views.length)
  const answers: T[] = []
  let missing: Error | null = null
  let trouble: Error | null = null
  for (const view of views) {
    if (answers.length === needed) break
    try {
      answers.push(await ask(view))
    } catch (error) {
      if (!isOfTheNodes(error)) throw error
      if (error instanceof HistoryMissing) missing = error
      else trouble = error
    }
  }
  if (answers.length < needed && trouble !== null) throw trouble
  if (answers.length === 0) throw missing
  return answers
}
