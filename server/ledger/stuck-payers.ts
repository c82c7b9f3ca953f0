import type { Address } from "#shared/address.ts"

/**
 * When this many transactions of a workspace's own fee payer are older than this and have not landed, its other
 * operations wait.
 */
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
