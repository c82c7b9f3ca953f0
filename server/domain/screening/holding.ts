import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { isInUse, listsWith } from "./lists.ts"

/** A list that a wallet is held for. */
export type HoldingList = {
  name: string
  /** Whether wallets are screened by it; false where the server's settings name it no more. */
  in_use: boolean
  /** Whether the wallet's tokens are frozen for it in holder mode. */
  frozen: boolean
  /** Whether clearing the wallet in this review ends it; otherwise it goes on after that. */
  ends_here: boolean
}

/** Which lists hold a wallet, as one of its reviews shows them: by name. */
export async function listsHolding(
  workspaceId: string,
  wallet: Address,
  reviewId: string,
): Promise<HoldingList[]> {
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
  // On a list that its comparison has not come to yet: it is refused all the same.
  const known = new Set(hits.filter(({ gone }) => !gone).map(({ list }) => list))
  const fresh = listsWith(wallet)
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => ({ name, in_use: true, frozen: false, ends_here: false }))
  return [...holding, ...fresh].sort((a, b) => (a.name < b.name ? -1 : 1))
}
