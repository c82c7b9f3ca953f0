/** Clusters that the explorer knows, with what it wants in its address. */
const CLUSTERS: Record<string, string> = {
  "mainnet-beta": "",
  devnet: "?cluster=devnet",
  testnet: "?cluster=testnet",
}

/**
 * Where people look at a cluster, with `{}` in the place of `tx/…` or `address/…`; null for a network that no public
 * explorer reaches.
 */
export const explorerOf = (cluster: string | undefined): string | null =>
  cluster !== undefined && cluster in CLUSTERS ? `https://explorer.solana.com/{}${CLUSTERS[cluster]}` : null
