import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { budgetRefusal } from "#domain/accounts"
import { loadBinding, missingApprovers, type Policy, requesterOf } from "#domain/approvals"
import { chainOf } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { loadListed } from "#domain/screening"
import { ownAmong } from "#domain/token-accounts"
import { readQuarantine, whyStopped } from "#server/ledger/index.ts"
import { amountText, timestamp } from "#server/lib/fields.ts"
import { clock, toTimestamp } from "#server/lib/time.ts"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import { approverRoles } from "#shared/approvals.ts"
import { type Failure, statusOf } from "#shared/errors.ts"
import { endsOf } from "#shared/movements.ts"
import { findings, firstViolation, firstViolationAtSigning } from "#shared/rules/check.ts"
import { boundBy, type TransferContext } from "#shared/rules/define.ts"
import { lockedOf } from "#shared/rules/locked.ts"
import { ruleCodes } from "#shared/rules/rules.ts"
import { type ConfigRow, invalidAmount, loadConfigs, type RequestRefusal, refuse, unknownConfig } from "./config.ts"
import { disclosureFor, type HoldingKey, loadLosses, loadStandings, readHoldings } from "./holder-facts.ts"
import { availability } from "./holds/available.ts"
import { bindHolds } from "./holds/bound-holds.ts"
import { refusalOfNamed } from "./holds/named-holds.ts"
import { loadInvestors, withKey } from "./investors.ts"
import { loadUnlocked } from "./lots/unlocked.ts"
import { giverOf } from "./reserved.ts"
import { ownReceiver, policyOf, type TokenRequest } from "./token-request.ts"
import { transferContext } from "./transfer-context.ts"

/** `isApproved`: the members have approved it, so that it needs no approval any more. */
export type Intent = Pick<
  TokenRequest,
  "config" | "movement" | "amount" | "holds" | "executes" | "whilePaused" | "lot"
> &
  ({ isApproved: true } | { isApproved: false; forced: { holder_consent: boolean } | null })

const finding = z
  .object({
    code: z.enum(ruleCodes).meta({ description: "The rule, by the code of its refusal", example: "mint_paused" }),
    outcome: z.enum(["passed", "refused", "undecided", "overridden"]).meta({
      description:
        "`undecided`: the rule needs claims, and the wallet is not verified. `overridden`: the rule would refuse a transfer, and a forced act sets it aside",
      example: "passed",
    }),
    detail: z.string().meta({ description: "The reason, for people", example: "The token is not paused." }),
  })
  .meta({ id: "RuleFinding" })

export const preflightRecord = z
  .object({
    allowed: z.boolean().meta({
      description: "Whether the request would be accepted now: at once, or once members have approved it",
      example: true,
    }),
    answer: z
      .object({
        status: z.number().int().meta({
          description: "200 if it would be carried out, 202 if it would wait for members, else the error's status",
          example: 200,
        }),
        error: z.string().nullable().meta({ description: "The code of the refusal; null if allowed", example: null }),
        detail: z.string().nullable().meta({ description: "Its detail; null if allowed", example: null }),
      })
      .meta({ id: "ForetoldAnswer", description: "What the request would answer now" }),
    rules: z.array(finding).meta({ description: "Every rule that applies, in the order in which they are checked" }),
    available: amountText.nullable().meta({
      description: `${availability.available.meta()!.description}, of the sender. Null for a mint, and while only the chain knows the balance`,
      example: "649.5",
    }),
    locked: amountText.nullable().meta({
      description:
        "The part of `available` that no transfer may take before a later time. A burn or a forced transfer may. Null if `available` is",
      example: "0",
    }),
    held: amountText.nullable().meta({
      description: "Whole tokens of the sender that holds keep from moving; null for a mint",
      example: "100",
    }),
    next_unlock_at: timestamp
      .nullable()
      .meta({ description: "When the next of the locked tokens unlock; null if none are locked", example: null }),
    approvals_needed: z
      .number()
      .int()
      .meta({ description: "How many other members would have to approve it", example: 0 }),
  })
  .meta({ id: "Preflight" })

/** What a form shows in addition. */
export const formPreflight = preflightRecord.extend({
  /** Unverified wallets for which a session can be started, and its schema. */
  unverified: z.array(z.string()),
  required_schema: z.string().nullable(),
  /** The roles that can approve it. */
  approver_roles: z.array(z.enum(approverRoles)),
})
export type Preflight = z.infer<typeof formPreflight>

/**
 * What the request would answer at this moment, and the result of every rule. It locks, reserves and changes nothing, so
 * the request itself may get another answer a moment later. Errors: those of a request that cannot be read:
 * unknown_mint_config, invalid_amount, invalid_public_key; chain_not_configured.
 */
