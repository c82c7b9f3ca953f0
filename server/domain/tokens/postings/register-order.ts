import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { badCursor } from "#server/lib/cursor.ts"
import { allInvestors, withOwners } from "./register-by-investor.ts"
import { type Asked, isNamed, isOwned, type Row } from "./register-rows.ts"
import { isUnverified } from "./verified-at.ts"

/** By balance, or by the external id of the investor. Rows without one come last, and equal ones by id. */
export const registerOrders = ["largest", "smallest", "name", "name_reversed"] as const
export type RegisterOrder = (typeof registerOrders)[number]

/**
 * The rows of a register in an order other than that of their ids. It adds up all holders: half a second for 100,000.
 * Errors: validation_failed for a place that is not from such a page.
 */
export const inOrder = (asked: Asked, group: "wallet" | "investor", order: RegisterOrder): Promise<Row[]> =>
  order === "largest" || order === "smallest" ? byBalance(asked, group, order) : byName(asked, group, order)

const rowsOf = (asked: Asked, group: "wallet" | "investor") =>
  group === "wallet" ? allWallets(asked) : allInvestors(asked)

function byBalance(asked: Asked, group: "wallet" | "investor", order: "largest" | "smallest"): Promise<Row[]> {
  const { workspaceId, after, most } = asked
  const direction = order === "largest" ? sql`desc` : sql`asc`
  const isAfter = after === null ? sql`true` : isPastBalance(after, order === "largest" ? sql`<` : sql`>`)
  return sql<Row[]>`
    select p.balance || '_' || p.key as key, p.wallet, p.wallets, p.balance, p.held, p.investor_id, i.external_id
    from (
      select * from (${rowsOf(asked, group)}) g where ${isAfter} order by balance ${direction}, key limit ${most}
    ) p left join investors i on i.workspace_id = ${workspaceId} and i.id = p.investor_id
    order by p.balance ${direction}, p.key`
}

function isPastBalance(after: string, past: Fragment) {
  const [, balance, key] = /^(\d{1,20})_(.+)$/.exec(after) ?? []
  if (balance === undefined || key === undefined) return badCursor()
  return sql`(balance ${past} ${balance}::numeric or balance = ${balance}::numeric and key > ${key})`
}

function byName(asked: Asked, group: "wallet" | "investor", order: "name" | "name_reversed"): Promise<Row[]> {
  const { workspaceId, after, most } = asked
  const [direction, past] = order === "name" ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`]
  return sql<Row[]>`
    select key, wallet, wallets, balance, held, investor_id, external_id from (
      select g.*, i.external_id, lower(i.external_id) as name from (${rowsOf(asked, group)}) g
      left join investors i on i.workspace_id = ${workspaceId} and i.id = g.investor_id
    ) n where ${after === null ? sql`true` : isPastName(workspaceId, after, past)}
    order by name is null, name ${direction}, key limit ${most}`
}

/** A cursor holds the key alone, because an external id can be any text. */
function isPastName(workspaceId: string, after: string, past: Fragment) {
  if (/^\d+_/.test(after)) return badCursor()
  const place = sql`(
    select lower(external_id) from investors where workspace_id = ${workspaceId}
      and id = coalesce((select investor_id from wallet_owner(${workspaceId}, ${after})), ${after}))`
  return sql`(case
    when name is null then ${place} is not null or key > ${after}
    else name ${past} ${place} or name = ${place} and key > ${after} end)`
}

function allWallets(asked: Asked) {
  const { workspaceId, investor, named, verified } = asked
  const isWanted = verified === null ? sql`` : sql`and ${isUnverified(sql`wallet`, verified)}`
  return sql`
    select wallet as key, wallet, 1 as wallets, balance, held, investor_id
    from (${withOwners(asked, sql`${isOwned(workspaceId, investor)} ${isNamed(named)} ${isWanted}`)}) h`
}
