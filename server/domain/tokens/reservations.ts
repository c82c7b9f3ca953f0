import type { Queryable } from "#db/client.ts"
import { type Author, recordChanges } from "#server/domain/audit-log/record.ts"
import type { IdempotencyClaim } from "#server/domain/context.ts"
import { claimKeys, releaseKeys } from "#server/domain/idempotency.ts"
import { enqueueAll, toRow } from "#server/ledger/enqueue.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { type BaseUnits, fromBaseUnits, limitsOf, toBaseUnits } from "#shared/amount.ts"
import type { ErrorCode } from "#shared/errors.ts"
import { firstViolation, firstViolationAtSigning } from "#shared/rules/check.ts"
import type { Holder, TransferContext } from "#shared/rules/define.ts"
import { accountName, assetMintOf } from "./asset-accounts.ts"
import { ensureAssetMints } from "./asset-mint.ts"
import { type ConfigRow, loadConfigs } from "./config.ts"
import type { OperationRow } from "./operation.ts"
import { mint } from "./operations/mint.ts"
import { transfer } from "./operations/transfer.ts"
import {
  type Holdings,
  loadClaims,
  loadLosses,
  lockHoldings,
  NOTHING,
  type Place,
  type Sight,
  type WalletSchema,
} from "./parties.ts"
import { transferContext } from "./transfer-context.ts"

/** A mint, or a transfer where `from` is not null. */
export type TokenRequest = {
  idempotency: IdempotencyClaim | null
  config: string
  from: string | null
  to: string
  /** Whole tokens, as the caller wrote them. */
  amount: string
  /** Who asked, for the audit log. */
  author: Author
  /** What a refusal may tell them. */
  sight: Sight
}

/** Why a request is not admitted. */
export type Refusal = { code: ErrorCode; detail: string }

/** What a request comes to. */
export type ReservationResult =
  | { operationId: string; row: OperationRow | null }
  | { refusal: Refusal }
  | { keyClaimed: true }

type Considered = { request: TokenRequest; operationId: string; config: ConfigRow; amount: BaseUnits }
type Reserved = Considered & { handover: boolean }

/** One batch, in one transaction. */
export class Reservations {
  readonly #sql: Queryable
  readonly #workspaceId: string
  readonly #requests: readonly TokenRequest[]
  readonly #outcomes: ReservationResult[]
  readonly #now = clock.now()
  #losses: (of: WalletSchema) => string | undefined = () => undefined

  constructor(sql: Queryable, workspaceId: string, requests: readonly TokenRequest[]) {
    this.#sql = sql
    this.#workspaceId = workspaceId
    this.#requests = requests
    this.#outcomes = requests.map(() => ({ operationId: newId("op"), row: null }))
  }

