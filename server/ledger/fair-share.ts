/** Requests of this process that wait for an operation, by workspace. */
const waiting = new Map<string, number>()
let all = 0

/** Counts a waiting request of the workspace while `work` runs. */
export async function whileWaiting<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
  add(workspaceId, 1)
  try {
    return await work()
  } finally {
    add(workspaceId, -1)
  }
}

function add(workspaceId: string, change: number): void {
  const count = (waiting.get(workspaceId) ?? 0) + change
  if (count === 0) waiting.delete(workspaceId)
  else waiting.set(workspaceId, count)
  all += change
}

/**
 * The batch size for a workspace: `most` if no other workspace has waiting requests, otherwise as many as those, but at
 * least `least`. Small batches shorten the others' wait. If all are equally busy, batches have full size.
 */
export function batchSize(workspaceId: string, { least, most }: { least: number; most: number }): number {
  const others = all - (waiting.get(workspaceId) ?? 0)
  return others === 0 ? most : Math.min(Math.max(others, least), most)
}
