import { type Queryable, sql as requests } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { isInUse, isScreening, listsWith } from "./lists.ts"
import type { LoadedList } from "./stored-lists.ts"

/** A match of a wallet that no member of the workspace has cleared. */
export type ListedWallet = { wallet: Address; list: LoadedList }

/** Finds the wallets on a list that no member has cleared. If none is on a list, no statement runs. */
export async function findListed(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly Address[],
): Promise<ListedWallet[]> {
  if (!isScreening()) return []
  const on = [...new Set(wallets)].flatMap((wallet) => listsWith(wallet).map((list) => ({ wallet, list })))
  if (on.length === 0) return []
  const cleared = await sql<{ wallet: Address; list: string }[]>`
    select wallet, list from screening_hits
    where workspace_id = ${workspaceId} and wallet = any(${on.map(({ wallet }) => wallet)})
      and cleared_at is not null and gone_at is null`
  const exceptions = new Set(cleared.map(({ wallet, list }) => `${list} ${wallet}`))
  return on.filter(({ wallet, list }) => !exceptions.has(`${list.name} ${wallet}`))
}

/** Whether wallets are on a list, for the rules. Empty if nothing is screened. */
export async function loadListed(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly Address[],
): Promise<(wallet: Address) => boolean | undefined> {
  if (!isScreening()) return () => undefined
  const listed = new Set((await findListed(sql, workspaceId, wallets)).map(({ wallet }) => wallet))
  return (wallet) => listed.has(wallet)
}

/** Wallets whose tokens have been frozen because of a match since before a time. */
export async function loadFrozen(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly Address[],
  before: Date,
): Promise<ReadonlySet<Address>> {
  const rows = await sql<{ wallet: Address }[]>`
    select distinct wallet from screening_hits
    where workspace_id = ${workspaceId} and wallet = any(${wallets as Address[]})
      and frozen_at <= ${before} and cleared_at is null and gone_at is null`
  return new Set(rows.map(({ wallet }) => wallet))
}

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
  const hits = await requests<
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
