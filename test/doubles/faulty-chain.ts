import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { startTestChain } from "../fixtures/test-chain.ts"
import { rpcProxy } from "./rpc-proxy.ts"

export type FaultyChain = Awaited<ReturnType<typeof startFaultyChain>>

/** A chain that is not embedded, and one of its nodes, which can be faulty. */
export async function startFaultyChain({ slotMs = 20 } = {}) {
  const cluster = await startTestChain({ slotMs })
  const node = await rpcProxy(cluster.url)
  return {
    /** The chain itself, without the node's faults. */
    ...cluster,
    node,

    /** Funds the fee payers of the server that uses this chain. */
    async fundFeePayers(): Promise<void> {
      for (const chain of Object.values(deployment.chains))
        await cluster.connection.requestAirdrop(chain!.feePayer.publicKey, 100 * LAMPORTS_PER_SOL)
    },

    async close(): Promise<void> {
      await node.close()
      await cluster.close()
    },
  }
}
