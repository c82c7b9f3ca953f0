/** The two modes of every account. They share no data. */
export const modes = ["live", "test"] as const
export type Mode = (typeof modes)[number]
