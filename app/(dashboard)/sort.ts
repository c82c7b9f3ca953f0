import type { Sort } from "#app/components/sort-button.tsx"

/** The part of a list's filters that has its order. */
type Ordered = { current: Record<string, string>; change: (to: Record<string, string | null>) => void }

/** A head that sorts by time: newest first, which is how lists begin, or oldest first. */
export const byTime = ({ current: { order }, change }: Ordered): Sort => ({
  direction: order === undefined ? "descending" : order === "oldest" ? "ascending" : null,
  onSort: () => change({ order: order === undefined ? "oldest" : null }),
})

/** A head that sorts by expiry, the soonest first. Another click restores the usual order. */
export const byExpiry = ({ current: { order }, change }: Ordered): Sort => ({
  direction: order === "expiry" ? "ascending" : null,
  onSort: () => change({ order: order === "expiry" ? null : "expiry" }),
})
