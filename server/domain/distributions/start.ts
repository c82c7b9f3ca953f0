import { repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Decided, dropApproval, type Replay, underPolicy } from "#domain/approvals"
import { type Author, recordChange } from "#domain/audit-log"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { recipientRefusals } from "#domain/tokens"
import { readTreasury } from "#domain/treasury"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits } from "#shared/amount.ts"
import { fail } from "#shared/errors.ts"
import { adoptOperations } from "./adopt.ts"
import { completeIfDone } from "./complete.ts"
import { type DistributionRecord, type DistributionRow, findDistribution } from "./distribution.ts"
import { pausing } from "./pausing.ts"
import { settled } from "./payout.ts"
import { readDistribution } from "./read.ts"

type Act = Command & { id: string }

const ended = ({ id, state }: DistributionRow): never => {
  const next = state === "completed" ? "Release or retry its payouts, or create" : "Create"
  return fail("distribution_ended", `id: ${id} is ${state}. ${next} another distribution.`)
}

/**
 * Starts a draft, or carries on with a paused one. A policy may require the approval of further members. Errors:
 * distribution_not_found, distribution_ended, treasury_insufficient, treasury_frozen, treasury_shared,
 * payment_mint_refused, approver_missing, chain_not_configured, chain_unavailable.
 */
