import type { Queryable } from "#db/client.ts"
import { openReview } from "#domain/reviews"
import { reconcileVerified } from "#domain/token-accounts"
import { isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { toBaseUnits } from "#shared/amount.ts"
import type { RulesJson } from "#shared/rules/fields.ts"
import { countOf, firstPassed, type InvestorCounts } from "#shared/rules/investor-counts.ts"
import { type Counting, evidenceOf, type Held, InvestorBook, UNKNOWN } from "./book.ts"
import { identify } from "./identify.ts"

type Locked = Counting & { required_schema: string; rules: RulesJson; decimals: number; investors: InvestorCounts }

/**
 * Configurations that count investors, locked. All of them, because a reservation that is not committed yet may be
 * about to give the person units of any.
 */
const lockCounting = (sql: Queryable, workspaceId: string, schemaId: string | null) => sql<Locked[]>`
  select id, required_schema, rules, decimals, investors from mint_configs
  where workspace_id = ${workspaceId} and investors is not null ${schemaId === null ? sql`` : sql`and required_schema = ${schemaId}`}
  order by id for no key update`

type HeldRow = Omit<Held, "balance" | "incoming" | "outgoing"> & { balance: string; incoming: string; outgoing: string }

const toHeld = (row: HeldRow): Held => ({
  ...row,
  balance: BigInt(row.balance),
  incoming: BigInt(row.incoming),
  outgoing: BigInt(row.outgoing),
})

/** Follows a wallet's verification for a schema, or its end, in the transaction of the change. */
export async function followVerification(
  sql: Queryable,
  of: { workspaceId: string; schemaId: string; wallet: Address },
): Promise<void> {
  await reconcileVerified(sql, of)
  const { workspaceId, schemaId, wallet } = of
  const configs = await lockCounting(sql, workspaceId, schemaId)
  if (configs.length === 0) return
  const person = (await identify(sql, workspaceId, [{ schemaId, wallet }]))({ schemaId, wallet })
  // The person who was verified last keeps the holding until another person is.
  if (!person.inForce) return
  const rows = await sql<HeldRow[]>`
    select mint_config as config, wallet, balance, incoming, outgoing, investor from holdings
    where workspace_id = ${workspaceId} and wallet = ${wallet} and mint_config = any(${configs.map(({ id }) => id)})
      and investor <> ${person.investor} and (balance > 0 or incoming > 0)
    order by mint_config for no key update`
  if (rows.length === 0) return
  const held = rows.map(toHeld)
  const wanted = held.flatMap(({ config, investor }) =>
    [investor!, person.investor].map((one) => ({ config, investor: one, attestationId: null })),
  )
  const book = await InvestorBook.load(sql, workspaceId, { configs, held, wanted })
  const before = countsOf(configs)
  for (const one of held) book.reassign(one, person.investor, person.evidence)
  await sql`
    update holdings set investor = ${person.investor}
    where workspace_id = ${workspaceId} and wallet = ${wallet} and mint_config = any(${held.map(({ config }) => config)})`
  await save(sql, workspaceId, { configs, before, book })
  await reviewLimits(sql, workspaceId, { configs, before, book, investor: person.investor })
}

/** Two investors have turned out to be one person, in this transaction. What they hold adds up from now on. */
export async function followMerge(
  sql: Queryable,
  workspaceId: string,
  { from, into }: { from: string; into: string },
): Promise<void> {
  const configs = await lockCounting(sql, workspaceId, null)
  if (configs.length === 0) return
  const wanted = configs.flatMap(({ id: config }) =>
    [from, into].map((investor) => ({ config, investor, attestationId: null })),
  )
  const book = await InvestorBook.load(sql, workspaceId, { configs, held: [], wanted })
  const before = countsOf(configs)
  const owned = new Map(configs.map(({ id }) => [id, book.ownedBy(id, into)]))
  for (const { id } of configs) book.merge(id, from, into)
  await sql`
    update holdings set investor = ${into}
    where workspace_id = ${workspaceId} and investor = ${from} and mint_config = any(${configs.map(({ id }) => id)})`
  await save(sql, workspaceId, { configs, before, book })
  const grown = configs.filter(({ id }) => book.ownedBy(id, into) > owned.get(id)!)
  await reviewLimits(sql, workspaceId, { configs: grown, before, book, investor: into })
}

/** A slot whose claims are erased, with another verification of the same investor that is in force, if there is one. */
type Stale = { mint_config: string; investor: string; attestation_id: string | null; claims: Buffer | null }

/**
 * Forgets who holds tokens in wallets whose person is erased: each such wallet stands for itself from now on, as an
 * investor of whom nothing is known. Call it before the claims are erased.
 */
export async function forgetHolders(
  sql: Queryable,
  workspaceId: string,
  erased: {
    wallets: readonly Address[]
    attestationIds: readonly string[]
    ownerIds: readonly string[]
    investorIds: readonly string[]
  },
): Promise<void> {
  const configs = await lockCounting(sql, workspaceId, null)
  if (configs.length === 0) return
  const ids = configs.map(({ id }) => id)
  const rows = await sql<HeldRow[]>`
    select mint_config as config, wallet, balance, incoming, outgoing, investor from holdings
    where workspace_id = ${workspaceId} and mint_config = any(${ids})
      and (investor = any(${[...erased.investorIds]}) or (wallet = any(${[...erased.wallets]}) and investor = any(${[...erased.ownerIds]})))
    order by mint_config, wallet for no key update`
  const held = rows.map(toHeld)
  const gone = [...erased.attestationIds]
  const stale = await sql<Stale[]>`
    select s.mint_config, s.investor, v.id as attestation_id, v.claims
    from investor_slots s join mint_configs c on c.workspace_id = s.workspace_id and c.id = s.mint_config
    left join lateral (
      select a.id, a.claims from holdings h join attestations a on a.workspace_id = h.workspace_id and a.wallet = h.wallet
        and a.investor_id = h.investor and a.schema_id = c.required_schema
      where h.workspace_id = s.workspace_id and h.mint_config = s.mint_config and h.investor = s.investor
        and a.status = 'verified' and a.expires_at > ${clock.now()} and a.id <> all(${gone})
      order by a.seq desc limit 1
    ) v on true
    where s.workspace_id = ${workspaceId} and s.mint_config = any(${ids})
      and (s.attestation_id = any(${gone}) or s.lender_attestation_id = any(${gone}))`
  const wanted = [
    ...held.flatMap(({ config, wallet, investor }) =>
      [investor!, wallet].map((one) => ({ config, investor: one, attestationId: null })),
    ),
    ...stale.map(({ mint_config: config, investor }) => ({ config, investor, attestationId: null })),
  ]
  if (wanted.length === 0) return
  const book = await InvestorBook.load(sql, workspaceId, { configs, held, wanted })
  const before = countsOf(configs)
  for (const one of held) book.reassign(one, one.wallet, UNKNOWN)
  for (const id of ids)
    book.replaceEvidence(id, new Set(gone), (investor) => {
      const other = stale.find((one) => one.mint_config === id && one.investor === investor)
      return other ? evidenceOf(other.attestation_id, other.claims) : UNKNOWN
    })
  await sql`
    update holdings h set investor = h.wallet
    from unnest(${held.map(({ config }) => config)}::text[], ${held.map(({ wallet }) => wallet)}::text[]) as t(config, wallet)
    where h.workspace_id = ${workspaceId} and h.mint_config = t.config and h.wallet = t.wallet`
  await save(sql, workspaceId, { configs, before, book })
}

const countsOf = (configs: readonly Locked[]) => new Map(configs.map(({ id, investors }) => [id, investors]))

type Followed = { configs: readonly Locked[]; before: ReadonlyMap<string, InvestorCounts>; book: InvestorBook }

async function save(sql: Queryable, workspaceId: string, { configs, before, book }: Followed): Promise<void> {
  await book.save(sql, workspaceId)
  for (const { id, investors } of configs) {
    if (investors === before.get(id)) continue
    await sql`
      update mint_configs set investors = ${sql.json(investors)} where workspace_id = ${workspaceId} and id = ${id}`
  }
}

/** Opens a review if an investor is above a limit now. Nothing moves, and the rules refuse what would add to it. */
async function reviewLimits(
  sql: Queryable,
  workspaceId: string,
  { configs, before, book, investor }: Followed & { investor: string },
): Promise<void> {
  if (!isId("inv", investor)) return
  for (const { id, rules, decimals, investors } of configs) {
    const passed = firstPassed(rules, { before: before.get(id)!, after: investors })
    const { max_balance_per_investor: most } = rules
    const isOver = most !== undefined && book.ownedBy(id, investor) > (toBaseUnits(most, decimals) ?? 0n)
    const details = [
      // Which country an investor counts in is not for everyone who reads reviews.
      ...(passed ? [`${id}: ${countOf(investors, passed)} of ${passed.cap} investors (${passed.field})`] : []),
      ...(isOver ? [`${id}: more than ${most} in all wallets of the investor (max_balance_per_investor)`] : []),
    ]
    for (const detail of details)
      await openReview(sql, {
        workspaceId,
        kind: "limit",
        about: { investorId: investor },
        finding: "over_limit",
        detail,
      })
  }
}

export type Ending = "landed" | "failed"

/**
 * Makes slots follow what movements did to holdings, under the locks of both. Reads nothing unless a wallet was
 * emptied, a slot went along, or no one knows yet whose a holding is. `before`: what the wallets owned.
 */
export async function followMovements(
  sql: Queryable,
  workspaceId: string,
  about: {
    configs: readonly (Counting & { required_schema: string })[]
    held: readonly { held: Held; before: bigint }[]
    /** Operations that a slot went along with. */
    handed: readonly { config: string; operationId: string }[]
    ending: Ending | null
  },
): Promise<void> {
  const { configs, handed, ending } = about
  const held = about.held.map((one) => one.held)
  const owns = ({ balance, incoming }: Held) => balance + incoming
  const emptied = about.held.filter((one) => one.before > 0n && owns(one.held) <= 0n).map((one) => one.held)
  const unnamed = held.filter((one) => one.investor === null && owns(one) > 0n)
  if (emptied.length + unnamed.length + handed.length === 0) return
  const schemaOf = new Map(configs.map(({ id, required_schema }) => [id, required_schema]))
  const of = ({ config, wallet }: Held) => ({ schemaId: schemaOf.get(config)!, wallet })
  const identified = await identify(sql, workspaceId, unnamed.map(of))
  const wanted = held.flatMap((one) => {
    const investor = one.investor ?? (unnamed.includes(one) ? identified(of(one)).investor : null)
    return investor === null ? [] : [{ config: one.config, investor, attestationId: null }]
  })
  const book = await InvestorBook.load(sql, workspaceId, { configs, held, wanted })
  for (const one of unnamed) {
    const { investor, evidence } = identified(of(one))
    book.reassign(one, investor, evidence)
  }
  for (const { config, operationId } of handed) book.end(config, operationId, ending === "landed")
  for (const { config, investor } of emptied) if (investor !== null) book.follow(config, investor, UNKNOWN)
  await book.save(sql, workspaceId)
}
