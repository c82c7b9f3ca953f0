/** Who moves a token: only Vouch, or verified wallets as well. */
export const transferModes = ["agent", "holder"] as const
export type TransferMode = (typeof transferModes)[number]