export async function startDistribution({ id, ...command }: Act & { replay?: Replay }): Promise<DistributionRecord> {
  const { principal, requestId, idempotency, replay } = command
  const { workspaceId } = principal
  if (idempotency?.begun) return readDistribution(principal, idempotency.begun)
  const before = await findDistribution(sql, workspaceId, id)
  await adoptOperations(sql, workspaceId, id)
  // An approved one pauses itself instead.
  if (before.state === "draft" || before.state === "paused") await requireFunds(principal, before)
  const author = { principal, requestId }
  await repeatOnDeadlock(() =>
    sql.begin(async (sql) => {
      const row = await findDistribution(sql, workspaceId, id, { lock: true })
      const { state } = row
      if (state === "completed" || state === "cancelled") ended(row)
      if (idempotency) await claimKey(sql, idempotency, id)
      if (state === "paused") return resume(sql, author, row)
      if (state === "draft" || (state === "awaiting_approval" && replay)) await decide(sql, { author, row, replay })
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
  return readDistribution(principal, id)
}

type Deciding = { author: Author; row: DistributionRow; replay: Replay | undefined }

/** Begins to pay, or asks for approval. New tokens also need what a policy about mints requires. */
async function decide(sql: Transaction, { author, row, replay }: Deciding): Promise<void> {
  const { workspace_id: workspaceId, id, settlement, mint_config, decimals } = row
  const amount = fromBaseUnits(BigInt(row.allocated), decimals)
  const request = {
    ...{ distribution_id: id, mint_config, settlement, amount, payouts: row.payouts },
    ...(row.payment_mint && { payment_mint: row.payment_mint }),
    ...{ reason_code: row.reason_code, reference: row.reference },
  }
  const also = settlement === "in_kind" ? (["mint"] as const) : []
  // Its amounts never change, so nothing else identifies what is approved.
  const bound = { action: "distribution", subject: id, request, rules: "", also, mint_config, amount } as const
  const decided: Decided<void> = await underPolicy(
    sql,
    workspaceId,
    { ...bound, author, idempotency: null, replay },
    (sql) => begin(sql, author, row),
  )
  if ("waits" in decided)
    await sql`
      update distributions set state = 'awaiting_approval', approval_id = ${decided.waits.id}
      where workspace_id = ${workspaceId} and id = ${id}`
}

/** Who may receive is checked when it is paid. What is paid elsewhere is never checked again. */
async function begin(sql: Transaction, author: Author, row: DistributionRow): Promise<void> {
  const { workspace_id: workspaceId, id, settlement } = row
  await sql`
    update payouts set withheld_code = null, withheld_detail = null
    where workspace_id = ${workspaceId} and distribution_id = ${id} and withheld_code is not null and paid_at is null`
  if (settlement === "external") await withhold(sql, row)
  await sql`
    update distributions set state = 'paying', started_at = ${clock.now()} where workspace_id = ${workspaceId} and id = ${id}`
  await recordChange(sql, workspaceId, { author, action: "distribution.started", subject: id })
  if (settlement === "external") await completeIfDone(sql, workspaceId, id)
}

const BATCH = 1000

async function withhold(sql: Transaction, { workspace_id: workspaceId, id, mint_config }: DistributionRow) {
  let after = ""
  for (;;) {
    const rows = await sql<{ wallet: Address }[]>`
      select wallet from payouts
      where workspace_id = ${workspaceId} and distribution_id = ${id} and wallet > ${after} and paid_at is null
      order by wallet limit ${BATCH}`
    if (rows.length === 0) return
    after = rows.at(-1)!.wallet
    const wallets = rows.map(({ wallet }) => wallet)
    const refusals = [...(await recipientRefusals(sql, workspaceId, mint_config, wallets))]
    await sql`
      update payouts p set withheld_code = t.code, withheld_detail = t.detail
      from unnest(${refusals.map(([wallet]) => wallet)}::text[], ${refusals.map(([, { code }]) => code)}::text[],
        ${refusals.map(([, { detail }]) => detail)}::text[]) as t(wallet, code, detail)
      where p.workspace_id = ${workspaceId} and p.distribution_id = ${id} and p.wallet = t.wallet`
  }
}

/** Pays what the pause kept from beginning, and what failed because of the pause's reason. */
async function resume(sql: Transaction, author: Author, { workspace_id, id }: DistributionRow): Promise<void> {
  await sql`
    update payouts p set operation_id = null from operations o
    where p.workspace_id = ${workspace_id} and p.distribution_id = ${id} and o.workspace_id = p.workspace_id
      and o.id = p.operation_id and o.status = 'failed' and o.error_code = any(${pausing as string[]})`
  await sql`
    update distributions set state = 'paying', pause_code = null, pause_detail = null
    where workspace_id = ${workspace_id} and id = ${id}`
  await recordChange(sql, workspace_id, { author, action: "distribution.resumed", subject: id })
}

/** Errors: treasury_insufficient, treasury_frozen, treasury_shared, payment_mint_refused, and those of the chain. */
async function requireFunds(principal: Principal, row: DistributionRow): Promise<void> {
  const { workspace_id, id, settlement, payment_mint, decimals } = row
  if (settlement !== "stablecoin") return
  const { balances } = await readTreasury(principal)
  const found = balances.find(({ mint }) => mint === payment_mint)
  if (!found || found.refused !== null)
    return fail(
      "payment_mint_refused",
      `Vouch does not pay with ${payment_mint}: ${found ? found.refused : "the deployment's settings do not list it"}.`,
    )
  if (found.frozen)
    fail("treasury_frozen", `The issuer of ${payment_mint} has frozen the treasury's account ${found.token_account}.`)
  const [owed] = await sql<{ amount: string }[]>`
    select coalesce(sum(p.amount), 0)::text as amount from (${settled(sql, workspace_id, sql`p.distribution_id = ${id}`)}) p
    where p.status in ('pending', 'withheld', 'failed')`
  const [needed, left] = [BigInt(owed!.amount), unitsOf(found.balance, decimals)]
  if (needed > left)
    fail(
      "treasury_insufficient",
      `The treasury's account ${found.token_account} lacks ${fromBaseUnits(needed - left, decimals)}: the distribution needs ${fromBaseUnits(needed, decimals)}, and ${found.balance} is there. Fund the account.`,
    )
}

const unitsOf = (amount: string, decimals: number): bigint => {
  const [whole = "", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}

/** Stops new payouts. What has begun ends. Errors: distribution_not_found, distribution_ended, distribution_not_paying. */
export const pauseDistribution = (act: Act): Promise<DistributionRecord> =>
  change(act, async (sql, author, row) => {
    const { workspace_id, id, state } = row
    if (state === "paused") return
    if (state === "completed" || state === "cancelled") ended(row)
    if (state !== "paying")
      fail("distribution_not_paying", `id: ${id} is ${state === "draft" ? "a draft" : "waiting for approval"}.`)
    await sql`update distributions set state = 'paused' where workspace_id = ${workspace_id} and id = ${id}`
    await recordChange(sql, workspace_id, { author, action: "distribution.paused", subject: id })
  })

/** Ends a distribution. What has begun ends, and nothing else is paid. Errors: distribution_not_found, distribution_ended. */
export const cancelDistribution = (act: Act): Promise<DistributionRecord> =>
  change(act, async (sql, author, row) => {
    const { workspace_id: workspaceId, id, state, approval_id: approvalId } = row
    if (state === "completed" || state === "cancelled") ended(row)
    if (state === "awaiting_approval" && approvalId !== null)
      await dropApproval(sql, author, { workspaceId, approvalId, reason: "The distribution was cancelled." })
    await adoptOperations(sql, workspaceId, id)
    await sql`
      update distributions set state = 'cancelled', pause_code = null, pause_detail = null, ended_at = ${clock.now()}
      where workspace_id = ${workspaceId} and id = ${id}`
    await recordChange(sql, workspaceId, { author, action: "distribution.cancelled", subject: id })
  })

async function change(
  { principal, requestId, idempotency, id }: Act,
  act: (sql: Transaction, author: Author, row: DistributionRow) => Promise<void>,
): Promise<DistributionRecord> {
  const { workspaceId } = principal
  if (idempotency?.begun) return readDistribution(principal, idempotency.begun)
  await sql.begin(async (sql) => {
    const row = await findDistribution(sql, workspaceId, id, { lock: true })
    await act(sql, { principal, requestId }, row)
    if (idempotency) await claimKey(sql, idempotency, id)
  })
  publishActivity(workspaceId)
  return readDistribution(principal, id)
}
