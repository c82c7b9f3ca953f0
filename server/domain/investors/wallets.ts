import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { MOST_WALLETS } from "./record.ts"

/** The most attestations of an investor to search for their wallets: the newest. */
const LOOKED_THROUGH = 1000

/**
 * The wallets of investors, newest first for each. The database's `wallet_owner` decides who owns a wallet: the person
 * for whom it was last proven or approved and, before that, the first who named it. Registers, reviews, erasure and
 * lists all use it.
 */
export async function walletsOf(
  workspaceId: string,
  investorIds: readonly string[],
): Promise<(investorId: string) => Address[]> {
  const rows = await sql<{ investor_id: string; wallet: Address }[]>`
    select i.id as investor_id, w.wallet
    from unnest(${investorIds as string[]}::text[]) as i(id) cross join lateral (
      select wallet, max(seq) as seq from (
        select wallet, seq from attestations where workspace_id = ${workspaceId} and investor_id = i.id
        order by seq desc nulls last limit ${LOOKED_THROUGH}
      ) newest group by wallet
    ) w
    where i.id = (select investor_id from wallet_owner(${workspaceId}, w.wallet))
    order by w.seq desc`
  const wallets = Map.groupBy(rows, (row) => row.investor_id)
  return (id) => (wallets.get(id) ?? []).slice(0, MOST_WALLETS).map(({ wallet }) => wallet)
}

const stateColumns = columns(
  "attestations",
  "id, wallet, schema_id, status, open_until, verified_at, revoked_at, expires_at, onchain_tx",
)
export type StateRow = RowOf<typeof stateColumns>

/** The attestation that determines the status of each of an investor's wallets, for each schema. */
export const statesOf = (
  workspaceId: string,
  owned: readonly { investorId: string; wallets: readonly Address[] }[],
): Promise<StateRow[]> => sql<StateRow[]>`
  select distinct on (place, schema_id) ${sql(stateColumns.map((name) => `a.${name}`))}
  from unnest(${owned.flatMap(({ wallets }) => wallets)}::text[],
    ${owned.flatMap(({ investorId, wallets }) => wallets.map(() => investorId))}::text[])
    with ordinality as w(wallet, investor_id, place)
  join attestations a
    on a.workspace_id = ${workspaceId} and a.wallet = w.wallet and a.investor_id = w.investor_id
  order by place, schema_id, (a.status = 'verified' and a.expires_at > ${clock.now()}) desc, a.seq desc`
