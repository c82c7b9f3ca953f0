import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { shownStatusAt } from "#domain/attestations"
import { investorNotFound, MOST_WALLETS, requireInvestor, statesOf, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { ShownStatus } from "#shared/statuses.ts"
import { readHoldings, type TokenHolding } from "./holdings.ts"
import { type InvestorEvent, investorTimeline, type LifeRow, lifeColumns } from "./timeline.ts"

export type InvestorView = {
  investor_id: string
  external_id: string | null
  first_seen_at: string
  erased_at: string | null
  /** Newest first. */
  wallets: {
    user_pubkey: string
    /** The status for each schema that the wallet ever had a verification for. */
    states: { schema: string; status: ShownStatus; attestation_id: string; expires_at: string | null }[]
  }[]
  /** Whether more exist than are shown. */
  has_more_wallets: boolean
  tokens: TokenHolding[]
  chain_answered: boolean
  /** Whether claims from providers are still stored. */
  has_claims: boolean
  /** Newest first. */
  timeline: InvestorEvent[]
  /** Whether it leaves out older attestations. */
  has_earlier: boolean
}

/** The number of newest attestations in the timeline. */
const LIVES = 50

const investorColumns = columns("investors", "id, external_id, created_at, erased_at")

/** The top of an investor's page. Errors: investor_not_found. */
export async function readInvestor(principal: Principal, id: string): Promise<InvestorView> {
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
    has_claims: claims !== undefined,
    timeline: investorTimeline(lives.slice(0, LIVES), {
      firstSeenAt: hasEarlier ? null : row.created_at,
      erasedAt: row.erased_at,
      now,
    }),
    has_earlier: hasEarlier,
  }
}
