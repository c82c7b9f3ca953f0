import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { type Asked, holdersAt, isNamed, isOwned, type OfToken, type Row } from "./register-rows.ts"
import { isUnverified } from "./verified-at.ts"

/** Investors among whom a page is looked for, before all holders are added up. If these do not fill it, few do. */
const MOST_STEPS = 2000
/** More than so many wallets, or ids that a search means, are many. */
const MANY = 3000

/** A row for each investor, by id, then one for each wallet without an investor, by address. */
export async function byInvestor(asked: Asked, mostSteps = MOST_STEPS): Promise<Row[]> {
  const { investor, named, after, most } = asked
  const isAboutFew = investor !== null || (named?.ids != null && named.ids.length <= MANY)
  const isPastInvestors = after !== null && !isInvestor(after)
  if (isAboutFew || isPastInvestors) return addUp(asked)
  const rows = await walk(asked, mostSteps)
  return rows.length === most ? rows : addUp(asked)
}

const isInvestor = (key: string) => key.startsWith("inv_")

/**
 * Takes one investor after the other and adds up only their wallets, so a page costs the same however many holders there
 * are.
 */
const walk = (asked: Asked, mostSteps: number) => {
  const { workspaceId, named, verified, after, most } = asked
  // As an expression, because an index on `wallet` would look up all wallets that are named, for each investor.
  const wallet = sql`(wallet || '')`
  const isMeant = named === null ? sql`` : sql`and ${named.isNamed({ externalId: sql`i.external_id`, wallet })}`
  return sql<Row[]>`
    select i.id as key, h.*, i.id as investor_id, i.external_id
    from (
      select id, external_id from investors
      where workspace_id = ${workspaceId} ${after === null ? sql`` : sql`and id > ${after}`} order by id limit ${mostSteps}
    ) i cross join lateral (
      select min(wallet) as wallet, count(*)::int as wallets, sum(balance) as balance, sum(held) as held
      from (${holdersAt(asked, { and: sql`${isOwned(workspaceId, sql`i.id`)} ${isMeant}`, most: null })}) w
      having count(*) > 0 ${verified === null ? sql`` : sql`and bool_or(${isUnverified(sql`wallet`, verified)})`}
    ) h order by i.id limit ${most}`
}

/** Adds up all holders, or those to whom the question is limited, and reads the investors of a page only. */
const addUp = (asked: Asked) => {
  const { workspaceId, after, most } = asked
  const isAfter =
    after === null
      ? sql`true`
      : isInvestor(after)
        ? sql`h.investor_id > ${after} or h.investor_id is null`
        : sql`h.investor_id is null and h.wallet > ${after}`
  return sql<Row[]>`
    select p.*, i.external_id from (
      ${allInvestors(asked, isAfter)} order by h.investor_id is null, 1 limit ${most}
    ) p left join investors i on i.workspace_id = ${workspaceId} and i.id = p.investor_id
    order by p.investor_id is null, p.key`
}

/** Rows for all whom the question is about, without their names. `and` may name the wallet and the investor of `h`. */
export const allInvestors = (asked: Asked, and = sql`true`) => {
  const { workspaceId, investor, named, verified } = asked
  const owned = withOwners(asked, sql`${isOwned(workspaceId, investor)} ${named?.ids ? isNamed(named) : sql``}`)
  const meant =
    named?.ids === null
      ? sql`
          select h.* from (${owned}) h
          left join investors i on i.workspace_id = ${workspaceId} and i.id = h.investor_id
          where ${named.isNamed({ externalId: sql`i.external_id`, wallet: sql`h.wallet` })}`
      : owned
  // A join, because `isUnverified` for each of very many wallets takes longer.
  const [join, having] =
    verified === null
      ? [sql``, sql``]
      : [
          sql`left join (select distinct wallet from (${verified}) a) v on v.wallet = h.wallet`,
          sql`having bool_or(v.wallet is null)`,
        ]
  return sql`
    select coalesce(h.investor_id, h.wallet) as key, min(h.wallet) as wallet, count(*)::int as wallets,
      sum(h.balance) as balance, sum(h.held) as held, h.investor_id
    from (${meant}) h ${join} where ${and} group by 1, h.investor_id ${having}`
}

/** What `holdersAt` finds with a condition on `wallet`, and the owner of each. */
export const withOwners = (asked: OfToken, and: Fragment) => {
  const { workspaceId } = asked
  // Asking `wallet_owner` for each of very many wallets takes ten times as long as reading all owners.
  return sql`
    with found as materialized (${holdersAt(asked, { and, most: null })})
    select f.wallet, f.balance, f.held,
      coalesce(o.investor_id, (select investor_id from wallet_owner(${workspaceId}, f.wallet))) as investor_id
    from found f left join (
      select distinct on (wallet) wallet, investor_id from attestations
      where workspace_id = ${workspaceId} and (wallet_proved_at is not null or issued_at is not null)
        and (select count(*) from found) > ${MANY}
      order by wallet, greatest(wallet_proved_at, issued_at, approved_at) desc nulls last, seq desc nulls last
    ) o on o.wallet = f.wallet`
}
