import { type Asked, choice, type Filters, person } from "#app/(dashboard)/filters.tsx"
import { allReviewKinds, allReviewPriorities, reviewKinds, reviewPriorities } from "#shared/reviews.ts"

/** The filters of the queue. A case keeps them in its address, and leads to the next case among them. */
export const queueFilters = {
  q: person,
  kind: choice(
    "Kind",
    "All",
    allReviewKinds.map((kind) => [kind, reviewKinds[kind].label]),
  ),
  priority: choice(
    "Priority",
    "All",
    allReviewPriorities.map((priority) => [priority, reviewPriorities[priority]]),
  ),
  assigned: choice("Assigned to", "Anyone", [
    ["me", "Me"],
    ["nobody", "No one"],
  ]),
  days: choice("Opened", "Any time", [
    ["1", "Over 1 day ago"],
    ["7", "Over 7 days ago"],
    ["30", "Over 30 days ago"],
  ]),
}

export const askedOf = ({ days, ...asked }: Asked<typeof queueFilters>) => ({
  ...asked,
  ...(days && { days: Number(days) as 1 | 7 | 30 }),
})

/** Closed reviews have no priority. */
const { priority: _, ...withoutPriority } = queueFilters
export const closedFilters: Filters = withoutPriority

/** The filters as the end of a case's address. */
export const addressOf = (current: Record<string, string>): string => {
  const query = new URLSearchParams(current).toString()
  return query && `?${query}`
}
