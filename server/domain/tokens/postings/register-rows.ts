import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import type { NamedPeople } from "#domain/investor-search"
import { addSeconds } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Moment } from "./moments.ts"
import { isUnverified } from "./verified-at.ts"

export type Row = {
  key: string
  wallet: Address
  wallets: number
  balance: string
  held: string
  investor_id: string | null
  external_id: string | null
}

/** Postings up to the end of a moment. What has no slot happened in the books alone. */
const upTo = ({ slot, time }: Moment) =>
  slot === null
    ? sql`landed_at < ${addSeconds(time, 1)}`
    : sql`(slot <= ${slot} or (slot is null and landed_at < ${addSeconds(time, 1)}))`

export type Asked = {
  workspaceId: string
  mintConfig: string
  moment: Moment
  investor: string | null
  named: NamedPeople | null
  /** Wallets that were verified, if only rows with a wallet that was not are wanted. */
  verified: Fragment | null
  after: string | null
  most: number
}

export type OfToken = Pick<Asked, "workspaceId" | "mintConfig" | "moment">

export const upToMoment = ({ workspaceId, mintConfig, moment }: OfToken) =>
  sql`workspace_id = ${workspaceId} and mint_config = ${mintConfig} and ${upTo(moment)}`

/**
 * Wallets that held the token at a moment, in the order of their addresses or in another, at most so many; null means all.
 * `and` and `order` may name `wallet`. A page is read in the order of the primary keys: each of the two books gives its first
 * wallets with what they have in both, and `union` merges those that are in both. So a page costs the same however many
 * holders there are. Where all rows are needed anyway, adding up both books is faster.
 */
export const holdersAt = (
  asked: OfToken,
  { and = sql``, order, most }: { and?: Fragment; order?: Fragment | undefined; most: number | null },
) => {
  if (order !== undefined || most === null)
    return sql`
      select wallet, sum(delta) as balance, sum(held_delta) as held from (
        select wallet, delta, held_delta from postings where ${upToMoment(asked)} ${and}
        union all
        select wallet, delta, 0 from holder_movements where ${upToMoment(asked)} ${and}
      ) c group by wallet having sum(delta) > 0 ${order === undefined ? sql`` : sql`order by ${order} limit ${most}`}`
  const page = sql`order by wallet limit ${most}`
  return sql`
    select wallet, balance, held from (
      (select wallet, balance + moved as balance, held from (
        select wallet, sum(delta) as balance, sum(held_delta) as held from postings
        where ${upToMoment(asked)} ${and} group by wallet
      ) p cross join lateral (
        select coalesce(sum(delta), 0) as moved from holder_movements
        where ${upToMoment(asked)} and holder_movements.wallet = p.wallet
      ) m where balance + moved > 0 ${page})
      union
      (select wallet, balance + moved, held from (
        select wallet, sum(delta) as moved from holder_movements where ${upToMoment(asked)} ${and} group by wallet
      ) m cross join lateral (
        select coalesce(sum(delta), 0) as balance, coalesce(sum(held_delta), 0) as held from postings
        where ${upToMoment(asked)} and postings.wallet = m.wallet
      ) p where balance + moved > 0 ${page})
    ) h ${page}`
}

export const isNamed = (named: NamedPeople | null) =>
  named === null ? sql`` : sql`and ${named.hasWallet(sql`wallet`)}`

export const isOwned = (workspaceId: string, investor: string | Fragment | null) =>
  investor === null
    ? sql``
    : sql`and wallet in (
        select w.wallet from (
          select distinct wallet from attestations where workspace_id = ${workspaceId} and investor_id = ${investor}
        ) w cross join lateral wallet_owner(${workspaceId}, w.wallet) o where o.investor_id = ${investor})`

export const byWallet = (asked: Asked) => {
  const { workspaceId, investor, named, verified, after, most } = asked
  const isAfter = after === null ? sql`` : sql`and wallet > ${after}`
  const isWanted = verified === null ? sql`` : sql`and ${isUnverified(sql`wallet`, verified)}`
  return sql<Row[]>`
    select w.wallet as key, w.wallet, 1 as wallets, w.balance, w.held, i.id as investor_id, i.external_id
    from (
      ${holdersAt(asked, { and: sql`${isOwned(workspaceId, investor)} ${isNamed(named)} ${isAfter} ${isWanted}`, most })}
    ) w cross join lateral wallet_owner(${workspaceId}, w.wallet) o
    left join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id
    order by w.wallet`
}
