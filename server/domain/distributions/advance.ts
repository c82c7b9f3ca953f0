import { type Queryable, repeatOnDeadlock, background as sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { budgetRefusal } from "#domain/accounts"
import { type Change, recordChange, vouch } from "#domain/audit-log"
import { mintPayouts, operationsOfPayouts, recipientRefusals } from "#domain/tokens"
import { enqueuePayments } from "#domain/treasury"
import { type Refusal, refuseInQuarantine } from "#server/ledger/index.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { readBaseUnits } from "#shared/amount.ts"
import { completeIfDone } from "./complete.ts"
import { type DistributionRow, findDistribution } from "./distribution.ts"
import { pausing } from "./pausing.ts"

/** How many distributions to carry on with in one pass. The next pass goes on after them. */
const DISTRIBUTIONS = 20
/** How many payouts of a workspace may be on their way: a pause stops the rest, and memory stays flat. */
const MOST_IN_FLIGHT = 256
/** How many payouts begin in one commit. */
const BATCH = 128
/** How far back to look for refusals that pause a distribution. A pass takes far less. */
const LOOK_BACK_SECONDS = 30

let lastSeq = 0n

type Due = Pick<DistributionRow, "workspace_id" | "id" | "seq">

/**
 * Pays what distributions owe, a bounded number of payouts at a time, and completes those of which nothing is left. Each
 * payout's operation is queued in the commit that notes it, so a process may end at any moment.
 */
export async function advanceDistributions(): Promise<void> {
  const due = await sql<Due[]>`
    select workspace_id, id, seq from distributions where state = 'paying' and seq > ${lastSeq}
    order by seq limit ${DISTRIBUTIONS}`
  lastSeq = due.length < DISTRIBUTIONS ? 0n : due.at(-1)!.seq
  for (const one of due) {
    try {
      while (await step(one));
    } catch (error) {
      const { workspace_id: workspaceId, id: distribution } = one
      logger.warn({ err: error, workspaceId, distribution }, "a distribution waits; trying again")
    }
  }
}

/** Begins the next payouts. Returns whether to look for more at once. */
async function step({ workspace_id: workspaceId, id }: Due): Promise<boolean> {
  const begun = await repeatOnDeadlock(() =>
    sql.begin(async (sql: Transaction): Promise<{ queued: number; isFull: boolean; isChanged: boolean }> => {
      const nothing = { queued: 0, isFull: false, isChanged: false }
      // Two workers never act for the same one at the same time, and a pause waits until this commit.
      const held = await sql`
        select from distributions where workspace_id = ${workspaceId} and id = ${id} and state = 'paying'
        for update skip locked`
      if (held.length === 0) return nothing
      const row = await findDistribution(sql, workspaceId, id)
      const refusal = await recentRefusal(sql, row)
      if (refusal) return { ...nothing, isChanged: await pause(sql, row, refusal) }
      const batch = row.settlement === "external" ? [] : await nextOf(sql, row)
      if (batch.length === 0) return { ...nothing, isChanged: await completeIfDone(sql, workspaceId, id) }
      // Mints ask this themselves.
      const overBudget = row.settlement === "stablecoin" ? await budgetRefusal(sql, workspaceId) : null
      if (overBudget) return { ...nothing, isChanged: await pause(sql, row, overBudget) }
      // A restored database may not know yet what was paid.
      await refuseInQuarantine(sql, workspaceId)
      return { ...(await begin(sql, row, batch)), isChanged: true }
    }),
  )
  if (begun.queued > 0) publish("ledger")
  if (begun.isChanged) publishActivity(workspaceId)
  return begun.isFull
}

type Next = { id: string; wallet: Address; amount: string; recovered_to: Address | null }

/**
 * The next payouts, as many as may begin. A wallet that was lost and recovered is paid in the wallet that replaced it, if
 * both are still one person's.
 */
async function nextOf(sql: Queryable, { workspace_id, id }: DistributionRow): Promise<Next[]> {
  return sql<Next[]>`
    with recursive room as (
      select greatest(0, least(${BATCH}::int, ${MOST_IN_FLIGHT} - count(*)))::int as n from operations
      where workspace_id = ${workspace_id} and status in ('queued', 'submitted') and payload ->> 'payout_id' is not null
    ), next as materialized (
      select p.id, p.wallet, p.amount from payouts p
      where p.workspace_id = ${workspace_id} and p.distribution_id = ${id} and p.operation_id is null
        and p.withheld_code is null and p.paid_at is null
      order by p.wallet limit (select n from room)
    ), replaced(id, wallet, steps) as (
      select id, wallet, 0 from next
      union all
      select t.id, r.new_wallet, t.steps + 1 from replaced t join recoveries r on r.workspace_id = ${workspace_id}
        and r.lost_wallet = t.wallet and r.state = 'completed' and r.barred_at is not null
      where t.steps < 10 and (select investor_id from wallet_owner(${workspace_id}, r.lost_wallet)) =
        (select investor_id from wallet_owner(${workspace_id}, r.new_wallet))
    )
    select n.id, n.wallet, n.amount::text, nullif(
      (select t.wallet from replaced t where t.id = n.id order by t.steps desc limit 1), n.wallet) as recovered_to
    from next n order by n.wallet`
}

/** Begins payouts, or withholds them. `isFull`: the batch was, so others can wait behind it. */
async function begin(
  sql: Transaction,
  row: DistributionRow,
  batch: readonly Next[],
): Promise<{ queued: number; isFull: boolean }> {
  const { workspace_id: workspaceId, mint_config, payment_mint: mint } = row
  const isFull = batch.length === BATCH
  // What a restore found on chain has been paid already.
  const known = await operationsOfPayouts(
    sql,
    workspaceId,
    batch.map(({ id }) => id),
  )
  const payouts = batch.map(({ id, wallet, amount, recovered_to }) => ({
    ...{ payoutId: id, wallet: recovered_to ?? wallet, amount: readBaseUnits(amount), paidTo: recovered_to },
  }))
  const unpaid = payouts.filter(({ payoutId }) => !known.has(payoutId))
  const outcomes = new Map<string, Outcome>([...known].map(([payoutId, operationId]) => [payoutId, { operationId }]))
  if (mint === null) {
    const minted = await mintPayouts(sql, workspaceId, mint_config, unpaid)
    for (const [i, { payoutId }] of unpaid.entries()) outcomes.set(payoutId, minted[i]!)
  } else {
    const wallets = unpaid.map(({ wallet }) => wallet)
    const refusals = await recipientRefusals(sql, workspaceId, mint_config, wallets)
    for (const { payoutId, wallet } of unpaid)
      if (refusals.has(wallet)) outcomes.set(payoutId, { refusal: refusals.get(wallet)! })
    const payable = unpaid
      .filter(({ payoutId }) => !outcomes.has(payoutId))
      .map((one) => ({ ...one, mintConfig: mint_config, mint }))
    for (const [payoutId, operationId] of await enqueuePayments(sql, workspaceId, payable))
      outcomes.set(payoutId, { operationId })
  }
  const stopping = [...outcomes.values()].find((one) => "refusal" in one && pausing.includes(one.refusal.code))
  if (stopping && "refusal" in stopping) await pause(sql, row, stopping.refusal)
  const noted = payouts.flatMap(({ payoutId, paidTo }) => {
    const outcome = outcomes.get(payoutId)!
    // It stays as it is until the distribution carries on.
    if ("refusal" in outcome && pausing.includes(outcome.refusal.code)) return []
    return [{ payoutId, paidTo, ...outcome }]
  })
  await note(sql, workspaceId, noted)
  return { queued: outcomes.size, isFull: isFull && !stopping }
}

type Outcome = { operationId: string } | { refusal: Refusal }

async function note(
  sql: Queryable,
  workspaceId: string,
  noted: readonly ({ payoutId: string; paidTo: Address | null } & Outcome)[],
): Promise<void> {
  const refusalOf = (one: Outcome) => ("refusal" in one ? one.refusal : null)
  await sql`
    update payouts p set operation_id = t.operation_id, paid_to = t.paid_to, withheld_code = t.code,
      withheld_detail = t.detail
    from unnest(${noted.map(({ payoutId }) => payoutId)}::text[],
      ${noted.map((one) => ("operationId" in one ? one.operationId : null))}::text[],
      ${noted.map(({ paidTo }) => paidTo)}::text[],
      ${noted.map((one) => refusalOf(one)?.code ?? null)}::text[],
      ${noted.map((one) => refusalOf(one)?.detail ?? null)}::text[]) as t(id, operation_id, paid_to, code, detail)
    where p.workspace_id = ${workspaceId} and p.id = t.id`
}

/** A refusal of one of its operations just now that all others would get, too. */
async function recentRefusal(sql: Queryable, { workspace_id, id }: DistributionRow): Promise<Refusal | null> {
  const [found] = await sql<Refusal[]>`
    select o.error_code as code, o.error_detail as detail from operations o
    join payouts p on p.workspace_id = o.workspace_id and p.operation_id = o.id and p.id = o.payload ->> 'payout_id'
    where o.workspace_id = ${workspace_id} and o.finished_at > ${addSeconds(clock.now(), -LOOK_BACK_SECONDS)}
      and o.status = 'failed' and o.error_code = any(${pausing as string[]}) and p.distribution_id = ${id} limit 1`
  return found ?? null
}

async function pause(sql: Queryable, { workspace_id, id }: DistributionRow, { code, detail }: Refusal): Promise<true> {
  await sql`
    update distributions set state = 'paused', pause_code = ${code}, pause_detail = ${detail}
    where workspace_id = ${workspace_id} and id = ${id} and state = 'paying'`
  const about: Change = { author: vouch, action: "distribution.paused", subject: id, detail: { error: code } }
  await recordChange(sql, workspace_id, about)
  return true
}
