import type { Queryable } from "#db/client.ts"
import { budgetRefusal } from "#domain/accounts"
import { askApproval, type Policy } from "#domain/approvals"
import { type Change, recordChanges } from "#domain/audit-log"
import { claimKeys, releaseKeys } from "#domain/requests"
import { loadListed } from "#domain/screening"
import { accountName, assetMintOf, ownAmong } from "#domain/token-accounts"
import type { InvestorBook } from "#domain/token-investors"
import { enqueueAll, refuseInQuarantine, toRow } from "#server/ledger/index.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { fromBaseUnits, toBaseUnits } from "#shared/amount.ts"
import { Failure } from "#shared/errors.ts"
import { isForced } from "#shared/movements.ts"
import { firstViolation, firstViolationAtSigning, overridden } from "#shared/rules/check.ts"
import type { TransferContext } from "#shared/rules/define.ts"
import { isOneInvestor } from "#shared/rules/investors.ts"
import { ensureAssetMints } from "./asset-mint.ts"
import { type BoundConfig, invalidAmount, lockBoundConfigs, type RequestRefusal, unknownConfig } from "./config.ts"
import {
  type HoldingKey,
  type Holdings,
  keyName,
  loadLosses,
  loadStandings,
  lockHoldings,
  NOTHING,
  type Standings,
  type WalletSchema,
} from "./holder-facts.ts"
import { BoundHolds, bindHolds } from "./holds/bound-holds.ts"
import { refusalOfNamed } from "./holds/named-holds.ts"
import { loadInvestors, receivingOf } from "./investors.ts"
import { type Giving, type LotsOf, loadUnlocked } from "./lots/unlocked.ts"
import type { OperationRow } from "./operation.ts"
import { burn } from "./operations/burn.ts"
import { mint } from "./operations/mint.ts"
import { forceTransfer, transfer } from "./operations/transfer.ts"
import { giverOf, holdingKeysOf, type OfInvestors, type Reserved, reserve, walletSchemasOf } from "./reserved.ts"
import { storedMovement } from "./stored-movement.ts"
import {
  actionOf,
  type Considered,
  ownReceiver,
  policyOf,
  type ReservationResult,
  rulesOf,
  type TokenRequest,
} from "./token-request.ts"
import { transferContext } from "./transfer-context.ts"

export class Reservations {
  readonly #sql: Queryable
  readonly #workspaceId: string
  readonly #requests: readonly TokenRequest[]
  readonly #outcomes: ReservationResult[]
  readonly #now = clock.now()
  #losses: (of: WalletSchema) => string | undefined = () => undefined
  #isListed: (wallet: Address) => boolean | undefined = () => undefined
  #holds = new BoundHolds([])
  #investors: InvestorBook | null = null
  #lotsOf: LotsOf = () => undefined

  constructor(sql: Queryable, workspaceId: string, requests: readonly TokenRequest[]) {
    this.#sql = sql
    this.#workspaceId = workspaceId
    this.#requests = requests
    this.#outcomes = requests.map(({ approved }) => ({ operationId: approved?.operationId ?? newId("op"), row: null }))
  }

