import type { Queryable } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { isScreening, listsWith } from "./lists.ts"
import type { LoadedList } from "./stored-lists.ts"

/** A wallet on a list that nobody has cleared it of, in the workspace that was asked for. */
export type ListedWallet = { wallet: Address; list: LoadedList }

/**
 * Which wallets are on a list, and where. Only for those the database is asked, because a person may have cleared them:
 * whoever is on no list costs no statement.
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

/** Whether wallets are on a list, for the rules; of none it is known where nothing is screened. */
export async function loadListed(
  sql: Queryable,
  workspaceId: string,
  wallets: readonly Address[],
): Promise<(wallet: Address) => boolean | undefined> {
  if (!isScreening()) return () => undefined
  const listed = new Set((await findListed(sql, workspaceId, wallets)).map(({ wallet }) => wallet))
  return (wallet) => listed.has(wallet)
}

/** Wallets whose tokens are frozen for what was found of them, since before a time. */
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
