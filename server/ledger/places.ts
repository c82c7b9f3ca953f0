/** Transactions under way on one chain, at most, and as many that are being signed: few enough that none grows old. */
const PLACES = 128
/** The same for what is urgent, if others take all places. */
const URGENT_PLACES = 144
/**
 * Transactions of one workspace that have not ended, those in doubt among them. From the first number on only what is
 * urgent is signed, from the second on nothing.
 */
const OWN = 64
const URGENT_OWN = 128

/** Transactions by workspace: those that take places, and all that have not ended. */
export type Standing = { underWay: ReadonlyMap<string, number>; all: ReadonlyMap<string, number> }

/** Which workspaces may go on, as far as places are concerned. */
export type Room = {
  /** Whether there is a place for what can wait, and for what is urgent. */
  forAll: boolean
  forUrgent: boolean
  /** Workspaces that have their share: only what is urgent goes on. */
  full: string[]
  /** Workspaces of which nothing goes on. */
  closed: string[]
}

/**
 * `standings` are what is under way and what is being signed: each has as many places. A workspace takes no more of them
 * than it leaves free, so there is one for the next workspace.
 */
export function roomFor(...standings: readonly Standing[]): Room {
  const taken = standings.map(({ underWay }) => total(underWay))
  const full = standings.flatMap(({ underWay, all }, i) => {
    const free = PLACES - taken[i]!
    return [...all].flatMap(([id, own]) => (own >= OWN || (underWay.get(id) ?? 0) >= free ? id : []))
  })
  const closed = standings.flatMap(({ all }) =>
    [...all].flatMap(([id, own]) => (own >= URGENT_OWN ? id : [])),
  )
  return {
    forAll: taken.every((count) => count < PLACES),
    forUrgent: taken.every((count) => count < URGENT_PLACES),
    full: [...new Set(full)],
    closed: [...new Set(closed)],
  }
}

const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)

/** How many there are of each workspace. */
export function countByWorkspace(all: Iterable<{ workspaceId: string }>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { workspaceId } of all) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  return counts
}
