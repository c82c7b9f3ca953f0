import type { Chain } from "./chain.ts"

const EXPLORER = "https://explorer.solana.com"

/** What an explorer of the cluster adds to its addresses; clusters that nobody else can see have none. */
const QUERIES: Record<string, string> = {
  "mainnet-beta": "",
  devnet: "?cluster=devnet",
  testnet: "?cluster=testnet",
}

/** Where people look at a transaction or an address. Null on the local network, on a private one, and before the chain has answered. */
export function explorerUrl(
  chain: Pick<Chain, "bound"> | null,
  kind: "tx" | "address",
  id: string,
): string | null {
  const query = QUERIES[chain?.bound?.cluster ?? ""]
  return query === undefined ? null : `${EXPLORER}/${kind}/${id}${query}`
}