  async make(): Promise<ReservationResult[]> {
    const configIds = [...new Set(this.#requests.map((request) => request.config))]
    const configs = await loadConfigs(this.#sql, this.#workspaceId, configIds, { lock: true })
    await this.#claimKeys()
    const known = this.#read(configs)
    const standings = known.flatMap(standingsOf)
    const claims = await loadClaims(this.#sql, this.#workspaceId, standings, this.#now)
    const strangers = standings.filter((one) => claims(one) === null)
    this.#losses = await loadLosses(this.#sql, this.#workspaceId, strangers, this.#now)
    // Who may not come in at all gets no row of its own.
    const admissible = known.filter((one) => {
      const violation = firstViolationAtSigning(this.#contextOf(one, claims, null))
      return violation === null || this.#refuse(one, violation)
    })
    const holdings = await lockHoldings(this.#sql, this.#workspaceId, admissible.flatMap(placesOf))
    const admitted = admissible.flatMap((one): Reserved[] => {
      const violation = firstViolation(this.#contextOf(one, claims, holdings))
      if (violation) return this.#refuse(one, violation) ? [] : []
      return [{ ...one, handover: reserve(one, holdings) }]
    })
    if (admitted.length > 0) {
      await ensureAssetMints(this.#sql, this.#workspaceId, firstUses(admitted))
      await holdings.save(this.#sql)
      await this.#saveCounters(admitted)
      await this.#enqueue(admitted)
      await this.#record(admitted)
    }
    await this.#forgetRefused()
    return this.#outcomes
  }

  /** Of equal keys in this batch, the first gets it. */
  async #claimKeys(): Promise<void> {
    const wanted = this.#requests.flatMap(({ idempotency: claim }, i) => {
      const outcome = this.#outcomes[i]!
      return claim && "operationId" in outcome ? [{ i, claim, subject: outcome.operationId }] : []
    })
    const claimed = await claimKeys(this.#sql, this.#workspaceId, wanted)
    for (const { i, subject } of wanted) if (!claimed.has(subject)) this.#outcomes[i] = { keyClaimed: true }
  }

  /** Requests with their configuration and amount; others are refused. */
  #read(configs: Map<string, ConfigRow>): Considered[] {
    return this.#requests.flatMap((request, i): Considered[] => {
      const outcome = this.#outcomes[i]!
      if (!("operationId" in outcome)) return []
      const config = configs.get(request.config)
      const amount = config ? toBaseUnits(request.amount, config.decimals) : null
      if (config && amount) return [{ request, operationId: outcome.operationId, config, amount }]
      this.#outcomes[i] = { refusal: config ? tooFine(config) : unknownConfig(request.config) }
      return []
    })
  }

  #contextOf(
    { request: { from, to, sight }, config, amount }: Considered,
    claims: (of: WalletSchema) => Holder["claims"],
    holdings: Holdings | null,
  ): TransferContext {
    const holdingOf = (place: Place) => holdings?.of(place) ?? NOTHING
    const losses = sight.attestations ? this.#losses : undefined
    return transferContext(
      { config, from, to, amount, now: this.#now, namesClaims: sight.claims },
      claims,
      holdingOf,
      losses,
    )
  }

  #refuse({ request }: Considered, refusal: Refusal): false {
    this.#outcomes[this.#requests.indexOf(request)] = { refusal }
    return false
  }

  async #saveCounters(admitted: readonly Reserved[]): Promise<void> {
    for (const config of new Set(admitted.map((one) => one.config))) {
      await this.#sql`
        update mint_configs set issued = ${config.issued}, holders = ${config.holders}
        where workspace_id = ${this.#workspaceId} and id = ${config.id}`
    }
  }

  async #enqueue(admitted: readonly Reserved[]): Promise<void> {
    const rows = admitted.map(({ request, operationId, config, amount, handover }) => {
      const { from, to } = request
      const mintAddress = assetMintOf(this.#workspaceId, config.id).toBase58()
      const row = begunAs({ request, operationId, config, amount }, mintAddress, this.#now)
      this.#outcomes[this.#requests.indexOf(request)] = { operationId, row }
      const accounts = placesOf({ request, config }).map((place) => accountName(place.config, place.wallet))
      // In agent mode each transaction leaves accounts as it found them, frozen: their order does not matter.
      const commutes = config.transfer_mode === "agent"
      const queued = {
        id: operationId,
        writes: commutes ? [] : accounts,
        reads: commutes ? [mintAddress, ...accounts] : [mintAddress],
      }
      const payload = { mint_config: config.id, wallet: to, amount }
      return from === null
        ? toRow(mint, { ...queued, payload })
        : toRow(transfer, {
            ...queued,
            payload: { ...payload, from_wallet: from, ...(handover && { handover }) },
          })
    })
    await enqueueAll(this.#sql, this.#workspaceId, rows)
  }

  async #record(admitted: readonly Reserved[]): Promise<void> {
    const changes = admitted.map(({ request: { author, from, to }, operationId, config, amount }) => ({
      author,
      action: from === null ? "token.mint_requested" : "token.transfer_requested",
      subject: operationId,
      detail: {
        mint_config: config.id,
        amount: fromBaseUnits(amount, config.decimals),
        ...(from !== null && { from }),
        to,
      },
    }))
    await recordChanges(this.#sql, this.#workspaceId, changes)
  }

  /** A refusal has begun nothing: its key is stored with the answer, and points nowhere. */
  async #forgetRefused(): Promise<void> {
    const refused = this.#requests.flatMap(({ idempotency }, i) =>
      idempotency && "refusal" in this.#outcomes[i]! ? [idempotency] : [],
    )
    await releaseKeys(this.#sql, this.#workspaceId, refused)
  }
}

/** The operation as committed. */
const begunAs = (
  { request, operationId, config, amount }: Considered,
  mint: string,
  now: Date,
): OperationRow => ({
  id: operationId,
  kind: request.from === null ? "mint" : "transfer",
  status: "queued",
  mint_config: config.id,
  wallet: request.to,
  from_wallet: request.from,
  payload: { amount: amount.toString() },
  signature: null,
  error_code: null,
  error_detail: null,
  created_at: now,
  finished_at: null,
  decimals: config.decimals,
  mint,
})

const walletsOf = ({ from, to }: TokenRequest): string[] => (from === null ? [to] : [from, to])

const placesOf = ({ request, config }: Pick<Considered, "request" | "config">): Place[] =>
  walletsOf(request).map((wallet) => ({ config: config.id, wallet }))

const standingsOf = ({ request, config }: Considered): WalletSchema[] =>
  walletsOf(request).map((wallet) => ({ schemaId: config.required_schema, wallet }))

const firstUses = (admitted: readonly Reserved[]): string[] => [
  ...new Set(admitted.filter(({ config }) => config.mint === null).map(({ config }) => config.id)),
]

/**
 * Reserves what an admitted request counts against, in memory. Returns whether the place of the wallet that leaves
 * goes with it: at the cap there is no other for the new holder, and until it has landed, the place is nobody's.
 */
function reserve({ request, config, amount }: Considered, holdings: Holdings): boolean {
  const to = holdings.of({ config: config.id, wallet: request.to })
  const from = request.from === null ? null : holdings.of({ config: config.id, wallet: request.from })
  if (from === null) config.issued = (BigInt(config.issued) + amount).toString()
  else from.outgoing += amount
  to.incoming += amount
  if (to.counted) return false
  const { max_holders } = config.rules
  if (from !== null && max_holders !== undefined && config.holders >= max_holders) {
    from.counted = false
    return true
  }
  to.counted = true
  config.holders += 1
  return false
}

export const unknownConfig = (id: string): Refusal => ({
  code: "unknown_mint_config",
  detail: `mint_config: ${id} is not a mint configuration of this workspace. List them with GET /mint-configs.`,
})

export const tooFine = ({ id, decimals }: ConfigRow): Refusal => ({
  code: "invalid_amount",
  detail: `amount: must be more than zero; for ${id} it ${limitsOf(decimals)}.`,
})
