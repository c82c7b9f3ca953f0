/** Clusters that the explorer knows, with the query string that selects each. */
const CLUSTERS = new Map([
  ["mainnet-beta", ""],
  ["devnet", "?cluster=devnet"],
  ["testnet", "?cluster=testnet"],
])

/**
 * The explorer URL of a cluster, with `{}` in place of `tx/…` or `address/…`. Null for a network that no public explorer
 * reaches, and before the chain has answered.
 */
export function explorerOf(cluster: string | undefined): string | null {
  const query = cluster === undefined ? undefined : CLUSTERS.get(cluster)
  return query === undefined ? null : `https://explorer.solana.com/{}${query}`
}
