import type { Queryable } from "#db/client.ts"
import { assetMintOf } from "#domain/token-accounts"
import type { Carried } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { BaseUnits } from "#shared/amount.ts"
import { loadConfigs } from "../config.ts"
import { type HoldingKey, lockHoldings } from "../holder-facts.ts"
import type { TakenHolds } from "../operations/forced.ts"
import { bindHolds, type Taken } from "./bound-holds.ts"

type Operations = readonly { payload: TakenHolds }[]

/** What operations took out of holds, as arrays for a statement; null if none did. */
function takenBy(operations: Operations): { ids: string[]; amounts: string[] } | null {
  const sums = new Map<string, bigint>()
  for (const { id, amount } of operations.flatMap(({ payload: { holds = [] } }) => holds))
    sums.set(id, (sums.get(id) ?? 0n) + amount)
  return sums.size === 0 ? null : { ids: [...sums.keys()], amounts: [...sums.values()].map(String) }
}

/** Operations have landed: holds that hold nothing more end, by default as executed. The holdings are locked. */
export async function executeHolds(
  sql: Queryable,
  workspaceId: string,
  operations: Operations,
  state: "executed" | "released" | "expired" = "executed",
): Promise<void> {
  const taken = takenBy(operations)
  if (taken === null) return
  const { ids, amounts } = taken
  const isDone = sql`h.state = 'active' and h.remaining = 0 and h.taking = t.amount`
  await sql`
    update holds h set taking = h.taking - t.amount, state = case when ${isDone} then ${state} else h.state end,
      ended_at = case when ${isDone} then ${clock.now()} else h.ended_at end
    from unnest(${ids}::text[], ${amounts}::numeric[]) as t(id, amount)
    where h.workspace_id = ${workspaceId} and h.id = t.id`
}

/**
 * Operations have failed: holds get back what these took. What was taken out of a hold that has ended since is
 * available again. The holdings are locked and saved.
 */
export async function restoreHolds(sql: Queryable, workspaceId: string, operations: Operations): Promise<void> {
  const taken = takenBy(operations)
  if (taken === null) return
  const { ids, amounts } = taken
  await sql`
    with back as (
      update holds h set taking = h.taking - t.amount,
        remaining = h.remaining + case when h.state = 'active' then t.amount else 0 end
      from unnest(${ids}::text[], ${amounts}::numeric[]) as t(id, amount)
      where h.workspace_id = ${workspaceId} and h.id = t.id
      returning h.mint_config, h.wallet, case when h.state = 'active' then t.amount else 0 end as amount
    ), sums as (select mint_config, wallet, sum(amount) as amount from back group by mint_config, wallet)
    update holdings o set held = o.held + s.amount from sums s
    where o.workspace_id = ${workspaceId} and o.mint_config = s.mint_config and o.wallet = s.wallet`
}

/**
 * A recovery has landed: what it took out of holds is held in the new wallet, by the same holds. The holdings are locked
 * and saved.
 */
export async function moveHolds(
  sql: Queryable,
  workspaceId: string,
  operations: readonly { id: string; payload: TakenHolds & { wallet: Address } }[],
): Promise<void> {
  const moved = operations.flatMap(({ id, payload: { holds = [], wallet } }) =>
    holds.map((hold) => ({ id: hold.id, amount: String(hold.amount), wallet, operation: id })),
  )
  if (moved.length === 0) return
  await sql`
    with moved as (
      update holds h set taking = h.taking - t.amount,
        wallet = case when h.state = 'active' then t.wallet else h.wallet end,
        remaining = h.remaining + case when h.state = 'active' then t.amount else 0 end, operation_id = t.operation
      from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb)
        as t(id text, amount numeric, wallet text, operation text)
      where h.workspace_id = ${workspaceId} and h.id = t.id
      returning h.mint_config, t.wallet, t.operation, case when h.state = 'active' then t.amount else 0 end as amount
    ), sums as (
      select mint_config, wallet, sum(amount) as amount, max(operation) as operation from moved
      group by mint_config, wallet having sum(amount) > 0
    ), held as (
      update holdings o set held = o.held + s.amount, posted = o.posted + 1 from sums s
      where o.workspace_id = ${workspaceId} and o.mint_config = s.mint_config and o.wallet = s.wallet
      returning o.mint_config, o.wallet, o.posted, o.balance, o.held, s.amount, s.operation
    )
    insert into postings (workspace_id, mint_config, wallet, seq, held_delta, balance, held, operation_id)
    select ${workspaceId}, mint_config, wallet, posted, amount, balance, held, operation from held`
}

/** All that a wallet's holds in the books hold, taken by an operation that a restored database had lost. */
export async function allHolds(
  sql: Queryable,
  workspaceId: string,
  key: HoldingKey,
  operationId: string,
): Promise<TakenHolds> {
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holding = holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, { keys: [key], holdingOf: () => holding, now: clock.now() })
  const ids = holds.of(key).flatMap(({ id, account }) => (account === null ? [id] : []))
  const taken = holds.take(ids, holding.held, operationId, holding)
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  return taken.length > 0 ? { holds: taken } : {}
}

/**
 * An operation that a restored database had lost has taken tokens that its holds still claim. Which holds it named is
 * lost, too, so the oldest make way. In holder mode, holds are on chain.
 */
