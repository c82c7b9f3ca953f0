import { z } from "zod"
import { type Queryable, sql } from "#db/client.ts"
import { loadBinding, missingApprovers, type Policy, requesterOf } from "#domain/approvals"
import { chainOf } from "#domain/deployment"
import type { Principal } from "#domain/requests"
import { loadListed } from "#domain/screening"
import { ownAmong } from "#domain/token-accounts"
import { clock } from "#server/lib/time.ts"
import { toBaseUnits } from "#shared/amount.ts"
import { approverRoles } from "#shared/approvals.ts"
import { statusOf } from "#shared/errors.ts"
import { endsOf } from "#shared/movements.ts"
import { findings, firstViolation } from "#shared/rules/check.ts"
import { boundBy } from "#shared/rules/define.ts"
import { ruleCodes } from "#shared/rules/rules.ts"
import { invalidAmount, loadConfigs, type RequestRefusal, unknownConfig } from "./config.ts"
import { disclosureFor, type HoldingKey, loadLosses, loadStandings, readHoldings } from "./holder-facts.ts"
import { bindHolds } from "./holds/bound-holds.ts"
import { refusalOfNamed } from "./holds/named-holds.ts"
import { loadInvestors, withKey } from "./investors.ts"
import { giverOf } from "./reserved.ts"
import { ownReceiver, policyOf, type TokenRequest } from "./token-request.ts"
import { transferContext } from "./transfer-context.ts"

/** `isApproved`: the members have approved it, so that it needs no approval any more. */
export type Intent = Pick<TokenRequest, "config" | "movement" | "amount" | "holds" | "executes" | "whilePaused"> &
  ({ isApproved: true } | { isApproved: false; forced: { holder_consent: boolean } | null })

export const preflightRecord = z.object({
  answer: z.object({ status: z.number(), error: z.string().nullable(), detail: z.string().nullable() }),
  /** Every rule that applies, in the order in which they are checked. */
  rules: z.array(
    z.object({
      code: z.enum(ruleCodes),
      /**
       * `undecided`: the rule needs claims, and the wallet is not verified. `overridden`: it would refuse a transfer, and a
       * forced act sets it aside.
       */
      outcome: z.enum(["passed", "refused", "undecided", "overridden"]),
      detail: z.string(),
    }),
  ),
  /** Unverified wallets for which a session can be started, and its schema. */
  unverified: z.array(z.string()),
  required_schema: z.string().nullable(),
  /** How many other members must approve the request, and the roles that can. */
  approvals_needed: z.number(),
  approver_roles: z.array(z.enum(approverRoles)),
})
export type Preflight = z.infer<typeof preflightRecord>

/**
 * The result of every rule for a movement at this moment. It locks, reserves and changes nothing, so the
 * request itself may get another result a moment later. Errors: chain_not_configured.
 */
export async function preflight(principal: Principal, intent: Intent): Promise<Preflight> {
  const { config: id, movement, amount: text, whilePaused } = intent
  const { workspaceId } = principal
  chainOf(principal.mode)
  const disclosure = disclosureFor(principal)
  const now = clock.now()
  // One snapshot, so that counts and limits match.
  return sql.begin("isolation level repeatable read read only", async (sql) => {
    const config = (await loadConfigs(sql, workspaceId, [id], { lock: false })).get(id)
    const amount = config ? toBaseUnits(text, config.decimals) : null
    if (!config) return unreadable(unknownConfig(id))
    if (!amount) return unreadable(invalidAmount(config))
    const { to } = movement
    if (to !== null && (await ownAmong(sql, workspaceId, [to])).length > 0) return unreadable(ownReceiver(to, movement))
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
    const request = {
      config,
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
    const violation = refusalOfNamed({ request: intent, config, amount }, bound) ?? firstViolation(context)
    return {
      answer: violation || policy === null ? answerOf(violation) : await answerUnder(policy, sql, principal),
      rules: findings(context),
      unverified: boundBy(context).flatMap(({ claims, wallet }) => (claims === null ? [wallet] : [])),
      required_schema: schemaId,
      approvals_needed: policy?.approvals ?? 0,
      approver_roles: policy?.roles ?? [],
    }
  })
}

/** What a request that a policy binds answers: it waits, or too few members could approve it. */
async function answerUnder(policy: Policy, sql: Queryable, principal: Principal): Promise<Preflight["answer"]> {
  const { workspaceId } = principal
  const requester = await requesterOf(sql, workspaceId, { principal })
  const detail = await missingApprovers(sql, workspaceId, requester, policy)
  return detail === null ? { status: 202, error: null, detail: null } : answerOf({ code: "approver_missing", detail })
}

const answerOf = (refusal: RequestRefusal | null): Preflight["answer"] =>
  refusal === null
    ? { status: 200, error: null, detail: null }
    : { status: statusOf(refusal.code), error: refusal.code, detail: refusal.detail }

/** For a request that is refused before any rule is checked. */
const unreadable = (refusal: RequestRefusal): Preflight => ({
  answer: answerOf(refusal),
  rules: [],
  unverified: [],
  required_schema: null,
  approvals_needed: 0,
  approver_roles: [],
})
