/** The orders of a list of verifications. The order by expiry contains only verified ones. */
export const listOrders = ["newest", "oldest", "expiry"] as const
export type ListOrder = (typeof listOrders)[number]
