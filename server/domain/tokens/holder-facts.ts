import type { Queryable } from "#db/client.ts"
import { columns, qualified, type RowOf } from "#db/rows.ts"
import { openClaims, statusAt } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { formatDay } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { Claims } from "#shared/claims.ts"
import { type Posted, type Posting, postingsOf, saveHoldings } from "./postings/post.ts"

/** The key for looking up a wallet: the schema that its configuration requires. */
export type WalletSchema = { schemaId: string; wallet: Address }

const nameOf = ({ schemaId, wallet }: WalletSchema) => `${schemaId}/${wallet}`

/** Attestations of these wallets for these schemas, as table `a` of a statement. */
const attestationsOf = (sql: Queryable, wanted: readonly WalletSchema[]) => sql`
  attestations a join (
    select distinct * from unnest(${wanted.map((one) => one.schemaId)}::text[], ${wanted.map((one) => one.wallet)}::text[])
      as t(schema_id, wallet)
  ) w on a.wallet = w.wallet and a.schema_id = w.schema_id`

/** What is known about wallets themselves, as opposed to what they hold. */
export type Standings = {
  /** The claims of a verified wallet. Null while it is not verified; empty if its claims were erased. */
  claims: (of: WalletSchema) => Claims | null
  /** The person for whom a verified wallet is verified, and by which attestation. Null while it is not verified. */
  verifiedFor: (of: WalletSchema) => { investor: string; attestationId: string } | null
  isFrozen: (of: HoldingKey) => boolean
  isBarred: (wallet: Address) => boolean
}

type StandingRow = { wallet: Address } & (
  | { frozen_in: null; id: string; schema_id: string; investor_id: string; claims: Buffer | null }
  | { frozen_in: string; id: null; schema_id: null; investor_id: null; claims: null }
)

/** Who is verified, frozen and barred now, in one statement, because every mint and transfer reads it. */
export async function loadStandings(
  sql: Queryable,
  workspaceId: string,
  wanted: readonly WalletSchema[],
  now: Date,
): Promise<Standings> {
  const wallets = wanted.map(({ wallet }) => wallet)
  const rows = await sql<StandingRow[]>`
    (select distinct on (a.schema_id, a.wallet) a.id, a.schema_id, a.wallet, a.investor_id, a.claims, null as frozen_in
    from ${attestationsOf(sql, wanted)} where a.workspace_id = ${workspaceId} and a.status = 'verified' and a.expires_at > ${now}
    order by a.schema_id, a.wallet, a.seq desc)
    union all
    select null, null, wallet, null, null, mint_config from wallet_freezes
    where workspace_id = ${workspaceId} and wallet = any(${wallets})
    union all
    select null, null, lost_wallet, null, null, ${BARRED} from recoveries
    where workspace_id = ${workspaceId} and lost_wallet = any(${wallets}) and barred_at is not null`
  const claims = new Map<string, Claims>()
  const persons = new Map<string, { investor: string; attestationId: string }>()
  const frozen = new Set<string>()
  for (const row of rows) {
    const { wallet } = row
    if (row.frozen_in !== null) frozen.add(keyName({ config: row.frozen_in, wallet }))
    else {
      const opened = row.claims === null ? {} : openClaims(row.id, row.claims)
      const name = nameOf({ schemaId: row.schema_id, wallet })
      claims.set(name, opened)
      persons.set(name, { investor: row.investor_id, attestationId: row.id })
    }
  }
  return {
    claims: (of) => claims.get(nameOf(of)) ?? null,
    verifiedFor: (of) => persons.get(nameOf(of)) ?? null,
    isFrozen: ({ config, wallet }) => [config, EVERY_TOKEN].some((one) => frozen.has(keyName({ config: one, wallet }))),
    isBarred: (wallet) => frozen.has(keyName({ config: BARRED, wallet })),
  }
}

export type Disclosure = { claims: boolean; attestations: boolean }

const movingScopes = ["token:mint", "token:transfer", "token:control"] as const

/**
 * A key that may move tokens may see why a rule refuses it. A member sees claims only on request, and each request
 * is in the audit log. Callers that can read attestations see an attestation's status.
 */
export const disclosureFor = ({ scopes, via }: Principal): Disclosure => ({
  claims: via.kind !== "user" && movingScopes.some((scope) => scopes.has(scope)),
  attestations: scopes.has("attestation:read") || scopes.has("kyc:read"),
})

const lossColumns = columns(
  "attestations",
  "schema_id, wallet, status, open_until, expires_at, verified_at, revoked_at, ended_at",
)
type LossRow = RowOf<typeof lossColumns>

/** The status of the newest attestation of each wallet that is not verified. */
export async function loadLosses(
  sql: Queryable,
  workspaceId: string,
  wanted: readonly WalletSchema[],
  now: Date,
): Promise<(of: WalletSchema) => string | undefined> {
  if (wanted.length === 0) return () => undefined
  const rows = await sql<LossRow[]>`
    select distinct on (a.schema_id, a.wallet) ${sql(qualified("a", lossColumns))} from ${attestationsOf(sql, wanted)}
    where a.workspace_id = ${workspaceId} order by a.schema_id, a.wallet, a.seq desc`
  const losses = new Map(rows.map((row) => [nameOf({ schemaId: row.schema_id, wallet: row.wallet }), lossOf(row, now)]))
  return (of) => losses.get(nameOf(of))
}

