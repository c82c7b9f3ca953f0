/** Clusters that the explorer knows, with what it wants in its address. */
const CLUSTERS = new Map([
  ["mainnet-beta", ""],
  ["devnet", "?cluster=devnet"],
  ["testnet", "?cluster=testnet"],
])

/**
 * Where people look at a cluster, with `{}` in the place of `tx/…` or `address/…`; null for a network that no public
 * explorer reaches, and before the chain has answered.
 */
export function explorerOf(cluster: string | undefined): string | null {
  const query = cluster === undefined ? undefined : CLUSTERS.get(cluster)
  return query === undefined ? null : `https://explorer.solana.com/{}${query}`
}
