/** Clusters that the explorer knows, with the query string that selects each. */
const CLUSTERS = new Map([
  ["mainnet-beta", ""],
  ["devnet", "?cluster=devnet"],
  ["testnet", "?cluster=testnet"],
])

/** The explorer's URL with `{}` for `tx/…` or `address/…`. Null if it does not show the cluster, or none is known. */
export function explorerOf(cluster: string | undefined): string | null {
  const query = cluster === undefined ? undefined : CLUSTERS.get(cluster)
  return query === undefined ? null : `https://explorer.solana.com/{}${query}`
}
