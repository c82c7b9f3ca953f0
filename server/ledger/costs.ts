import { type Queryable, background as sql } from "#db/client.ts"
import { publishActivity } from "#db/pubsub.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { clock, periodOf, secondsBetween } from "#server/lib/time.ts"
import type { Chain } from "#server/solana/chain.ts"
import { type Costs, costsOf, costsWithoutMeta, type Layout } from "#server/solana/costs.ts"

const BATCH = 32
/** How long to ask for a transaction that no node has. After that, its highest possible cost counts. */
const GIVE_UP_SECONDS = 3600

type Uncounted = Layout & {
  signature: string
  workspace_id: string
  status: "confirmed" | "failed"
  fee: string
  rent: string
  settled_at: Date
}

/**
 * Counts the cost of one chain's transactions once they are final: one that vanishes cost nothing. A transaction that
 * opens no account costs its fee, which is known when it is signed (`costs.test.ts` checks this against the chain). The
 * chain is asked only if an account may have been opened, because another sender may have opened it first.
 */
export class CostCounter {
  readonly #chain: Chain
  /** Transactions that no node has now, by signature. */
  readonly #missing = new Backoff({ firstMs: 1000, longestMs: 60_000 })

  constructor(chain: Chain) {
    this.#chain = chain
  }

  async tick(): Promise<boolean> {
    const rows = await sql<Uncounted[]>`
      select signature, workspace_id, layout, head, status, fee::text, rent::text, settled_at from transactions
      where mode = ${this.#chain.mode} and status in ('confirmed', 'failed') and fee is not null and counted_at is null
        and (status = 'failed' or finalized_at is not null) and not signature = any(${this.#missing.held})
      order by settled_at limit ${BATCH}`
    if (rows.length === 0) return false
    const known = await Promise.all(rows.map(async (row) => ({ row, costs: await this.#costsOf(row) })))
    const counted = known.flatMap(({ row, costs }) => (costs === null ? [] : { row, costs }))
    const workspaces = await count(counted)
    for (const workspaceId of workspaces) publishActivity(workspaceId)
    return counted.length === BATCH
  }

  async #costsOf(row: Uncounted): Promise<Costs | null> {
    const [fee, rent] = [Number(row.fee), row.status === "confirmed" ? Number(row.rent) : 0]
    if (rent === 0) return costsWithoutMeta({ ...row, fee, rent })
    try {
      const found = await this.#chain.rpc.patient.transaction(row.signature)
      const costs = found && costsOf(found, row)
      if (costs) {
        this.#missing.succeeded(row.signature)
        return costs
      }
    } catch (error) {
      logger.debug({ err: error, signature: row.signature }, "could not read what a transaction cost")
    }
    if (secondsBetween(row.settled_at, clock.now()) < GIVE_UP_SECONDS) {
      this.#missing.failed(row.signature)
      return null
    }
    const about = { workspaceId: row.workspace_id, signature: row.signature, fee, rent }
    logger.warn(about, "no node returns what a transaction cost; its highest possible cost is counted")
    return costsWithoutMeta({ ...row, fee, rent })
  }
}

/** Adds each transaction's cost once to its operations, month and accounts. Returns their workspaces. */
async function count(counted: Counted): Promise<Set<string>> {
  if (counted.length === 0) return new Set()
  return sql.begin(async (sql) => {
    const won = await sql<{ signature: string }[]>`
      update transactions t set fee = c.fee, rent = c.rent, counted_at = ${clock.now()}
      from unnest(${counted.map(({ row }) => row.signature)}::text[], ${counted.map(({ costs }) => costs.fee)}::bigint[],
        ${counted.map(({ costs }) => costs.rent)}::bigint[]) as c(signature, fee, rent)
      where t.signature = c.signature and t.counted_at is null returning t.signature`
    const own = new Set(won.map(({ signature }) => signature))
    const first = counted.filter(({ row }) => own.has(row.signature))
    await addToOperations(sql, first)
    await addToMonths(sql, first)
    await addToAccounts(sql, first)
    return new Set(first.map(({ row }) => row.workspace_id))
  })
}

type Counted = readonly { row: Uncounted; costs: Costs }[]

async function addToOperations(sql: Queryable, counted: Counted): Promise<void> {
  const shares = counted.flatMap(({ row, costs }) =>
    costs.ofOperations.map((share) => ({ ...share, workspaceId: row.workspace_id })),
  )
  await sql`
    with shares as (
      select workspace_id, id, sum(fee)::bigint as fee, sum(rent)::bigint as rent
      from unnest(${shares.map((one) => one.workspaceId)}::text[], ${shares.map((one) => one.id)}::text[],
        ${shares.map((one) => one.fee)}::bigint[], ${shares.map((one) => one.rent)}::bigint[])
        as s(workspace_id, id, fee, rent)
      group by workspace_id, id
    ), locked as (
      select o.workspace_id, o.id from operations o join shares using (workspace_id, id)
      order by o.workspace_id, o.id for no key update of o
    )
    update operations o set fee = coalesce(o.fee, 0) + s.fee, rent = coalesce(o.rent, 0) + s.rent
    from locked join shares s using (workspace_id, id) where o.workspace_id = s.workspace_id and o.id = s.id`
}

async function addToMonths(sql: Queryable, counted: Counted): Promise<void> {
  await sql`
    insert into chain_costs as c (workspace_id, period, transactions, fee, rent)
    select workspace_id, period, count(*), sum(fee), sum(rent)
    from unnest(${counted.map(({ row }) => row.workspace_id)}::text[], ${counted.map(({ row }) => periodOf(row.settled_at))}::text[],
      ${counted.map(({ costs }) => costs.fee)}::bigint[], ${counted.map(({ costs }) => costs.rent)}::bigint[])
      as n(workspace_id, period, fee, rent)
    group by workspace_id, period order by workspace_id, period
    on conflict (workspace_id, period) do update set transactions = c.transactions + excluded.transactions,
      fee = c.fee + excluded.fee, rent = c.rent + excluded.rent`
}

async function addToAccounts(sql: Queryable, counted: Counted): Promise<void> {
  const opened = counted.flatMap(({ row, costs }) =>
    costs.opened.map((account) => ({ account, workspaceId: row.workspace_id, period: periodOf(row.settled_at) })),
  )
  if (opened.length === 0) return
  await sql`
    insert into paid_accounts as p (workspace_id, account, times, period, reopened)
    select workspace_id, account, count(*), max(period), count(*) - 1
    from unnest(${opened.map((one) => one.workspaceId)}::text[], ${opened.map((one) => one.account)}::text[],
      ${opened.map((one) => one.period)}::text[]) as o(workspace_id, account, period)
    group by workspace_id, account order by workspace_id, account
    on conflict (workspace_id, account) do update set times = p.times + excluded.times, period = excluded.period,
      reopened = excluded.times + case when p.period = excluded.period then p.reopened else 0 end`
}