function lossOf(row: LossRow, now: Date): string | undefined {
  const { revoked_at, ended_at, verified_at, expires_at, open_until } = row
  switch (statusAt(row, now)) {
    case "pending":
      return "its verification is pending"
    case "rejected":
      return revoked_at
        ? `its attestation was revoked on ${formatDay(revoked_at)}`
        : `its verification was rejected on ${formatDay(ended_at!)}`
    case "expired":
      return verified_at
        ? `its attestation expired on ${formatDay(ended_at && ended_at < expires_at! ? ended_at : expires_at!)}`
        : `its session expired on ${formatDay(ended_at ?? open_until ?? expires_at!)}`
    case "verified":
      return undefined
  }
}

/**
 * `held`: the part of the balance that holds bind, including expired ones that have not ended yet. `lotted`: the sum of its
 * lots. `investor`: the person whose it is, if the token counts investors.
 */
export type Holding = {
  balance: bigint
  incoming: bigint
  outgoing: bigint
  held: bigint
  lotted: bigint
  hasSlot: boolean
  investor: string | null
}
export const NOTHING: Holding = {
  ...{ balance: 0n, incoming: 0n, outgoing: 0n, held: 0n, lotted: 0n },
  ...{ hasSlot: false, investor: null },
}

export type HoldingKey = { config: string; wallet: Address }

const holdingColumns = columns(
  "holdings",
  "mint_config, wallet, balance, incoming, outgoing, held, lotted, counted, investor",
)
type HoldingRow = RowOf<typeof holdingColumns>

/** Instead of a configuration, in the freeze of a wallet for every token. */
export const EVERY_TOKEN = "*"

/** Instead of a configuration, for a wallet that was reported as lost. */
const BARRED = "!"

export const keyName = ({ config, wallet }: HoldingKey) => `${config}/${wallet}`

/** The keys as a table `t` of a statement. */
export const listed = (sql: Queryable, keys: readonly HoldingKey[]) => sql`
  unnest(${keys.map((one) => one.config)}::text[], ${keys.map((one) => one.wallet)}::text[]) as t(config, wallet)`

/** What wallets hold now. A wallet without a row holds nothing. */
export async function readHoldings(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
): Promise<(key: HoldingKey) => Holding> {
  const rows = await sql<HoldingRow[]>`
    select ${sql(qualified("h", holdingColumns))}
    from holdings h join ${listed(sql, keys)} on h.mint_config = t.config and h.wallet = t.wallet
    where h.workspace_id = ${workspaceId}`
  const holdings = new Map(rows.map((row) => [keyName(keyOf(row)), toHolding(row)]))
  return (key) => holdings.get(keyName(key)) ?? NOTHING
}

const keyOf = ({ mint_config, wallet }: HoldingRow): HoldingKey => ({ config: mint_config, wallet })

const toHolding = (row: HoldingRow): Holding => ({
  balance: BigInt(row.balance),
  incoming: BigInt(row.incoming),
  outgoing: BigInt(row.outgoing),
  held: BigInt(row.held),
  lotted: BigInt(row.lotted),
  hasSlot: row.counted,
  investor: row.investor,
})

/** What wallets hold, locked in order, with new rows for wallets that have none. */
export async function lockHoldings(
  sql: Queryable,
  workspaceId: string,
  keys: readonly HoldingKey[],
): Promise<Holdings> {
  const unique = [...new Map(keys.map((key) => [keyName(key), key])).values()]
  // Sent together. The second statement sees the rows that the first one inserted.
  const [, rows] = await Promise.all([
    sql`
    insert into holdings (workspace_id, mint_config, wallet)
    select ${workspaceId}, config, wallet from ${listed(sql, unique)}
    order by config, wallet on conflict do nothing`,
    sql<HoldingRow[]>`
    select ${sql(qualified("h", holdingColumns))}
    from holdings h join ${listed(sql, unique)} on h.mint_config = t.config and h.wallet = t.wallet
    where h.workspace_id = ${workspaceId} order by h.mint_config, h.wallet for no key update of h`,
  ])
  return new Holdings(workspaceId, rows)
}

/** Holdings in memory, between the lock and the statement that writes them all. */
export class Holdings {
  readonly #workspaceId: string
  readonly #all: Map<string, HoldingKey & Holding>
  readonly #postings: Posting[] = []

  constructor(workspaceId: string, rows: readonly HoldingRow[]) {
    this.#workspaceId = workspaceId
    this.#all = new Map(rows.map((row) => [keyName(keyOf(row)), { ...keyOf(row), ...toHolding(row) }]))
  }

  of(key: HoldingKey): HoldingKey & Holding {
    const holding = this.#all.get(keyName(key))
    if (!holding) throw new Error("a holding is not locked")
    return holding
  }

  get all(): (HoldingKey & Holding)[] {
    return [...this.#all.values()]
  }

  /** Notes in the books what an operation changes: balances and what is held. Everything else is posted by a trigger. */
  post(operation: Posted, keys: readonly HoldingKey[], change: () => void): void {
    const before = keys.map((key) => ({ ...this.of(key) }))
    change()
    this.#postings.push(
      ...postingsOf(
        operation,
        before,
        keys.map((key) => this.of(key)),
      ),
    )
  }

  save(sql: Queryable): Promise<void> {
    return saveHoldings(sql, this.#workspaceId, this.all, this.#postings.splice(0))
  }
}
