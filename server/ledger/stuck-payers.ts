import type { Address } from "#shared/address.ts"

/** So many transactions of a workspace's own fee payer that have not landed after so long hold up the rest of it. */
const STUCK = 8
const STUCK_MS = 10_000

type Sent = { feePayer: Address; addedAt: number; landedUntil: number }

/** Fee payers of workspaces that many transactions name which do not land: they may be empty, whatever a node says. */
export function stuckPayers(sent: Iterable<Sent>, { except }: { except: Address }): Set<Address> {
  const now = performance.now()
  const old = [...sent].filter(
    ({ feePayer, addedAt, landedUntil }) =>
      feePayer !== except && landedUntil <= now && now - addedAt > STUCK_MS,
  )
  const byPayer = Map.groupBy(old, ({ feePayer }) => feePayer)
  return new Set([...byPayer].flatMap(([feePayer, own]) => (own.length >= STUCK ? feePayer : [])))
}
