import { sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import {
  decidedAt,
  readContradictions,
  readStandings,
  shownStanding,
  shownStatusAt,
  statusAt,
} from "#domain/attestations"
import { investorNotFound, MOST_WALLETS, requireInvestor, statesOf, walletsOf } from "#domain/investors"
import type { Principal } from "#domain/requests"
import {
  availabilityIn,
  EVERY_TOKEN,
  loadFreezes,
  readBars,
  readHeld,
  readStates,
  toShownFreezes,
} from "#domain/tokens"
import { clock, toTimestamp } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { type ActivityMoment, type Moved, readActivity } from "./activity.ts"

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
  const [states, held, freezesOf, barOf, recovered, contradicting] = await Promise.all([
    statesOf(workspaceId, [{ investorId, wallets: own }]),
    readHoldings(principal, own),
    loadFreezes(sql, workspaceId, own),
    readBars(sql, workspaceId, own),
    sql`
      select from recoveries where workspace_id = ${workspaceId} and investor_id in
        (select id from investors where workspace_id = ${workspaceId} and (id = ${investorId} or merged_into = ${investorId}))
      limit 1`,
    readContradictions(principal, investorId),
  ])
  const byWallet = Map.groupBy(states, (state) => state.wallet)
  const now = clock.now()
  const standingOf = await standingsFor(workspaceId, held.tokens, now)
  const hasEarlier = lives.length > LIVES
  const activity = await readActivity(principal, own)
  return {
    investor_id: row.id,
    external_id: row.external_id,
    first_seen_at: toTimestamp(row.created_at),
    erased_at: row.erased_at && toTimestamp(row.erased_at),
    wallets: own.map((wallet) => ({
      user_pubkey: wallet,
      // For every token.
      freezes: toShownFreezes(freezesOf({ config: EVERY_TOKEN, wallet })),
      bar: barOf(wallet),
      // For each schema that the wallet ever had a verification for.
      states: (byWallet.get(wallet) ?? []).map((state) => ({
        schema: state.schema_id,
        status: shownStatusAt(state, now),
        attestation_id: state.id,
        expires_at: state.verified_at && state.expires_at ? toTimestamp(state.expires_at) : null,
      })),
    })),
    has_recoveries: recovered.length > 0,
    has_more_wallets: own.length === MOST_WALLETS,
    tokens: held.tokens.map(({ wallets, ...token }) => ({
      ...token,
      wallets: wallets.map((of) => ({
        ...of,
        freezes: toShownFreezes(freezesOf({ config: token.mint_config, wallet: of.user_pubkey })),
        bar: barOf(of.user_pubkey),
        // With the schema that the token requires.
        standing: shownStanding(standingOf(token.required_schema, of.user_pubkey)),
      })),
    })),
    chain_answered: held.chain_answered,
    // Whether claims from providers are still stored.
    has_claims: claims !== undefined,
    contradicting,
    timeline: investorTimeline(lives.slice(0, LIVES), {
      firstSeenAt: hasEarlier ? null : row.created_at,
      erasedAt: row.erased_at,
      activity: activity.moments,
      now,
    }),
    has_earlier: hasEarlier || activity.has_earlier,
  }
}

/** How wallets stand with the schemas that the tokens in them require. */
async function standingsFor(
  workspaceId: string,
  tokens: readonly { required_schema: string; wallets: readonly { user_pubkey: Address }[] }[],
  at: Date,
) {
  const wallets = [...new Set(tokens.flatMap(({ wallets }) => wallets.map((of) => of.user_pubkey)))]
  const schemas = [...new Set(tokens.map(({ required_schema }) => required_schema))]
  const found = await Promise.all(schemas.map((schemaId) => readStandings(sql, workspaceId, { schemaId, wallets, at })))
  return (schema: string, wallet: Address) => found[schemas.indexOf(schema)]?.get(wallet)
}

/** The most wallets to show. An investor has few. */
const MOST = 500

