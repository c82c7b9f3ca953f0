import { LRUCache } from "lru-cache"

/** The share of a connection's time that such a read may take for a workspace. */
const SHARE = 1 / 20
/** The most workspaces whose answers are kept. */
const MOST = 1000

type Kept<Answer> = { answer: Promise<Answer>; until: number }

/** The same read, whose answer is reused for twenty times as long as it took. Concurrent readers share one query. */
export function reused<Answer>(
  read: (workspaceId: string) => Promise<Answer>,
): (workspaceId: string) => Promise<Answer> {
  const kept = new LRUCache<string, Kept<Answer>>({ max: MOST })
  return (workspaceId) => {
    const known = kept.get(workspaceId)
    if (known && known.until > performance.now()) return known.answer
    const began = performance.now()
    const entry: Kept<Answer> = { answer: read(workspaceId), until: Number.POSITIVE_INFINITY }
    kept.set(workspaceId, entry)
    entry.answer.then(
      () => {
        const end = performance.now()
        entry.until = end + (end - began) / SHARE
      },
      () => kept.delete(workspaceId),
    )
    return entry.answer
  }
}
