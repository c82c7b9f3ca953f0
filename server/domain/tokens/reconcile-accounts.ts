import { type Queryable, background as sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { deployment } from "#server/domain/deployment.ts"
import { logger } from "#server/lib/log.ts"
import type { Mode } from "#shared/mode.ts"
import { type AssetAccount, readAccounts } from "./account-states.ts"
import { assetMintOf } from "./asset-accounts.ts"
import { type ConfigRow, loadConfigs } from "./config.ts"
import { enqueueReconcile } from "./follow-verification.ts"
import { lockHoldings, type Place } from "./parties.ts"

// Reconciling accounts: what each should be is decided when its operation is built
// (`operations/reconcile-account.ts`), so it is enough to enqueue every account whose state may have to change.

/** Accounts that are looked at in one commit. */
const BATCH = 100
/** Transactions that a node of the chain could not have heard of yet are among so many of the last. */
const RECENT = 1000

type Due = { workspace_id: string; id: string; mode: Mode }

/**
 * Continues with configurations whose accounts are being reconciled, a batch each. The cursor is committed with
 * each batch, so any process can continue. One that fails delays no other. Returns whether anything was due.
 */
export async function reconcileDue(): Promise<boolean> {
  const due = await sql<Due[]>`
    select c.workspace_id, c.id, w.mode from mint_configs c join workspaces w on w.id = c.workspace_id
    where c.aligned_up_to is not null or c.counted_up_to is not null`
  for (const one of due) {
    try {
      await goOn(one)
      publishActivity(one.workspace_id)
    } catch (error) {
      logger.warn(
        { err: error, workspaceId: one.workspace_id, mintConfig: one.id },
        "account reconciliation failed; retrying later",
      )
    }
  }
  if (due.length > 0) publish("ledger")
  return due.length > 0
}

async function goOn(due: Due): Promise<void> {
  const count = await readCount(due)
  await sql.begin(async (sql) => {
    const config = (await loadConfigs(sql, due.workspace_id, [due.id], { lock: true })).get(due.id)
    if (config && config.aligned_up_to !== null) await reconcileBatch(sql, due, config.aligned_up_to)
    else if (config && config.counted_up_to !== null && count) await countBatch(sql, due, { config, count })
  })
}

async function reconcileBatch(sql: Queryable, { workspace_id, id }: Due, after: string): Promise<void> {
  const rows = await sql<{ wallet: string }[]>`
    select wallet from holdings where workspace_id = ${workspace_id} and mint_config = ${id} and wallet > ${after}
    order by wallet limit ${BATCH}`
  for (const { wallet } of rows) await enqueueReconcile(sql, workspace_id, id, wallet)
  const upTo = rows.length < BATCH ? null : rows.at(-1)!.wallet
  await sql`update mint_configs set aligned_up_to = ${upTo} where workspace_id = ${workspace_id} and id = ${id}`
}

/** What the chain says of the next wallets to count, and what the database said before it was asked. */
type Count = {
  standing: CountSnapshot
  accounts: [Place, AssetAccount][]
  /** The last of them; null where no more follow. */
  upTo: string | null
  /** Of the whole mint, in base units; null where more wallets follow. */
  supply: string | null
}

/** What must not have changed while the chain was asked. */
type CountSnapshot = { counted_up_to: string; version: string; last_landing: bigint | null }

/**
 * How far the count has come, and the version of the configuration's row: while a configuration is counted nothing is
 * admitted, so that whatever begins has changed that row. Null while something is under way, and where nothing is to be
 * counted.
 */
async function readCountSnapshot(sql: Queryable, { workspace_id, id }: Due): Promise<CountSnapshot | null> {
  const [row] = await sql<CountSnapshot[]>`
    select c.counted_up_to, c.xmin::text as version,
      (select max(slot) from (select slot from transactions where workspace_id = c.workspace_id
        order by created_at desc limit ${RECENT}) t) as last_landing
    from mint_configs c
    where c.workspace_id = ${workspace_id} and c.id = ${id} and c.aligned_up_to is null and c.counted_up_to is not null
      and not exists (select from operations o
        where o.workspace_id = c.workspace_id and o.mint_config = c.id and o.status in ('queued', 'submitted'))`
  return row ?? null
}

/**
 * Asks the chain what the next wallets hold. That takes its time, so nothing is locked meanwhile. Null where nothing is
 * to be counted now, or where the answer is older than what has landed.
 */
async function readCount(due: Due): Promise<Count | null> {
  const { workspace_id, id, mode } = due
  const chain = deployment.chains[mode]
  const standing = await readCountSnapshot(sql, due)
  if (!chain || !standing) return null
  const rows = await sql<{ wallet: string }[]>`
    select wallet from holdings
    where workspace_id = ${workspace_id} and mint_config = ${id} and wallet > ${standing.counted_up_to}
    order by wallet limit ${BATCH}`
  const places = rows.map(({ wallet }) => ({ config: id, wallet }))
  const { slot, accounts } = await readAccounts({ workspaceId: workspace_id, chain }, places)
  const oldest = Number(standing.last_landing ?? 0)
  if (slot < oldest) return null
  if (rows.length === BATCH) return { standing, accounts, upTo: rows.at(-1)!.wallet, supply: null }
  // Holders can burn what they have.
  const { context, value } = await chain.connection.getTokenSupply(assetMintOf(workspace_id, id), "confirmed")
  return context.slot < oldest ? null : { standing, accounts, upTo: null, supply: value.amount }
}

/**
 * Takes balances over from the chain once all accounts are frozen again and nothing is under way: from then on only
 * Vouch moves tokens, and its own books are right. Meanwhile nothing is admitted (`ruledBy`). If anything has changed
 * since the chain was asked, it is asked again. The configuration is locked.
 */
async function countBatch(
  sql: Queryable,
  due: Due,
  { config, count }: { config: ConfigRow; count: Count },
): Promise<void> {
  const { workspace_id, id } = due
  const standing = await readCountSnapshot(sql, due)
  if (standing?.version !== count.standing.version) return
  const holdings = await lockHoldings(
    sql,
    workspace_id,
    count.accounts.map(([place]) => place),
  )
  for (const [place, { amount }] of count.accounts) {
    const holding = holdings.of(place)
    holding.balance = amount
    if (holding.counted !== amount > 0n) config.holders += amount > 0n ? 1 : -1
    holding.counted = amount > 0n
  }
  await holdings.save(sql)
  const supply = count.supply ?? config.supply
  await sql`
    update mint_configs set holders = ${config.holders}, supply = ${supply}, issued = ${supply}, counted_up_to = ${count.upTo}
    where workspace_id = ${workspace_id} and id = ${id}`
}

export type ReconcileProgress = { accounts: number; remaining: number }

/** How far a configuration's accounts have come, for people who watch. */
export async function readReconcileProgress(
  workspaceId: string,
  configId: string,
): Promise<ReconcileProgress> {
  const rows = await sql<{ accounts: number; remaining: number }[]>`
    select (select count(*)::int from holdings where workspace_id = ${workspaceId} and mint_config = ${configId}) as accounts,
      (select count(*)::int from operations where workspace_id = ${workspaceId} and mint_config = ${configId}
        and kind in ('align_account', 'align_pause') and status in ('queued', 'submitted'))
      + coalesce((select (select count(*)::int from holdings h where h.workspace_id = c.workspace_id and h.mint_config = c.id
          and h.wallet > coalesce(c.aligned_up_to, c.counted_up_to))
        from mint_configs c where c.workspace_id = ${workspaceId} and c.id = ${configId}
          and (c.aligned_up_to is not null or c.counted_up_to is not null)), 0) as remaining`
  return only(rows)
}
