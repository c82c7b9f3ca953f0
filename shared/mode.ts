/** The two halves of every account; nothing crosses between them. */
export const modes = ["live", "test"] as const
export type Mode = (typeof modes)[number]
