import type { Connection, PublicKey } from "@solana/web3.js"
import { hasNoHistory } from "./errors.ts"

/** What a node says it can do. */
export type Capabilities = {
  /** Version of its software; null if the node does not report it. */
  version: string | null
  /** Whether it lists the transactions of an address. */
  keeps_history: boolean
  /** The first slot with a block in its history. */
  first_slot: number
}

/** Reads a node's capabilities. `address` is any address with transactions. */
export async function askCapabilities(connection: Connection, address: PublicKey): Promise<Capabilities> {
  const [version, first_slot, keeps_history] = await Promise.all([
    connection.getVersion().then(
      (told) => told["solana-core"],
      () => null,
    ),
    connection.getFirstAvailableBlock(),
    connection.getSignaturesForAddress(address, { limit: 1 }).then(
      () => true,
      (error) => {
        if (hasNoHistory(error)) return false
        throw error
      },
    ),
  ])
  return { version, keeps_history, first_slot }
}
