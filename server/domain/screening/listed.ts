import type { Queryable } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { isScreening, listsWith } from "./lists.ts"
import type { LoadedList } from "./stored-lists.ts"

/** A match of a wallet that no member of the workspace has cleared. */
export type ListedWallet = { wallet: Address; list: LoadedList }

/**
 * Finds the wallets that are on a list. Asks the database only about those, because members may have cleared them, so a
 * wallet on no list costs no statement.
 */
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
