/** The lists of the dashboard whose filters can be saved, by the names of their pages. */
export const filteredLists = ["attestations", "investors", "reviews", "events", "logs", "audit"] as const
export type FilteredList = (typeof filteredLists)[number]

/** The most filters that a member can save for one list. */
export const MOST_SAVED_FILTERS = 20