export async function preflight(principal: Principal, intent: Intent): Promise<Preflight> {
  const { config: id, movement, amount: text, whilePaused } = intent
  const { workspaceId } = principal
  chainOf(principal.mode)
  const disclosure = disclosureFor(principal)
  const now = clock.now()
  // One snapshot, so that counts and limits match.
  return sql.begin("isolation level repeatable read read only", async (sql) => {
    const config = (await loadConfigs(sql, workspaceId, [id], { lock: false })).get(id) ?? refuse(unknownConfig(id))
    const amount = toBaseUnits(text, config.decimals) || refuse(invalidAmount(config))
    const { to } = movement
    if (to !== null && (await ownAmong(sql, workspaceId, [to])).length > 0) refuse(ownReceiver(to, movement))
    const wallets = endsOf(movement)
    const schemaId = config.required_schema
    const pairs = wallets.map((wallet) => ({ schemaId, wallet }))
    const standings = await loadStandings(sql, workspaceId, pairs, now)
    const strangers = pairs.filter((one) => standings.claims(one) === null)
    const losses = disclosure.attestations ? await loadLosses(sql, workspaceId, strangers, now) : undefined
    const isListed = await loadListed(sql, workspaceId, wallets)
    const keys = wallets.map((wallet) => ({ config: id, wallet }))
    const read = await readHoldings(sql, workspaceId, keys)
    const held = keys.map((key) => withKey(key, read(key)))
    const holdings = ({ wallet }: HoldingKey) => held.find((one) => one.wallet === wallet)!
    const book = await loadInvestors(sql, workspaceId, { configs: [config], held, standings })
    const namesClaims = disclosure.claims
    const giver = giverOf(intent)
    const bound = await bindHolds(sql, workspaceId, {
      keys: giver === null ? [] : [giver],
      named: intent.holds ?? [],
      holdingOf: holdings,
      now,
    })
    const investors = book && { book, heldOf: holdings }
    // Also for a forced act, which says what it sets aside.
    const unitsOf = ({ balance, outgoing }: { balance: bigint; outgoing: bigint }) =>
      outgoing + (balance > amount ? balance : amount)
    const sellers = giver === null ? [] : [{ config, key: giver, units: unitsOf(holdings(giver)) }]
    const request = {
      config,
      lotsOf: await loadUnlocked(sql, workspaceId, sellers, standings, now),
      amount,
      now,
      namesClaims,
      holds: bound.about(giver, intent.holds),
      whilePaused,
      investors,
    }
    const context = transferContext(request, movement, standings, holdings, isListed, losses)
    const policy = intent.isApproved
      ? null
      : policyOf({ request: intent, config: { id, binding: await loadBinding(sql, workspaceId) } })
    // In the order of `reservations.ts`.
    const refusal =
      (await whyStoppedNow(sql, workspaceId)) ??
      firstViolationAtSigning(context) ??
      refusalOfNamed({ request: intent, config, amount }, bound) ??
      firstViolation(context) ??
      (policy && (await missingUnder(policy, sql, principal)))
    return {
      ...answeredBy(refusal, policy),
      rules: findings(context),
      ...ofSender(context, config),
      unverified: boundBy(context).flatMap(({ claims, wallet }) => (claims === null ? [wallet] : [])),
      required_schema: schemaId,
    }
  })
}

/** Why no request of the workspace is accepted now. Otherwise null. */
async function whyStoppedNow(sql: Queryable, workspaceId: string): Promise<RequestRefusal | null> {
  const quarantine = await readQuarantine(sql, workspaceId)
  if (quarantine) return { code: "chain_unavailable", detail: whyStopped(quarantine) }
  return budgetRefusal(sql, workspaceId)
}

/** Whether enough members could approve it. */
async function missingUnder(policy: Policy, sql: Queryable, principal: Principal): Promise<RequestRefusal | null> {
  const { workspaceId } = principal
  const requester = await requesterOf(sql, workspaceId, { principal })
  const detail = await missingApprovers(sql, workspaceId, requester, policy)
  return detail === null ? null : { code: "approver_missing", detail }
}

type Sender = Pick<Preflight, "available" | "locked" | "held" | "next_unlock_at">

/** What the sender has. Only the chain knows the balance in holder mode, and while balances are read from it. */
function ofSender(context: TransferContext, { decimals }: ConfigRow): Sender {
  const { from, config } = context
  if (from === null) return { available: null, locked: null, held: null, next_unlock_at: null }
  const held = fromBaseUnits(from.held, decimals)
  if (!config.knowsBalances || config.isCounting) return { available: null, locked: null, held, next_unlock_at: null }
  const free = from.balance - from.outgoing - from.held
  const available = free > 0n ? free : 0n
  const { amount, nextUnlockAt } = lockedOf(context, available)
  return {
    available: fromBaseUnits(available, decimals),
    locked: fromBaseUnits(amount, decimals),
    held,
    next_unlock_at: nextUnlockAt && toTimestamp(nextUnlockAt),
  }
}

type Answered = Pick<Preflight, "allowed" | "answer" | "approvals_needed" | "approver_roles">

const answeredBy = (refusal: RequestRefusal | null, policy: Policy | null): Answered => ({
  allowed: refusal === null,
  answer:
    refusal === null
      ? { status: policy === null ? 200 : 202, error: null, detail: null }
      : { status: statusOf(refusal.code), error: refusal.code, detail: refusal.detail },
  approvals_needed: policy?.approvals ?? 0,
  approver_roles: policy?.roles ?? [],
})

/** For a stored request that can no longer be read: no rule was checked. */
export const unreadable = ({ code, message }: Failure): Preflight => ({
  ...answeredBy({ code, detail: message }, null),
  rules: [],
  ...{ available: null, locked: null, held: null, next_unlock_at: null },
  unverified: [],
  required_schema: null,
})
