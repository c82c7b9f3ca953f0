import type { Client } from "./client.ts"
import { readPages } from "./pages.ts"

/** The record of an operation, without what no proof reads. */
export type Operation = {
  operation_id: string
  kind: "mint" | "transfer" | "burn" | "force_transfer" | "hold" | "release"
  status: string
  mint_config: string
  user_pubkey?: string
  from_pubkey?: string
  to_pubkey?: string
  amount: string
  mint: string
  hold_id: string | null
  onchain_tx: string | null
}

export const readOperations = (client: Client) => readPages<Operation>(client, "/token/operations")
