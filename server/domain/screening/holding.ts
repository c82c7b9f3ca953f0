import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { isInUse, listsWith } from "./lists.ts"

/** A list because of which a wallet is refused or frozen. */
export type HoldingList = {
  name: string
  /** Whether the server still screens with this list; false if its settings no longer name it. */
  in_use: boolean
  /** Whether the wallet's tokens are frozen because of it in holder mode. */
  frozen: boolean
  /** Whether clearing the wallet in this review ends the hold. */
  ends_here: boolean
}

/** The lists that hold a wallet, by name, for one of its reviews. */
export async function listsHolding(workspaceId: string, wallet: Address, reviewId: string): Promise<HoldingList[]> {
  const hits = await sql<
    { list: string; review_id: string | null; frozen: boolean; cleared: boolean; gone: boolean }[]
  >`
    select list, review_id, frozen_at is not null as frozen, cleared_at is not null as cleared,
      gone_at is not null as gone
    from screening_hits where workspace_id = ${workspaceId} and wallet = ${wallet}`
  const holding = hits
    .filter(({ cleared, gone }) => !cleared && !gone)
    .map(({ list, review_id, frozen }) => ({
      name: list,
      in_use: isInUse(list),
      frozen,
      ends_here: review_id === reviewId,
    }))
  // Include lists that have the wallet but have not been compared yet, because requests are refused already.
  const known = new Set(hits.filter(({ gone }) => !gone).map(({ list }) => list))
  const fresh = listsWith(wallet)
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => ({ name, in_use: true, frozen: false, ends_here: false }))
  return [...holding, ...fresh].sort((a, b) => (a.name < b.name ? -1 : 1))
}
