import type { PublicKey } from "@solana/web3.js"
import { background as sql } from "#db/client.ts"
import type { Mode } from "#shared/mode.ts"
import type { Signer } from "./keys.ts"
import { WrongChain } from "./rpc/errors.ts"
import { RpcNodes } from "./rpc/nodes.ts"
import { Rpc } from "./rpc/rpc.ts"
import type { Signers } from "./signers/signers.ts"

/** Genesis hashes of the public clusters (https://docs.anza.xyz/clusters/available). */
const CLUSTERS: Record<string, string> = {
  "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "mainnet-beta",
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: "devnet",
  "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY": "testnet",
}

/** How long a rent that was read stays valid, in milliseconds. It falls in steps (SIMD-0437) and may be reset. */
const RENT_MS = 3_600_000

/** The chain of one mode, as the ledger uses it. */
export type Chain = {
  mode: Mode
  rpc: Rpc
  /** Pays for every workspace without its own fee payer. */
  feePayer: Signer
  payerMarker: PublicKey
  /** Opens the keys that sign for workspaces. */
  signers: Signers
  embedded: boolean
  /** How often to poll for transactions, in milliseconds: a fraction of a slot. */
  pollMs: number
  slotMs: number
  /** Known once a node has answered for the first time. */
  identity: { cluster: string; genesisHash: string } | null
  /** Known once `bindChain` has returned. */
  rent: { of: (bytes: number) => number; readAt: number } | null
}

export type ChainOptions = Pick<Chain, "mode" | "signers" | "feePayer" | "payerMarker" | "embedded" | "slotMs"> & {
  urls: readonly string[]
  sendUrls?: readonly string[]
  callsPerSecond?: number
}

export function openChain({ urls, sendUrls = [], callsPerSecond = Infinity, ...own }: ChainOptions): Chain {
  const admits = (genesisHash: string) => admit(chain, genesisHash)
  const chain: Chain = {
    ...own,
    rpc: new Rpc(new RpcNodes({ urls, sendUrls, callsPerSecond, admit: admits })),
    pollMs: Math.max(5, Math.round(own.slotMs / 2)),
    identity: null,
    rent: null,
  }
  return chain
}

/** Binds a mode to its chain permanently: refuses another genesis hash than the first, and mainnet in test mode. */
async function admit(chain: Chain, genesisHash: string): Promise<void> {
  const { mode, embedded } = chain
  const cluster = CLUSTERS[genesisHash] ?? (embedded ? "localnet" : "unknown")
  if (mode === "test" && cluster === "mainnet-beta") {
    throw new WrongChain("The test mode is configured with mainnet. Set VOUCH_TEST_SOLANA_RPC_URL to another cluster.")
  }
  await sql`insert into chains (mode, genesis_hash) values (${mode}, ${genesisHash}) on conflict do nothing`
  const [known] = await sql<{ genesis_hash: string }[]>`select genesis_hash from chains where mode = ${mode}`
  if (known?.genesis_hash !== genesisHash) {
    throw new WrongChain(
      `The ${mode} mode was first used on the chain with genesis hash ${known?.genesis_hash}, but the configured one has ${genesisHash}. Point it back at its chain, or start with an empty database.`,
    )
  }
  chain.identity = { cluster, genesisHash }
}

/** Checks that the chain answers and is the right one, and reads its rent. Throws WrongChain or RpcUnavailable. */
export async function bindChain(chain: Chain): Promise<void> {
  const { rpc, rent } = chain
  if (rent && performance.now() - rent.readAt < RENT_MS) return
  const readAt = performance.now()
  const [ofNothing, ofThousand] = await Promise.all([rpc.rentOf(0), rpc.rentOf(1000)])
  // Rent is linear in the size: two points give the line.
  const perByte = (ofThousand - ofNothing) / 1000
  chain.rent = { of: (bytes) => Math.ceil(ofNothing + perByte * bytes), readAt }
}