type Row = {
  id: string
  name: string
  symbol: string
  decimals: number
  required_schema: string
  transfer_mode: TransferMode
  counted_up_to: string | null
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
    select c.id, c.name, c.symbol, c.decimals, c.required_schema, c.transfer_mode, c.counted_up_to,
      h.wallet, h.balance, h.incoming, h.outgoing
    from mint_configs c cross join unnest(${wallets as Address[]}::text[]) with ordinality as w(wallet, place)
    join holdings h on h.workspace_id = ${workspaceId} and h.mint_config = c.id and h.wallet = w.wallet
    where c.workspace_id = ${workspaceId}
      and (h.balance > 0 or h.incoming > 0 or h.outgoing > 0 or c.transfer_mode = 'holder')
    order by c.created_at desc, c.id, w.place limit ${MOST}`
  if (rows.length === 0) return { tokens: [], chain_answered: true }
  const keys = rows.map(({ id, wallet }) => ({ config: id, wallet }))
  const [accounts, heldOf] = await Promise.all([
    readStates({ workspaceId, mode }, keys),
    readHeld(sql, workspaceId, keys),
  ])
  const held = rows.map((row, i) => {
    const account = accounts?.[i] ?? null
    const isByChain = row.transfer_mode === "holder" && account !== null
    return { ...row, account, units: isByChain ? account.amount + account.held : BigInt(row.balance) }
  })
  const tokens = [...Map.groupBy(held, (row) => row.id).values()].flatMap((all) => {
    const [{ id, name, symbol, decimals, required_schema, transfer_mode }] = all as [(typeof all)[number]]
    const units = (amount: string | bigint) => fromBaseUnits(BigInt(amount), decimals)
    const holding = all.filter((row) => row.units > 0n || row.incoming !== "0" || row.outgoing !== "0")
    if (holding.length === 0) return []
    return [
      {
        mint_config: id,
        name,
        symbol,
        required_schema,
        transfer_mode,
        total: units(holding.reduce((sum, row) => sum + row.units, 0n)),
        wallets: holding.map((row) => ({
          user_pubkey: row.wallet,
          balance: units(row.units),
          incoming: units(row.incoming),
          outgoing: units(row.outgoing),
          ...availabilityIn(row, {
            account: row.account,
            holding: { balance: BigInt(row.balance), outgoing: BigInt(row.outgoing) },
            held: heldOf({ config: row.id, wallet: row.wallet }),
          }),
          // On chain. Null while it does not answer.
          account: row.account && (row.account.state === "thawed" ? ("open" as const) : row.account.state),
        })),
      },
    ]
  })
  return { tokens, chain_answered: accounts !== null }
}

const lifeColumns = columns(
  "attestations",
  "id, seq, wallet, schema_id, status, created_at, consented_at, event_at, event_decision, review_id, reviewed_at",
  "open_until, issued_at, expires_at, verified_at, revoked_at, ended_at, reason",
)
export type LifeRow = RowOf<typeof lifeColumns>

/** An entry of an investor's timeline. */
type InvestorEvent = {
  event:
    | "first_seen"
    | "started"
    | "consented"
    | "approved"
    | "rejected"
    | "verified"
    | "revoked"
    | "expired"
    | "superseded"
    | "wallet_added"
    | "erased"
    | ActivityMoment["event"]
  at: string
  attestation_id: string | null
  user_pubkey: string | null
  schema: string | null
  /** Your team's reason for a revocation or a rejection, or its reference for a freeze or a lost wallet. */
  reason: string | null
  /** What moved; null for other entries. */
  operation: Moved | null
  /** The token that a freeze is about; null if it is about all. */
  symbol: string | null
  /** The recovery of a wallet that was reported as lost; null for other entries. */
  recovery_id: string | null
}

type Moment = { event: Exclude<InvestorEvent["event"], ActivityMoment["event"]>; at: Date; reason?: string | null }

type Around = { firstSeenAt: Date | null; erasedAt: Date | null; activity?: readonly ActivityMoment[]; now: Date }

/** The entries of several attestations and of what happened to the wallets, newest first. `rows` are those of one investor, newest first. */
export function investorTimeline(
  rows: readonly LifeRow[],
  { firstSeenAt, erasedAt, activity = [], now }: Around,
): InvestorEvent[] {
  const noVerification = { attestation_id: null, schema: null }
  const noMovement = { operation: null, symbol: null, recovery_id: null }
  const noSubject = { ...noVerification, ...noMovement, user_pubkey: null, reason: null }
  const seen = new Set<string>()
  const moments = [
    ...(firstSeenAt ? [{ event: "first_seen" as const, at: firstSeenAt, ...noSubject }] : []),
    ...rows.toReversed().flatMap((row) => {
      const of = { attestation_id: row.id, user_pubkey: row.wallet, schema: row.schema_id }
      const isNew = seen.size > 0 && !seen.has(row.wallet)
      seen.add(row.wallet)
      const added = isNew ? [{ event: "wallet_added" as const, at: row.created_at }] : []
      return [...added, ...momentsOf(row, now)].map((moment) => ({ reason: null, ...moment, ...of, ...noMovement }))
    }),
    ...activity.map((moment) => ({ ...moment, ...noVerification })),
    ...(erasedAt ? [{ event: "erased" as const, at: erasedAt, ...noSubject }] : []),
  ]
  return moments
    .map((moment, n) => ({ moment, n }))
    .sort((a, b) => b.moment.at.getTime() - a.moment.at.getTime() || b.n - a.n)
    .map(({ moment }) => ({ ...moment, at: toTimestamp(moment.at) }))
}

function momentsOf(row: LifeRow, now: Date): Moment[] {
  const { created_at, consented_at, issued_at, verified_at } = row
  const moments: Moment[] = [{ event: "started", at: created_at }]
  if (consented_at) moments.push({ event: "consented", at: consented_at })
  // This time is precise only to the second, so it may be before an earlier event.
  if (issued_at) moments.push({ event: "approved", at: latest(issued_at, consented_at ?? created_at) })
  if (verified_at) moments.push({ event: "verified", at: verified_at })
  const ending = endingOf(row, now)
  return ending ? [...moments, ending] : moments
}

/** How it ended, by its current status, even before a sweep has recorded it. */
function endingOf(row: LifeRow, now: Date): Moment | null {
  const { revoked_at, ended_at, verified_at, issued_at, expires_at, open_until, reason } = row
  if (revoked_at) return { event: "revoked", at: revoked_at, reason }
  const status = statusAt(row, now)
  if (status === "rejected") {
    const at = decidedAt(row) ?? ended_at
    return at && { event: "rejected", at, reason }
  }
  if (status !== "expired") return null
  if (reason === "superseded" && ended_at) return { event: "superseded", at: ended_at }
  const due = verified_at || issued_at ? expires_at : open_until
  const at = due && ended_at && ended_at < due ? ended_at : (due ?? ended_at)
  return at && { event: "expired", at }
}

const latest = (a: Date, b: Date): Date => (a < b ? b : a)
