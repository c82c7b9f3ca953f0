import { isDeepStrictEqual } from "node:util"
import { type Queryable, background as sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { only } from "#db/rows.ts"
import { deployment } from "#domain/deployment"
import { assetMintOf, enqueueReconcile } from "#domain/token-accounts"
import { countInvestors } from "#domain/token-investors"
import { askQuorum, serverRun, voidPlans } from "#server/ledger/index.ts"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { readSupply } from "#server/solana/mint-account.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"
import { type AssetAccount, lastLandingOnAccounts, readAccounts } from "./account-states.ts"
import { type ConfigRow, loadConfigs } from "./config.ts"
import { type HoldingKey, lockHoldings } from "./holder-facts.ts"
import { namesMint } from "./holder-movements/followed.ts"
import { takeBackMovements } from "./holder-movements/take-back.ts"
import { areCarried, carryHolds } from "./holds/carry.ts"
import { followPause, startReconciling } from "./pause.ts"

// Reconciling accounts. The target state of each is decided when its operation is built
// (`operations/reconcile-account.ts`), so it is enough to enqueue every account whose state may have to change.

/** The most accounts to check in one commit. */
const BATCH = 100

/** Log throttle by configuration, because nodes may contradict each other for long. */
const failing = new Backoff({ firstMs: 500, longestMs: 10_000 })

type Due = { workspace_id: string; id: string; mode: Mode }

/**
 * Continues with configurations whose accounts are being reconciled, one batch each. The cursor is committed with each
 * batch, so any process can continue. One that fails delays no other. A restored database waits until it has been compared
 * with the chain: what it still lacks may have taken from a hold. Returns whether there was anything to do.
 */
export async function reconcileDue(): Promise<boolean> {
  const due = await sql<Due[]>`
    select c.workspace_id, c.id, w.mode from mint_configs c join workspaces w on w.id = c.workspace_id
    where (c.aligned_up_to is not null or c.counted_up_to is not null or c.next_transfer_mode is not null)
      and not exists (select from chains n where n.mode = w.mode and n.server is distinct from ${serverRun(sql)})`
  for (const one of due) {
    const name = `${one.workspace_id}/${one.id}`
    if (failing.isHeld(name)) continue
    try {
      await goOn(one)
      failing.succeeded(name)
      publishActivity(one.workspace_id)
    } catch (error) {
      failing.failed(name)
      const about = { err: error, workspaceId: one.workspace_id, mintConfig: one.id }
      logger.warn(about, "reconciling accounts failed; retrying later")
    }
  }
  if (due.length > 0) publish("ledger")
  return due.length > 0
}

async function goOn(due: Due): Promise<void> {
  const count = await readCount(due)
  const problem = await sql.begin(async (sql) => {
    const config = (await loadConfigs(sql, due.workspace_id, [due.id], { lock: true })).get(due.id)
    if (config && config.aligned_up_to !== null) await reconcileBatch(sql, due, config.aligned_up_to)
    else if (config && config.next_transfer_mode !== null) await goOnToNextMode(sql, due, config)
    else if (config && config.counted_up_to !== null && config.transfer_mode === "holder")
      // The mode was changed back in the meantime. Holders move tokens again, so the books do not count.
      await sql`update mint_configs set counted_up_to = null where workspace_id = ${due.workspace_id} and id = ${due.id}`
    else if (config && config.counted_up_to !== null) {
      if (!(await areCarried(sql, due.workspace_id, due.id, "main")))
        await carryHolds(sql, due.workspace_id, config, "main")
      else if (count) return countBatch(sql, due, { config, count })
    }
    return null
  })
  if (problem !== null) throw new Error(problem)
}

/**
 * Carries holds into their accounts in agent mode. Once all are there, the next mode binds and accounts are opened. If the
 * mode was changed back, balances were not counted yet. In holder mode that is not needed.
 */
async function goOnToNextMode(sql: Queryable, { workspace_id, id }: Due, config: ConfigRow): Promise<void> {
  if (!(await areCarried(sql, workspace_id, id, "account"))) return carryHolds(sql, workspace_id, config, "account")
  const transfer_mode = config.next_transfer_mode!
  await sql`
    update mint_configs set transfer_mode = ${transfer_mode}, next_transfer_mode = null, counted_up_to = null
    where workspace_id = ${workspace_id} and id = ${id}`
  await voidPlans(sql, workspace_id)
  // A pause that was only in the books. The mint is paused before any account is opened.
  if (config.paused) await followPause(sql, workspace_id, { ...config, transfer_mode })
  await startReconciling(sql, workspace_id, id)
}

async function reconcileBatch(sql: Queryable, { workspace_id, id }: Due, after: string): Promise<void> {
  const rows = await sql<{ wallet: Address }[]>`
    select wallet from holdings where workspace_id = ${workspace_id} and mint_config = ${id} and wallet > ${after}
    order by wallet limit ${BATCH}`
  for (const { wallet } of rows) await enqueueReconcile(sql, workspace_id, id, wallet)
  const upTo = rows.length < BATCH ? null : rows.at(-1)!.wallet
  // An account may have been open since the last count began.
  await sql`
    update holder_periods set counted_slot = null
    where workspace_id = ${workspace_id} and mint_config = ${id} and until is null and counted_slot is not null`
  await sql`update mint_configs set aligned_up_to = ${upTo} where workspace_id = ${workspace_id} and id = ${id}`
}

/** The next wallets to count on chain, and the version of the configuration's row before the chain was read. */
type Count = {
  version: string
  accounts: (AssetAccount & { key: HoldingKey })[]
  /** The last of them; null if there are no more. */
  upTo: string | null
  /** Supply of the whole mint, in base units; null if more wallets follow. */
  supply: string | null
}

/** What must not change while the chain is read. */
type CountSnapshot = { counted_up_to: string; version: string }

/**
 * The progress of the count, and the version of the configuration's row, which every new mint or transfer changes. Null
 * while something is unfinished or may still vanish, and if there is nothing to count.
 */
async function readCountSnapshot(sql: Queryable, { workspace_id, id, mode }: Due): Promise<CountSnapshot | null> {
  const [row] = await sql<CountSnapshot[]>`
    select c.counted_up_to, c.xmin::text as version
    from mint_configs c
    where c.workspace_id = ${workspace_id} and c.id = ${id} and c.aligned_up_to is null and c.counted_up_to is not null
      and c.transfer_mode = 'agent' and c.next_transfer_mode is null
      and not exists (select from holds h where h.workspace_id = c.workspace_id and h.mint_config = c.id
        and h.state = 'active' and h.account is not null)
      and not exists (select from operations o
        where o.workspace_id = c.workspace_id and o.mint_config = c.id and o.status in ('queued', 'submitted')
          and ${namesMint(sql)})
      and not exists (select from transactions t join operations o on o.workspace_id = t.workspace_id and o.signature = t.signature
        where t.workspace_id = c.workspace_id and t.mode = ${mode} and t.status = 'confirmed' and t.finalized_at is null
          and o.mint_config = c.id and ${namesMint(sql)})`
  return row ?? null
}

/**
 * The slot as of which balances are counted. All accounts are already frozen then, so holders move nothing after it. It is
 * chosen once for all batches. Null until what they moved up to it is recorded, so that it can be taken back.
 */
async function readCountedSlot({ workspace_id, id }: Due, version: string, rpc: Rpc): Promise<number | null> {
  const ofPeriod = sql`workspace_id = ${workspace_id} and mint_config = ${id} and until is null`
  const [period] = await sql<{ counted_slot: bigint | null; followed_slot: bigint | null; is_lost: boolean }[]>`
    select counted_slot, followed_slot, lost_at is not null as is_lost from holder_periods where ${ofPeriod}`
  if (!period) return 0
  const { counted_slot, followed_slot, is_lost } = period
  if (counted_slot === null) {
    const { slot } = await rpc.finalizedHeight()
    await sql`
      update holder_periods set counted_slot = ${slot} where ${ofPeriod} and exists (select from mint_configs c
        where c.workspace_id = ${workspace_id} and c.id = ${id} and c.xmin::text = ${version})`
    return null
  }
  const isRecorded = is_lost || (followed_slot !== null && followed_slot >= counted_slot)
  return isRecorded ? Number(counted_slot) : null
}

/**
 * Reads what the next wallets hold on chain, finalized, as of a slot by which everything is settled. Limits depend on
 * it, so two nodes must agree if there are two. Nothing is locked. Null if there is nothing to count now.
 */
async function readCount(due: Due): Promise<Count | null> {
  const { workspace_id, id, mode } = due
  const chain = deployment.chains[mode]
  const snapshot = await readCountSnapshot(sql, due)
  if (!chain || !snapshot) return null
  const slot = await readCountedSlot(due, snapshot.version, chain.rpc)
  if (slot === null) return null
  const rows = await sql<{ wallet: Address }[]>`
    select wallet from holdings
    where workspace_id = ${workspace_id} and mint_config = ${id} and wallet > ${snapshot.counted_up_to}
    order by wallet limit ${BATCH}`
  const keys = rows.map(({ wallet }) => ({ config: id, wallet }))
  const since = Math.max(slot, await lastLandingOnAccounts(sql, workspace_id, keys))
  const options = { since, commitment: "finalized" } as const
  const upTo = rows.length === BATCH ? rows.at(-1)!.wallet : null
  const [first, second = first] = await askQuorum(chain.rpc, async (rpc) => {
    const { accounts } = await readAccounts({ workspaceId: workspace_id, rpc }, keys, options)
    // Holders can burn their tokens.
    const supply = upTo === null ? await readSupply(rpc, assetMintOf(workspace_id, id), options) : null
    return { accounts: keys.map((key, i) => ({ key, ...accounts[i]! })), supply: supply?.toString() ?? null }
  })
  if (!isDeepStrictEqual(first, second)) throw new Error(`Two nodes report different balances of ${id}.`)
  return { version: snapshot.version, ...first!, upTo }
}

/**
 * Takes balances over from the chain once all accounts are frozen again and nothing is unfinished. From then on only
 * Vouch moves tokens, and its books are right. Until then, mints and transfers are refused as if the token were paused
 * (`rulesOf`). If anything has changed since the chain was read, it is read again. The caller has locked the
 * configuration. Returns why it starts again, or null.
 */
async function countBatch(
  sql: Queryable,
  due: Due,
  { config, count }: { config: ConfigRow; count: Count },
): Promise<string | null> {
  const { workspace_id, id } = due
  const snapshot = await readCountSnapshot(sql, due)
  if (snapshot?.version !== count.version) return null
  const keys = count.accounts.map(({ key }) => key)
  const holdings = await lockHoldings(sql, workspace_id, keys)
  if (count.accounts.some(({ state }) => state === "thawed")) {
    await sql`
      update mint_configs set aligned_up_to = '', counted_up_to = '' where workspace_id = ${workspace_id} and id = ${id}`
    return "An account is not frozen, so all are checked again."
  }
  const gained = new Map<Address, bigint>()
  for (const { key, amount } of count.accounts) {
    const holding = holdings.of(key)
    gained.set(key.wallet, amount - holding.balance)
    holding.balance = amount
    if (holding.hasSlot !== amount > 0n) config.holders += amount > 0n ? 1 : -1
    holding.hasSlot = amount > 0n
  }
  await holdings.save(sql)
  await takeBackMovements(sql, { workspaceId: workspace_id, mintConfig: id, gained, isLast: count.upTo === null })
  if (count.supply !== null && !(await isAll(sql, due, count.supply))) {
    await sql`
      update mint_configs set holders = ${config.holders}, counted_up_to = '' where workspace_id = ${workspace_id} and id = ${id}`
    return `Balances do not add up to the supply of ${count.supply}, so they are counted again.`
  }
  const supply = count.supply ?? config.supply
  await sql`
    update mint_configs set holders = ${config.holders}, supply = ${supply}, issued = ${supply}, counted_up_to = ${count.upTo}
    where workspace_id = ${workspace_id} and id = ${id}`
  if (count.upTo === null && config.investors !== null) await countInvestors(sql, workspace_id, config)
  return null
}

/** Whether all balances add up to the supply. Accounts are created frozen, so no tokens can be elsewhere. */
async function isAll(sql: Queryable, { workspace_id, id }: Due, supply: string): Promise<boolean> {
  const rows = await sql<{ is_all: boolean }[]>`
    select coalesce(sum(balance), 0) = ${supply}::numeric as is_all from holdings
    where workspace_id = ${workspace_id} and mint_config = ${id}`
  return only(rows).is_all
}

/** How many accounts are left. `waits`: holds are carried once the token is unpaused. */
export async function readReconcileProgress(workspaceId: string, configId: string) {
  const rows = await sql<{ accounts: number; remaining: number; waits: boolean }[]>`
    select exists (select from mint_configs c
        where c.workspace_id = ${workspaceId} and c.id = ${configId} and c.paused and c.aligned_up_to is null
          and (c.next_transfer_mode is not null or (c.counted_up_to is not null and exists (select from holds h
            where h.workspace_id = c.workspace_id and h.mint_config = c.id and h.state = 'active'
              and h.account is not null)))) as waits,
      (select count(*)::int from holdings where workspace_id = ${workspaceId} and mint_config = ${configId}) as accounts,
      (select count(*)::int from operations where workspace_id = ${workspaceId} and mint_config = ${configId}
        and kind in ('align_account', 'align_pause', 'carry_hold') and status in ('queued', 'submitted'))
      + coalesce((select (select count(*)::int from holdings h where h.workspace_id = c.workspace_id and h.mint_config = c.id
          and h.wallet > coalesce(c.aligned_up_to, c.counted_up_to, ''))
        from mint_configs c where c.workspace_id = ${workspaceId} and c.id = ${configId}
          and (c.aligned_up_to is not null or c.counted_up_to is not null or c.next_transfer_mode is not null)), 0) as remaining`
  return only(rows)
}
