import { Connection } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Mode } from "#shared/mode.ts"
import { feePayerOf, type Keys, type Signer } from "./keys.ts"

/** Genesis hashes of the public clusters (https://docs.anza.xyz/clusters/available). */
const CLUSTERS: Record<string, string> = {
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "mainnet-beta",
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: "devnet",
  "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY": "testnet",
}

const RPC_TIMEOUT_MS = 5000

// As it is when this is loaded: Next replaces the global one by its own, which costs every call of the RPC.
const { fetch } = globalThis

/** The chain of one mode, as the ledger uses it. */
export type Chain = {
  mode: Mode
  connection: Connection
  feePayer: Signer
  /** Workspace authorities and mint keys are among them. */
  keys: Keys
  embedded: boolean
  /** How often to ask after transactions, in milliseconds: a fraction of a slot. */
  pollMs: number
  slotMs: number
  /** Known once the chain has answered for the first time; see `bindChain`. */
  bound: { cluster: string; genesisHash: string; rentOf: (bytes: number) => number } | null
}

export function openChain({
  mode,
  rpcUrl,
  keys,
  embedded,
  slotMs,
}: {
  mode: Mode
  rpcUrl: string
  keys: Keys
  embedded: boolean
  slotMs: number
}): Chain {
  const connection = new Connection(rpcUrl, {
    commitment: "confirmed",
    // The ledger resends by itself; a request that waits in a back-off of its own would only hold it up.
    disableRetryOnRateLimit: true,
    fetch: (url, init) =>
      fetch(url as string, { ...(init as RequestInit), signal: AbortSignal.timeout(RPC_TIMEOUT_MS) }),
  })
  return {
    mode,
    connection,
    feePayer: feePayerOf(keys, mode),
    keys,
    embedded,
    pollMs: Math.max(5, Math.round(slotMs / 2)),
    slotMs,
    bound: null,
  }
}

/** The chain is not the one that this deployment's records belong to. Nothing may be signed for it. */
export class WrongChain extends Error {}

/**
 * Binds a mode to its chain, for good: another genesis hash than that of the first use is refused, and a test
 * workspace never touches mainnet. Throws WrongChain, or the RPC's error when the chain does not answer.
 */
export async function bindChain(chain: Chain): Promise<NonNullable<Chain["bound"]>> {
  if (chain.bound) return chain.bound
  const { connection, mode } = chain
  const [genesisHash, rentOfNothing, rentOfThousand] = await Promise.all([
    connection.getGenesisHash(),
    connection.getMinimumBalanceForRentExemption(0),
    connection.getMinimumBalanceForRentExemption(1000),
  ])
  const cluster = CLUSTERS[genesisHash] ?? (chain.embedded ? "localnet" : "unknown")
  if (mode === "test" && cluster === "mainnet-beta") {
    throw new WrongChain(
      "The test mode is configured with mainnet. Set VOUCH_TEST_SOLANA_RPC_URL to another cluster.",
    )
  }
  await sql`insert into chains (mode, genesis_hash) values (${mode}, ${genesisHash}) on conflict do nothing`
  const [known] = await sql<{ genesis_hash: string }[]>`select genesis_hash from chains where mode = ${mode}`
  if (known?.genesis_hash !== genesisHash) {
    throw new WrongChain(
      `The ${mode} mode was first used on the chain with genesis hash ${known?.genesis_hash}, but the configured one has ${genesisHash}. Point it back at its chain, or start with an empty database.`,
    )
  }
  // Rent is linear in the size; two questions give the line.
  const perByte = (rentOfThousand - rentOfNothing) / 1000
  chain.bound = { cluster, genesisHash, rentOf: (bytes) => Math.ceil(rentOfNothing + perByte * bytes) }
  return chain.bound
}
