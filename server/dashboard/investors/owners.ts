import { z } from "zod"
import { sql } from "#db/client.ts"
import type { Principal } from "#domain/requests"
import { walletAddress } from "#server/solana/wallet-address.ts"
import type { Address } from "#shared/address.ts"

export const ownersInput = z.object({ wallets: z.array(walletAddress).max(100) })

type Owner = { user_pubkey: Address; investor_id: string; external_id: string | null }

/** The people whose wallets these are, to call them by name. A wallet that no session has named is left out. */
export async function ownersOf({ workspaceId }: Principal, wallets: readonly Address[]): Promise<{ data: Owner[] }> {
  const rows = await sql<Owner[]>`
    select w.wallet as user_pubkey, i.id as investor_id, i.external_id
    from unnest(${wallets as Address[]}::text[]) as w(wallet) cross join lateral wallet_owner(${workspaceId}, w.wallet) o
    join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id`
  return { data: [...rows] }
}