async function makeWay(sql: Queryable, workspaceId: string, key: HoldingKey, operationId: string): Promise<TakenHolds> {
  const config = (await loadConfigs(sql, workspaceId, [key.config], { lock: false })).get(key.config)
  if (config?.transfer_mode !== "agent") return {}
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holding = holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, { keys: [key], holdingOf: () => holding, now: clock.now() })
  const missing = holding.held - (holding.balance - holding.outgoing)
  if (missing <= 0n) return {}
  const ids = holds.of(key).flatMap(({ id, account }) => (account === null ? [id] : []))
  const taken = holds.take(ids, missing, operationId, holding)
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  return taken.length > 0 ? { holds: taken } : {}
}

/**
 * The same if the chain shows what came out of the hold account: named holds of a wallet, or its oldest, give it. Null if
 * they hold less.
 */
export async function takeFromAccount(
  sql: Queryable,
  workspaceId: string,
  key: HoldingKey,
  about: { account: Address; amount: bigint; operationId: string; only?: string },
): Promise<Taken[] | null> {
  const { account, amount, operationId, only } = about
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holding = holdings.of(key)
  const holds = await bindHolds(sql, workspaceId, { keys: [key], holdingOf: () => holding, now: clock.now() })
  const inAccount = holds.of(key).filter((hold) => hold.account === account && (only ?? hold.id) === hold.id)
  const ids = inAccount.map(({ id }) => id)
  const taken = holds.take(ids, amount, operationId, holding)
  if (taken.reduce((sum, one) => sum + one.amount, 0n) !== amount) return null
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  return taken
}

/**
 * The chain shows how much a hold held when it was carried. If a restored database says otherwise, it took a lost
 * operation's tokens out of another hold than that operation named, and both are corrected. Returns whether that explains
 * it.
 */
export async function correctHold(
  sql: Queryable,
  workspaceId: string,
  key: HoldingKey,
  { id, amount }: { id: string; amount: bigint },
): Promise<boolean> {
  const holdings = await lockHoldings(sql, workspaceId, [key])
  const holding = holdings.of(key)
  const about = { keys: [key], named: [id], holdingOf: () => holding, now: clock.now() }
  const holds = await bindHolds(sql, workspaceId, about)
  const isCorrect = holds.correct(id, amount, holding)
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  return isCorrect
}

/**
 * A lost operation moved a hold between two wallets' hold accounts: takes all of it, and notes where it is now. The hold
 * itself may be lost, too, or have ended in the restored database, which took other holds' tokens out of it. Null if the
 * chain shows something else.
 */
export async function takeMovedHold(
  sql: Queryable,
  workspaceId: string,
  from: HoldingKey,
  about: { holdId: string; operationId: string; amount: BaseUnits; accounts: { from: Address; to: Address } },
): Promise<Taken[] | null> {
  const { holdId, operationId, amount, accounts } = about
  // The chain does not show why it is held, or until when.
  const lost = { reason_code: "other", reference: "Restored from the chain" }
  await sql`
    insert into holds (workspace_id, id, mint_config, wallet, amount, remaining, state, reason_code, reference, account,
      created_at)
    values (${workspaceId}, ${holdId}, ${from.config}, ${from.wallet}, ${String(amount)}, 0, 'active', ${lost.reason_code},
      ${lost.reference}, ${accounts.from}, ${clock.now()})
    on conflict (workspace_id, id) do update set state = 'active', ended_at = null, remaining = 0
      where holds.mint_config = excluded.mint_config and holds.wallet = excluded.wallet
        and holds.account = excluded.account and holds.state = 'executed'`
  const holdings = await lockHoldings(sql, workspaceId, [from])
  const holding = holdings.of(from)
  const bound = { keys: [from], named: [holdId], holdingOf: () => holding, now: clock.now() }
  const holds = await bindHolds(sql, workspaceId, bound)
  if (holds.get(holdId)?.account !== accounts.from || !holds.correct(holdId, amount, holding)) return null
  const taken = holds.take([holdId], amount, operationId, holding)
  if (taken[0]?.amount !== amount) return null
  await holds.save(sql, workspaceId)
  await holdings.save(sql)
  await sql`
    update holds set next_account = ${accounts.to} where workspace_id = ${workspaceId} and id = ${holdId}`
  return taken
}

/**
 * What a lost operation took out of a wallet, and out of which holds. Holds make way for what came out of the main
 * account. Null if the chain shows something else.
 */
export async function takenOnChain(
  sql: Queryable,
  workspaceId: string,
  key: HoldingKey,
  { id, accounts, amount, more }: Pick<Carried, "id" | "accounts" | "amount" | "more">,
): Promise<TakenHolds | null> {
  const main = addressOf(tokenAccountOf(assetMintOf(workspaceId, key.config), publicKeyOf(key.wallet)))
  const outOfHolds = [{ accounts, amount: amount! }, ...more].filter((one) => one.accounts[0] !== main)
  const holds: Taken[] = []
  for (const one of outOfHolds) {
    const about = { account: one.accounts[0]!, amount: one.amount, operationId: id }
    const taken = await takeFromAccount(sql, workspaceId, key, about)
    if (taken === null) return null
    holds.push(...taken)
  }
  return holds.length > 0 ? { holds } : makeWay(sql, workspaceId, key, id)
}
