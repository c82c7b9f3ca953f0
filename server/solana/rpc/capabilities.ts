import type { Connection, PublicKey } from "@solana/web3.js"
import { knowsPermissionedBurn } from "../mint-extensions.ts"
import { hasNoHistory } from "./errors.ts"

/** What a node says it can do. */
export type Capabilities = {
  /** Version of its software; null if the node does not report it. */
  version: string | null
  /** Whether it lists the transactions of an address. */
  keeps_history: boolean
  /** The first slot with a block in its history. */
  first_slot: number
  /** Whether its Token-2022 has PermissionedBurn; null if it does not say. */
  permissioned_burn: boolean | null
}

/** Reads a node's capabilities. `address` is any address with transactions and SOL. */
export async function askCapabilities(connection: Connection, address: PublicKey): Promise<Capabilities> {
  const [version, first_slot, keeps_history, permissioned_burn] = await Promise.all([
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
    // A node may refuse to simulate.
    knowsPermissionedBurn(connection, address).catch(() => null),
  ])
  return { version, keeps_history, first_slot, permissioned_burn }
}
