/** What comes first in a list of verifications. By their expiry there are only those that hold. */
export const listOrders = ["newest", "oldest", "expiry"] as const
export type ListOrder = (typeof listOrders)[number]