  async make(): Promise<ReservationResult[]> {
    const configIds = [...new Set(this.#requests.map((request) => request.config))]
    // Sent together and executed in this order, which saves round trips while the locks are held.
    const receivers = this.#requests.flatMap(({ movement: { to } }) => to ?? [])
    const [configs, overBudget, own] = await Promise.all([
      lockBoundConfigs(this.#sql, this.#workspaceId, configIds),
      budgetRefusal(this.#sql, this.#workspaceId),
      ownAmong(this.#sql, this.#workspaceId, receivers),
      refuseInQuarantine(this.#sql, this.#workspaceId),
      this.#claimKeys(),
    ])
    if (overBudget) {
      for (const [i, outcome] of this.#outcomes.entries())
        if ("operationId" in outcome) this.#outcomes[i] = { refusal: overBudget }
      await this.#forgetRefused()
      return this.#outcomes
    }
    const notWallets = new Set(own.map(({ address }) => address))
    const known = (await this.#taken(this.#read(configs))).filter((one) => {
      const { to } = one.request.movement
      return to === null || !notWallets.has(to) || this.#refuse(one, ownReceiver(to, one.request.movement))
    })
    const wallets = known.flatMap(walletSchemasOf)
    const addresses = wallets.map(({ wallet }) => wallet)
    const standings = await loadStandings(this.#sql, this.#workspaceId, wallets, this.#now)
    this.#isListed = await loadListed(this.#sql, this.#workspaceId, addresses)
    const unverified = wallets.filter((one) => standings.claims(one) === null)
    this.#losses = await loadLosses(this.#sql, this.#workspaceId, unverified, this.#now)
    // A wallet that may not receive anything gets no row.
    const allowed = known.filter((one) => {
      const violation = firstViolationAtSigning(this.#contextOf(one, standings, null))
      return violation === null || this.#refuse(one, violation)
    })
    const holdings = await lockHoldings(this.#sql, this.#workspaceId, allowed.flatMap(holdingKeysOf))
    this.#holds = await bindHolds(this.#sql, this.#workspaceId, {
      keys: allowed.flatMap(({ request: { movement }, config }) => giverOf({ movement, config: config.id }) ?? []),
      named: allowed.flatMap(({ request }) => request.holds ?? []),
      holdingOf: (key) => holdings.of(key),
      now: this.#now,
    })
    this.#investors = await loadInvestors(this.#sql, this.#workspaceId, {
      configs: allowed.map(({ config }) => config),
      held: holdings.all,
      standings,
    })
    this.#lotsOf = await loadUnlocked(this.#sql, this.#workspaceId, givingIn(allowed, holdings), standings, this.#now)
    const waiting: { one: Considered; policy: Policy }[] = []
    const accepted = allowed.flatMap((one): Reserved[] => {
      const context = this.#contextOf(one, standings, holdings)
      const violation = refusalOfNamed(one, this.#holds) ?? firstViolation(context)
      const { approved, recovery, payout } = one.request
      const isDecided = approved !== undefined || recovery !== undefined || payout !== undefined
      const policy = isDecided ? null : policyOf(one)
      if (violation === null && policy !== null) {
        waiting.push({ one, policy })
        return []
      }
      if (violation === null) {
        const overrides = isForced(context.kind) ? overridden(context) : null
        const investors = this.#ofInvestors(one, standings, holdings)
        const keepsLots = context.to !== null && isOneInvestor(context.from, context.to)
        return [{ ...one, ...reserve(one, holdings, this.#holds, investors), overrides, keepsLots }]
      }
      this.#refuse(one, violation)
      return []
    })
    for (const { one, policy } of waiting) await this.#ask(one, policy)
    if (accepted.length > 0) {
      await ensureAssetMints(this.#sql, this.#workspaceId, firstUses(accepted))
      await Promise.all([
        holdings.save(this.#sql),
        this.#holds.save(this.#sql, this.#workspaceId),
        this.#investors?.save(this.#sql, this.#workspaceId),
        this.#saveCounters(accepted),
        this.#enqueue(accepted),
        this.#record(accepted),
        this.#forgetRefused(),
      ])
    } else await this.#forgetRefused()
    await this.#settleApproved()
    return this.#outcomes
  }

  /** The requests without those whose approval was not the last one needed. */
  async #taken(known: Considered[]): Promise<Considered[]> {
    if (!known.some(({ request }) => request.approved)) return known
    const left: Considered[] = []
    for (const one of known) {
      const { approved } = one.request
      const place = this.#requests.indexOf(one.request)
      try {
        if (!approved || (await approved.take(this.#sql, { policy: policyOf(one), rules: rulesOf(one) })))
          left.push(one)
        else this.#outcomes[place] = { taken: true }
      } catch (error) {
        // It concerns this request alone, and those that share its commit go on.
        if (!(error instanceof Failure)) throw error
        this.#outcomes[place] = { refusal: { code: error.code, detail: error.message }, isUntaken: true }
      }
    }
    return left
  }

  /** Stores what came of approved requests: also that a rule refused one. */
  async #settleApproved(): Promise<void> {
    for (const [i, { approved }] of this.#requests.entries()) {
      const outcome = this.#outcomes[i]!
      if (!approved) continue
      if ("operationId" in outcome) await approved.settle(this.#sql, null)
      if ("refusal" in outcome && !outcome.isUntaken) await approved.settle(this.#sql, outcome.refusal)
    }
  }

  /** Asks for approval instead of reserving. The key stays claimed for the operation, whose id is known from now on. */
  async #ask(one: Considered, policy: Policy): Promise<void> {
    const { request, operationId } = one
    try {
      const approval = await askApproval(this.#sql, this.#workspaceId, {
        action: actionOf(request),
        subject: operationId,
        operationId,
        request: storedMovement(request),
        policy,
        rules: rulesOf(one),
        author: request.author,
      })
      this.#outcomes[this.#requests.indexOf(request)] = { approval }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "approver_missing") throw error
      this.#refuse(one, { code: error.code, detail: error.message })
    }
  }

  /** Claims the batch's idempotency keys. If several requests have the same key, the first one gets it. */
  async #claimKeys(): Promise<void> {
    const wanted = this.#requests.flatMap(({ idempotency: claim }, i) => {
      const outcome = this.#outcomes[i]!
      return claim && "operationId" in outcome ? [{ i, claim, subject: outcome.operationId }] : []
    })
    const claimed = await claimKeys(this.#sql, this.#workspaceId, wanted)
    for (const { i, subject } of wanted) if (!claimed.has(subject)) this.#outcomes[i] = { keyClaimed: true }
  }

  #read(configs: Map<string, BoundConfig>): Considered[] {
    return this.#requests.flatMap((request, i): Considered[] => {
      const outcome = this.#outcomes[i]!
      if (!("operationId" in outcome)) return []
      const config = configs.get(request.config)
      const amount = config ? toBaseUnits(request.amount, config.decimals) : null
      if (config && amount) return [{ request, operationId: outcome.operationId, config, amount }]
      this.#outcomes[i] = { refusal: config ? invalidAmount(config) : unknownConfig(request.config) }
      return []
    })
  }

  #contextOf(
    { request: { movement, disclosure, holds: named, whilePaused, recovery }, config, amount }: Considered,
    standings: Standings,
    holdings: Holdings | null,
  ): TransferContext {
    const holdingOf = (key: HoldingKey) => holdings?.of(key) ?? NOTHING
    const losses = disclosure.attestations ? this.#losses : undefined
    const holds = this.#holds.about(giverOf({ movement, config: config.id }), named)
    const investors = holdings &&
      this.#investors && { book: this.#investors, heldOf: (key: HoldingKey) => holdings.of(key) }
    const isRecovery = recovery !== undefined
    const about = { config, amount, now: this.#now, holds, whilePaused, isRecovery, investors, lotsOf: this.#lotsOf }
    const request = { ...about, namesClaims: disclosure.claims }
    return transferContext(request, movement, standings, holdingOf, this.#isListed, losses)
  }

  #ofInvestors(
    { request: { movement }, config, amount }: Considered,
    standings: Standings,
    holdings: Holdings,
  ): OfInvestors {
    const receiving = this.#investors && receivingOf({ config, movement, amount }, standings, (key) => holdings.of(key))
    return this.#investors && receiving && { book: this.#investors, receiving }
  }

  #refuse({ request }: Considered, refusal: RequestRefusal): false {
    this.#outcomes[this.#requests.indexOf(request)] = { refusal }
    return false
  }

  async #saveCounters(accepted: readonly Reserved[]): Promise<void> {
    const configs = [...new Set(accepted.map((one) => one.config))]
    await this.#sql`
      update mint_configs c set issued = t.issued::numeric, holders = t.holders::int, investors = t.investors::jsonb
      from unnest(${configs.map((one) => one.id)}::text[], ${configs.map((one) => one.issued)}::text[],
        ${configs.map((one) => String(one.holders))}::text[],
        ${configs.map((one) => one.investors && JSON.stringify(one.investors))}::text[]) as t(id, issued, holders, investors)
      where c.workspace_id = ${this.#workspaceId} and c.id = t.id`
  }

  async #enqueue(accepted: readonly Reserved[]): Promise<void> {
    const rows = accepted.map((one) => {
      const { request, operationId, config, amount, handover, investorHandover, keepsLots, taken } = one
      const { movement, forced, executes, whilePaused, recovery, lot, payout } = request
      const mintAddress = addressOf(assetMintOf(this.#workspaceId, config.id))
      const row = begunAs({ request, operationId, config, amount }, mintAddress, this.#now)
      this.#outcomes[this.#requests.indexOf(request)] = { operationId, row }
      const accounts = holdingKeysOf({ request, config }).map((key) => accountName(key.config, key.wallet))
      // In agent mode, each transaction leaves accounts frozen, so the order of operations does not matter.
      const commutes = config.transfer_mode === "agent"
      const queued = {
        id: operationId,
        writes: commutes ? [] : accounts,
        reads: commutes ? [mintAddress, ...accounts] : [mintAddress],
        traceparent: request.traceparent ?? null,
      }
      const { approvalId } = request.approved ?? {}
      const moved = { mint_config: config.id, amount, ...(approvalId && { approval_id: approvalId }) }
      const { holder_consent = false, ...given } = forced ?? {}
      const grounds = {
        ...given,
        ...(taken.length > 0 && { holds: taken }),
        ...(executes !== undefined && { hold_id: executes }),
        ...(whilePaused && { while_paused: true }),
        ...(recovery !== undefined && { recovery_id: recovery }),
      }
      const isHandover = { ...(handover && { handover }), ...(investorHandover && { investor_handover: true }) }
      switch (movement.kind) {
        case "mint":
          return toRow(mint, {
            ...queued,
            payload: { ...moved, wallet: movement.to, ...(lot && { lot }), ...(payout && { payout_id: payout }) },
          })
        case "burn":
          return toRow(burn, {
            ...queued,
            payload: { ...moved, from_wallet: movement.from, holder_consent, ...grounds },
          })
        default: {
          const payload = { ...moved, wallet: movement.to, from_wallet: movement.from, ...isHandover, ...grounds }
          return movement.kind === "transfer"
            ? toRow(transfer, { ...queued, payload: { ...payload, ...(keepsLots && { keeps_lots: true }) } })
            : toRow(forceTransfer, { ...queued, payload })
        }
      }
    })
    await enqueueAll(this.#sql, this.#workspaceId, rows, this.#now)
  }

  async #record(accepted: readonly Reserved[]): Promise<void> {
    const changes = accepted.map(
      ({
        request: { author, movement, forced, whilePaused, recovery, approved, lot, payout },
        operationId,
        config,
        amount,
        overrides,
        taken,
      }): Change => {
        const { kind, from, to } = movement
        const ends = { ...(from && { from }), ...(to && { to }) }
        return {
          author,
          action: `token.${kind}_requested`,
          subject: operationId,
          detail: {
            mint_config: config.id,
            amount: fromBaseUnits(amount, config.decimals),
            ...ends,
            ...forced,
            ...(whilePaused && { while_paused: true }),
            ...(recovery !== undefined && { recovery }),
            ...(lot && { lot }),
            ...(payout !== undefined && { payout }),
            ...(overrides && { overrides }),
            ...(taken.length > 0 && { holds: taken.map(({ id }) => id) }),
            ...(approved && { approval: approved.approvalId }),
          },
        }
      },
    )
    await recordChanges(this.#sql, this.#workspaceId, changes)
  }

  /** Releases the keys of refused requests. They started nothing, so their response is stored without an operation. */
  async #forgetRefused(): Promise<void> {
    const refused = this.#requests.flatMap(({ idempotency }, i) =>
      idempotency && "refusal" in this.#outcomes[i]! ? [idempotency] : [],
    )
    await releaseKeys(this.#sql, this.#workspaceId, refused)
  }
}

const begunAs = ({ request, operationId, config, amount }: Considered, mint: Address, now: Date): OperationRow => ({
  id: operationId,
  kind: request.movement.kind,
  status: "queued",
  mint_config: config.id,
  wallet: request.movement.to,
  from_wallet: request.movement.from,
  payload: {
    amount: amount.toString(),
    ...request.forced,
    ...(request.executes !== undefined && { hold_id: request.executes }),
    ...(request.recovery !== undefined && { recovery_id: request.recovery }),
    ...(request.payout !== undefined && { payout_id: request.payout }),
    ...(request.approved && { approval_id: request.approved.approvalId }),
  },
  signature: null,
  error_code: null,
  error_detail: null,
  created_at: now,
  finished_at: null,
  finalized_at: null,
  fee: null,
  rent: null,
  decimals: config.decimals,
  mint,
})

/** What a batch takes of each wallet, at most. Also by force, because an act says which rules it sets aside. */
function givingIn(batch: readonly Considered[], holdings: Holdings): Giving[] {
  const all = new Map<string, Giving>()
  for (const { request, config, amount } of batch) {
    const key = giverOf({ movement: request.movement, config: config.id })
    if (key === null) continue
    const units = all.get(keyName(key))?.units ?? holdings.of(key).outgoing
    all.set(keyName(key), { config, key, units: units + amount })
  }
  return [...all.values()]
}

const firstUses = (accepted: readonly Reserved[]): string[] => [
  ...new Set(accepted.filter(({ config }) => config.mint === null).map(({ config }) => config.id)),
]
