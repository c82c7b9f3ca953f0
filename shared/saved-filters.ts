/** Lists of the dashboard whose filters can be saved, as their pages are called. */
export const filteredLists = ["attestations", "investors", "reviews", "events", "logs", "audit"] as const
export type FilteredList = (typeof filteredLists)[number]

/** Filters that a person saves of one list. */
export const MOST_SAVED_FILTERS = 20
