import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { shownStatusAt } from "#domain/attestations"
import { investorNotFound, MOST_WALLETS, requireInvestor, statesOf, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { readStates } from "#domain/tokens"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { investorTimeline, type LifeRow, lifeColumns } from "./timeline.ts"

/** The number of newest attestations in the timeline. */
const LIVES = 50

const investorColumns = columns("investors", "id, external_id, created_at, erased_at")

/** The top of an investor's page. Errors: investor_not_found. */
export async function readInvestor(principal: Principal, id: string) {
  const { workspaceId } = principal
  const investorId = await requireInvestor(workspaceId, id)
  const [[row], wallets, lives, [claims]] = await Promise.all([
    sql<RowOf<typeof investorColumns>[]>`
      select ${sql(investorColumns)} from investors where workspace_id = ${workspaceId} and id = ${investorId}`,
    walletsOf(workspaceId, [investorId]),
    sql<LifeRow[]>`
      select ${sql(lifeColumns)} from attestations where workspace_id = ${workspaceId} and investor_id = ${investorId}
      order by seq desc nulls last limit ${LIVES + 1}`,
    sql`
      select from attestations
      where workspace_id = ${workspaceId} and investor_id = ${investorId} and claims is not null limit 1`,
  ])
  if (!row) return investorNotFound(id)
  const own = wallets(investorId)
  const [states, held] = await Promise.all([
    statesOf(workspaceId, [{ investorId, wallets: own }]),
    readHoldings(principal, own),
  ])
  const byWallet = Map.groupBy(states, (state) => state.wallet)
  const now = clock.now()
  const hasEarlier = lives.length > LIVES
  return {
    investor_id: row.id,
    external_id: row.external_id,
    first_seen_at: toTimestamp(row.created_at),
    erased_at: row.erased_at && toTimestamp(row.erased_at),
    wallets: own.map((wallet) => ({
      user_pubkey: wallet,
      // For each schema that the wallet ever had a verification for.
      states: (byWallet.get(wallet) ?? []).map((state) => ({
        schema: state.schema_id,
        status: shownStatusAt(state, now),
        attestation_id: state.id,
        expires_at: state.verified_at && state.expires_at ? toTimestamp(state.expires_at) : null,
      })),
    })),
    has_more_wallets: own.length === MOST_WALLETS,
    tokens: held.tokens,
    chain_answered: held.chain_answered,
    // Whether claims from providers are still stored.
    has_claims: claims !== undefined,
    timeline: investorTimeline(lives.slice(0, LIVES), {
      firstSeenAt: hasEarlier ? null : row.created_at,
      erasedAt: row.erased_at,
      now,
    }),
    has_earlier: hasEarlier,
  }
}

/** The most wallets to show. An investor has few. */
const MOST = 500

type Row = {
  id: string
  name: string
  symbol: string
  decimals: number
  transfer_mode: TransferMode
  wallet: Address
  balance: string
  incoming: string
  outgoing: string
}

/** What wallets hold of each token: by the chain, if holders move tokens themselves. */
async function readHoldings(
  { workspaceId, mode }: Pick<Principal, "workspaceId" | "mode">,
  wallets: readonly Address[],
) {
  const rows = await sql<Row[]>`
    select c.id, c.name, c.symbol, c.decimals, c.transfer_mode, h.wallet, h.balance, h.incoming, h.outgoing
    from mint_configs c cross join unnest(${wallets as Address[]}::text[]) with ordinality as w(wallet, place)
    join holdings h on h.workspace_id = ${workspaceId} and h.mint_config = c.id and h.wallet = w.wallet
    where c.workspace_id = ${workspaceId}
      and (h.balance > 0 or h.incoming > 0 or h.outgoing > 0 or c.transfer_mode = 'holder')
    order by c.created_at desc, c.id, w.place limit ${MOST}`
  if (rows.length === 0) return { tokens: [], chain_answered: true }
  const accounts = await readStates(
    { workspaceId, mode },
    rows.map(({ id, wallet }) => ({ config: id, wallet })),
  )
  const held = rows.map((row, i) => {
    const account = accounts?.[i] ?? null
    const isByChain = row.transfer_mode === "holder" && account !== null
    return { ...row, account, units: isByChain ? account.amount : BigInt(row.balance) }
  })
  const tokens = [...Map.groupBy(held, (row) => row.id).values()].flatMap((all) => {
    const [{ id, name, symbol, decimals }] = all as [(typeof all)[number]]
    const units = (amount: string | bigint) => fromBaseUnits(BigInt(amount), decimals)
    const holding = all.filter((row) => row.units > 0n || row.incoming !== "0" || row.outgoing !== "0")
    if (holding.length === 0) return []
    return [
      {
        mint_config: id,
        name,
        symbol,
        total: units(holding.reduce((sum, row) => sum + row.units, 0n)),
        wallets: holding.map((row) => ({
          user_pubkey: row.wallet,
          balance: units(row.units),
          incoming: units(row.incoming),
          outgoing: units(row.outgoing),
          // On chain. Null while it does not answer.
          account: row.account && (row.account.state === "thawed" ? ("open" as const) : row.account.state),
        })),
      },
    ]
  })
  return { tokens, chain_answered: accounts !== null }
}
