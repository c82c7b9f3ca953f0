import { sql } from "#db/client.ts"
import { badCursor } from "#server/lib/cursor.ts"
import { allInvestors, withOwners } from "./register-by-investor.ts"
import { type Asked, isNamed, isOwned, type Row } from "./register-rows.ts"
import { isUnverified } from "./verified-at.ts"

/**
 * The rows of a register with the largest balance first, and those with the same one by id. It adds up all holders: half a
 * second for 100,000. Errors: validation_failed for a place that is not from such a page.
 */
export function largestFirst(asked: Asked, group: "wallet" | "investor"): Promise<Row[]> {
  const { workspaceId, after, most } = asked
  const isAfter = after === null ? sql`true` : isBelow(after)
  return sql<Row[]>`
    select p.balance || '_' || p.key as key, p.wallet, p.wallets, p.balance, p.held, p.investor_id, i.external_id
    from (
      select * from (${group === "wallet" ? allWallets(asked) : allInvestors(asked)}) g
      where ${isAfter} order by balance desc, key limit ${most}
    ) p left join investors i on i.workspace_id = ${workspaceId} and i.id = p.investor_id
    order by p.balance desc, p.key`
}

function isBelow(after: string) {
  const [, balance, key] = /^(\d{1,20})_(.+)$/.exec(after) ?? []
  if (balance === undefined || key === undefined) return badCursor()
  return sql`(balance < ${balance}::numeric or balance = ${balance}::numeric and key > ${key})`
}

function allWallets(asked: Asked) {
  const { workspaceId, investor, named, verified } = asked
  const isWanted = verified === null ? sql`` : sql`and ${isUnverified(sql`wallet`, verified)}`
  return sql`
    select wallet as key, wallet, 1 as wallets, balance, held, investor_id
    from (${withOwners(asked, sql`${isOwned(workspaceId, investor)} ${isNamed(named)} ${isWanted}`)}) h`
}
