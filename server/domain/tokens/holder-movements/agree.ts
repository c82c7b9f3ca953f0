import { HistoryMissing, isOfTheNodes } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"

/**
 * What two nodes agree on, or the answer of one if no other has the history. `agree` returns what two answers have in common,
 * or null if they contradict each other; then the next node decides. A node that lacks the history does not count, but one
 * that does not answer may contradict the others later. Rejects with HistoryMissing if all lack it or no two agree.
 */
export async function askHistory<T>(
  rpc: Rpc,
  ask: (view: Rpc) => Promise<T>,
  agree: (one: T, other: T) => T | null,
): Promise<T> {
  const answers: T[] = []
  let missing: Error | null = null
  let trouble: Error | null = null
  for (const view of rpc.views) {
    try {
      const answer = await ask(view)
      for (const other of answers) {
        const agreed = agree(other, answer)
        if (agreed !== null) return agreed
      }
      answers.push(answer)
    } catch (error) {
      if (!isOfTheNodes(error)) throw error
      if (error instanceof HistoryMissing) missing = error
      else trouble = error
    }
  }
  if (answers.length > 1) throw new HistoryMissing("nodes contradict each other")
  if (trouble !== null) throw trouble
  const [only] = answers
  if (only === undefined) throw missing
  return agree(only, only)!
}
