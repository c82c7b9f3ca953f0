/** Who moves a token: Vouch alone, or verified wallets as well. */
export const transferModes = ["agent", "holder"] as const
export type TransferMode = (typeof transferModes)[number]
