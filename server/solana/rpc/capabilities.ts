import type { Connection, PublicKey } from "@solana/web3.js"
import { hasNoHistory } from "./errors.ts"

/** What a node can do, as it says itself. */
export type Capabilities = {
  /** Of its software; null where it does not tell. */
  version: string | null
  /** Whether it lists the transactions of an address. */
  keeps_history: boolean
  /** The first slot that it has a block of. */
  first_slot: number
}

/** Asks a node for them. `address` is any that has transactions. */
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
