import type { Address } from "#shared/address.ts"

/** Maximum transactions in flight on one chain, and maximum being signed: few enough that none expires. */
const MAX_IN_FLIGHT = 128
/** The same for urgent operations, when others use all of it. */
const MAX_IN_FLIGHT_URGENT = 144
/** A workspace's unfinished transactions: from the first number on, only urgent operations are signed; then none. */
const MAX_OWN = 64
const MAX_OWN_URGENT = 128

/** Transactions by workspace: those that use capacity, and all unfinished ones. */
export type Load = { underWay: ReadonlyMap<string, number>; all: ReadonlyMap<string, number> }

/** Which workspaces may sign more, given the capacity that is left. */
export type Capacity = {
  /** Whether capacity is left for operations that can wait, and for urgent ones. */
  forAll: boolean
  forUrgent: boolean
  /** Workspaces that have used their share and may sign only urgent operations. */
  full: string[]
  /** Workspaces that may sign nothing. */
  closed: string[]
}

/**
 * `loads` are the transactions in flight and those being signed, with the same capacity each. A workspace uses no more
 * than it leaves free, so some is left for the next workspace.
 */
export function capacityFor(...loads: readonly Load[]): Capacity {
  const taken = loads.map(({ underWay }) => total(underWay))
  const full = loads.flatMap(({ underWay, all }, i) => {
    const free = MAX_IN_FLIGHT - taken[i]!
    return [...all].flatMap(([id, own]) => (own >= MAX_OWN || (underWay.get(id) ?? 0) >= free ? id : []))
  })
  const closed = loads.flatMap(({ all }) => [...all].flatMap(([id, own]) => (own >= MAX_OWN_URGENT ? id : [])))
  return {
    forAll: taken.every((count) => count < MAX_IN_FLIGHT),
    forUrgent: taken.every((count) => count < MAX_IN_FLIGHT_URGENT),
    full: [...new Set(full)],
    closed: [...new Set(closed)],
  }
}

const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)

export function countByWorkspace(all: Iterable<{ workspaceId: string }>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { workspaceId } of all) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
  return counts
}

/** When so many transactions of a workspace's own fee payer have not landed for so long, its other operations wait. */
const STUCK = 8
const STUCK_MS = 10_000

type Sent = { feePayer: Address; addedAt: number; landedUntil: number }

/** Fee payers of workspaces with many transactions that do not land. They may be empty, whatever a node reports. */
export function stuckPayers(sent: Iterable<Sent>, { except }: { except: Address }): Set<Address> {
  const now = performance.now()
  const old = [...sent].filter(
    ({ feePayer, addedAt, landedUntil }) => feePayer !== except && landedUntil <= now && now - addedAt > STUCK_MS,
  )
  const byPayer = Map.groupBy(old, ({ feePayer }) => feePayer)
  return new Set([...byPayer].flatMap(([feePayer, own]) => (own.length >= STUCK ? feePayer : [])))
}
