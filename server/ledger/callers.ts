/** Requests of this process that wait for the end of an operation, by workspace. */
const callers = new Map<string, number>()
let all = 0

/** Counts a caller of the workspace while `work` goes on. */
export async function asCaller<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
  add(workspaceId, 1)
  try {
    return await work()
  } finally {
    add(workspaceId, -1)
  }
}

function add(workspaceId: string, change: number): void {
  const count = (callers.get(workspaceId) ?? 0) + change
  if (count === 0) callers.delete(workspaceId)
  else callers.set(workspaceId, count)
  all += change
}

/**
 * How many operations of a workspace may share one step of the process: `most`, and while callers of other workspaces
 * wait, as many as those are, but at least `least`. A small step costs a flood some of its rate, and spares whoever
 * waits behind it the time of a large one; where all are equally busy, steps are as large as ever.
 */
export function stepFor(workspaceId: string, { least, most }: { least: number; most: number }): number {
  const others = all - (callers.get(workspaceId) ?? 0)
  return others === 0 ? most : Math.min(Math.max(others, least), most)
}
