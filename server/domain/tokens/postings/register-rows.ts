import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import type { NamedPeople } from "#domain/investor-search"
import { addSeconds } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Moment } from "./moments.ts"
import type { unverifiedAt } from "./unverified-at.ts"

type Row = {
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

type Asked = {
  workspaceId: string
  mintConfig: string
  moment: Moment
  investor: string | null
  named: NamedPeople | null
  unverified: ReturnType<typeof unverifiedAt> | null
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
      ) c group by wallet having sum(delta) > 0 order by ${order ?? sql`wallet`} limit ${most}`
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

const isNamed = (named: NamedPeople | null) => (named === null ? sql`` : sql`and ${named.hasWallet(sql`wallet`)}`)

const ownedBy = (workspaceId: string, investor: string | null) =>
  investor === null
    ? sql``
    : sql`and wallet in (
        select w.wallet from (
          select distinct wallet from attestations where workspace_id = ${workspaceId} and investor_id = ${investor}
        ) w cross join lateral wallet_owner(${workspaceId}, w.wallet) o where o.investor_id = ${investor})`

export const byWallet = (asked: Asked) => {
  const { workspaceId, investor, named, unverified, after, most } = asked
  const isAfter = after === null ? sql`` : sql`and wallet > ${after}`
  const isWanted = unverified === null ? sql`` : sql`and ${unverified(sql`wallet`)}`
  return sql<Row[]>`
    select w.wallet as key, w.wallet, 1 as wallets, w.balance, w.held, i.id as investor_id, i.external_id
    from (
      ${holdersAt(asked, { and: sql`${ownedBy(workspaceId, investor)} ${isNamed(named)} ${isAfter} ${isWanted}`, most })}
    ) w cross join lateral wallet_owner(${workspaceId}, w.wallet) o
    left join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id
    order by w.wallet`
}

/**
 * Reads the owners of all wallets together, because asking `wallet_owner` for each takes ten times as long, and the
 * investors of a page only.
 */
export const byInvestor = (asked: Asked) => {
  const { workspaceId, investor, named, unverified, after, most } = asked
  const key = sql`coalesce(investor_id, wallet)`
  const holders = sql`
    select w.wallet, w.balance, w.held,
      coalesce(o.investor_id, (select investor_id from wallet_owner(${workspaceId}, w.wallet))) as investor_id
    from (
      ${holdersAt(asked, { and: sql`${ownedBy(workspaceId, investor)} ${named?.ids ? isNamed(named) : sql``}`, most: null })}
    ) w left join (
      select distinct on (wallet) wallet, investor_id from attestations
      where workspace_id = ${workspaceId} and (wallet_proved_at is not null or issued_at is not null)
      order by wallet, greatest(wallet_proved_at, issued_at, approved_at) desc nulls last, seq desc nulls last
    ) o on o.wallet = w.wallet`
  const meant =
    named?.ids === null
      ? sql`
          select h.* from (${holders}) h
          left join investors i on i.workspace_id = ${workspaceId} and i.id = h.investor_id
          where ${named.isNamed({ externalId: sql`i.external_id`, wallet: sql`h.wallet` })}`
      : holders
  return sql<Row[]>`
    select p.*, i.external_id from (
      select ${key} as key, min(wallet) as wallet, count(*)::int as wallets, sum(balance) as balance, sum(held) as held,
        investor_id
      from (${meant}) h ${after === null ? sql`` : sql`where ${key} > ${after}`}
      group by 1, investor_id ${unverified === null ? sql`` : sql`having bool_or(${unverified(sql`wallet`)})`}
      order by 1 limit ${most}
    ) p left join investors i on i.workspace_id = ${workspaceId} and i.id = p.investor_id order by p.key`
}
