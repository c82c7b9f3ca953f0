import { PublicKey, type VersionedMessage, VersionedTransaction } from "@solana/web3.js"
import bs58 from "bs58"
import { type Queryable, background as sql } from "#db/client.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { takeFromArchive } from "#server/ledger/archive.ts"
import { decodeAll, type Operations } from "#server/ledger/definition.ts"
import { issuedBy } from "#server/ledger/issuer.ts"
import { voidPlans } from "#server/ledger/lease.ts"
import { OPERATION_COLUMNS, type OperationRow, toRow } from "#server/ledger/operation.ts"
import { type Issuers, issuersOf, readOwnTransaction, signersOf } from "#server/ledger/own-transactions.ts"
import { settleConfirmed } from "#server/ledger/settle.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { holdPlace } from "#server/solana/asset-hold.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Address } from "#shared/address.ts"
import { type Carried, carriedBy, isAssociated, ownersIn, ownersReported } from "./carried.ts"
import type { Landed } from "./history.ts"
import { quarantine } from "./quarantine.ts"

/** Instructions that change who holds what. The effect of any other is read from the chain when it matters. */
const MOVES = new Set([
  "MintTo",
  "MintToChecked",
  "Burn",
  "BurnChecked",
  "PermissionedBurn",
  "PermissionedBurnChecked",
  "Transfer",
  "TransferChecked",
])

/** Offset in a token account (spl-token: AccountLayout). */
const OWNER_OFFSET = 32

/** `foreign`: no workspace of this database signed the transaction. `stranger`: we did not pay for it. */
export type BookingResult = "settled" | "unexplained" | "foreign" | "stranger"

type OwnerOf = (account: Address) => Address | null
type Found = {
  signature: string
  slot: number
  landedAt: Date | null
  carried: readonly Carried[]
  ownerOf: OwnerOf
  message: VersionedMessage
  wire: Buffer
}

/** Books transactions that have landed. Call `book` in the order in which they landed. */
export class Booking {
  readonly #chain: Chain
  readonly #kinds: Operations
  /** Unfinished operations of each workspace, by the ids in their memos. */
  readonly #unfinished = new Map<string, Map<string, OperationRow>>()
  readonly #issuers: Issuers

  constructor(chain: Chain, kinds: Operations) {
    this.#chain = chain
    this.#kinds = kinds
    this.#issuers = issuersOf(chain)
  }

  async book({ signature, slot, isKnown }: Landed): Promise<BookingResult> {
    if (isKnown) {
      await settleConfirmed(this.#kinds, [{ signature, slot, isFinal: true }])
      return "settled"
    }
    const own = await readOwnTransaction(this.#chain, signature, this.#issuers)
    if (own === null) return "stranger"
    const { transaction, meta, blockTime } = own
    const { message } = transaction
    const carried = carriedBy(message)
    const issuers = await this.#issuers()
    const signer = signersOf(message).find((one) => issuers.has(one))
    const workspaceId = signer ? issuers.get(signer)! : await this.#workspaceWith(carried)
    if (workspaceId === null) return "foreign"
    const owners = ownersIn(message)
    await this.#readOwners(workspaceId, carried, owners)
    for (const [account, owner] of ownersReported(message, meta)) if (!owners.has(account)) owners.set(account, owner)
    const signatures = transaction.signatures.map((one) => bs58.decode(one))
    const wire = Buffer.from(new VersionedTransaction(message, signatures).serialize())
    const ownerOf: OwnerOf = (account) => owners.get(account) ?? null
    const landedAt = blockTime == null ? null : new Date(blockTime * 1000)
    const found = { signature, slot, landedAt, carried, ownerOf, message, wire }
    const unexplained = await sql.begin((sql) => this.#bind(sql, workspaceId, found))
    await settleConfirmed(this.#kinds, [{ signature, slot, isFinal: true }])
    return unexplained.length > 0 ? "unexplained" : "settled"
  }

  /** The workspace whose operations, attestations, snapshots or anchors its memos name: it may have had another key then. */
  async #workspaceWith(carried: readonly Carried[]): Promise<string | null> {
    const ids = carried.map(({ id }) => id)
    const [row] = await sql<{ id: string }[]>`
      select w.id from workspaces w where w.mode = ${this.#chain.mode} and (
        exists (select from operations o where o.workspace_id = w.id and o.id = any(${ids}))
        or exists (select from operations o where o.workspace_id = w.id and o.status <> 'failed'
          and o.payload ->> 'payout_id' = any(${ids}))
        or exists (select from snapshots s where s.workspace_id = w.id and s.id = any(${ids}))
        or exists (select from audit_anchors n where n.workspace_id = w.id and n.id = any(${ids}))
        or exists (select from attestations a where a.workspace_id = w.id and a.id = any(${ids}))) limit 1`
    return row?.id ?? null
  }

  /** Adds the owners of token accounts: of hold accounts from the books, of others from the chain. */
  async #readOwners(workspaceId: string, carried: readonly Carried[], owners: Map<Address, Address>): Promise<void> {
    const named = carried
      .filter(({ instruction }) => MOVES.has(instruction))
      .flatMap(({ accounts, more }) => [accounts, ...more.map((one) => one.accounts)])
    // A holder may have closed a hold account since, but not while a hold was in it.
    const holds = await sql<{ account: Address; wallet: Address }[]>`
      select distinct account, wallet from holds where workspace_id = ${workspaceId} and account = any(${named.flat()})`
    for (const { account, wallet } of holds) owners.set(account, wallet)
    const unknown = named.flatMap((accounts) => accounts.slice(0, 3)).filter((account) => !owners.has(account))
    const { value } = await this.#chain.rpc.settling.accounts(
      unknown.map((account) => new PublicKey(account)),
      { since: 0 },
    )
    const authorities = (await issuedBy(sql, workspaceId)).map(publicKeyOf)
    for (const [i, account] of unknown.entries()) {
      const data = value[i]?.data
      if (!data || data.length < OWNER_OFFSET + 32) continue
      const owner = new PublicKey(data.subarray(OWNER_OFFSET, OWNER_OFFSET + 32))
      // Its address derives from its owner, so a node cannot give a false owner.
      const derives = (mint: PublicKey) =>
        isAssociated(account, mint, owner) ||
        authorities.some((base) => addressOf(holdPlace(base, mint, owner).account) === account)
      const isOwner = named.some(
        (accounts) => accounts.includes(account) && accounts.some((mint) => derives(publicKeyOf(mint))),
      )
      if (isOwner) owners.set(account, addressOf(owner))
    }
  }

  /**
   * Books the transaction as if this deployment had just saved it, with its operations: those in the database, and
   * those that can be rebuilt from the chain. If one cannot, the same commit puts the workspace in quarantine.
   */
  async #bind(sql: Queryable, workspaceId: string, found: Found): Promise<Unexplained[]> {
    const { signature, slot, carried, wire } = found
    const unfinished = await this.#unfinishedOf(workspaceId)
    const ids: string[] = []
    const unexplained: Unexplained[] = []
    // Locks the workspace's lease: if several processes compare, one takes the transaction.
    await voidPlans(sql, workspaceId)
    const taken = await sql`select from transactions where signature = ${signature} and status <> 'expired'`
    if (taken.length > 0) return []
    for (const one of carried) {
      const row = unfinished.get(one.id)
      const { id, problem } = row
        ? { id: row.id, problem: await this.#attach(sql, row, one, found) }
        : await this.#rebuild(sql, workspaceId, one, found)
      ids.push(id)
      if (problem !== null) unexplained.push(describe(one, found, problem))
    }
    // The transaction has landed, so the number of instructions of each operation no longer matters.
    const layout = ids.map((id) => [id, 0])
    await takeFromArchive(sql, signature)
    await sql`
      insert into transactions
        (signature, workspace_id, mode, wire, layout, head, signed_slot, last_valid_block_height, status, created_at)
      values (${signature}, ${workspaceId}, ${this.#chain.mode}, ${wire}, ${sql.json(layout)}, 0, ${slot}, 0, 'saved',
        ${clock.now()})
      on conflict (signature) do update set status = 'saved', settled_at = null where transactions.status = 'expired'`
    if (unexplained.length > 0) await quarantine(sql, workspaceId, unexplained)
    return unexplained
  }

  async #unfinishedOf(workspaceId: string): Promise<Map<string, OperationRow>> {
    const known = this.#unfinished.get(workspaceId)
    if (known) return known
    const rows = await sql<OperationRow[]>`
      select ${sql(OPERATION_COLUMNS)} from operations
      where workspace_id = ${workspaceId} and status in ('queued', 'submitted')`
    const byMemo = new Map<string, OperationRow>()
    for (const [definition, ofKind] of this.#kinds.byKind(rows))
      for (const [i, operation] of decodeAll(definition, ofKind).entries())
        byMemo.set(definition.memoId(operation), ofKind[i]!)
    this.#unfinished.set(workspaceId, byMemo)
    return byMemo
  }

  /** Binds an operation to the transaction that landed. Its other transaction, if any, can only expire. */
  async #attach(
    sql: Queryable,
    row: OperationRow,
    carried: Carried,
    { signature, message }: Found,
  ): Promise<string | null> {
    const { workspace_id, id, kind } = row
    const taken = await sql`
      update operations set status = 'submitted', signature = ${signature}
      where workspace_id = ${workspace_id} and id = ${id} and status in ('queued', 'submitted') returning id`
    if (taken.length === 0) return "its operation has ended in another way"
    const definition = this.#kinds.definitionOf(kind)
    await definition.attach?.(sql, decodeAll(definition, [row])[0]!, { carried, message })
    return null
  }

  /** Returns the operation's id and, if it cannot be explained, why. */
  async #rebuild(
    sql: Queryable,
    workspaceId: string,
    one: Carried,
    { signature, landedAt, ownerOf }: Found,
  ): Promise<{ id: string; problem: string | null }> {
    const moves = MOVES.has(one.instruction)
    const known = (problem: string | null) => ({ id: one.id, problem })
    const [ended] = await sql<{ status: string; signature: string | null }[]>`
      select status, signature from operations where workspace_id = ${workspaceId} and id = ${one.id}`
    if (ended?.signature === signature && ended.status === "confirmed") return known(null)
    // The operation ended without a transaction because its effect was already on chain: this transaction had made it.
    if (ended?.status === "confirmed" && ended.signature === null && !moves)
      await sql`update operations set signature = ${signature} where workspace_id = ${workspaceId} and id = ${one.id}`
    // An operation that moves nothing does no harm if it was repeated.
    if (ended && !moves) return known(null)
    if (ended)
      return known(`its operation has ended as ${ended.status}${ended.signature ? ` by ${ended.signature}` : ""}`)
    for (const definition of this.#kinds.all) {
      const payload = await definition.rebuild?.(sql, one, { workspaceId, signature, landedAt, ownerOf })
      if (payload === "nothing") return known(null)
      if (!payload) continue
      // A memo names the operation itself or its subject.
      const own = newId("op")
      const id = definition.memoId({ id: own, workspaceId, payload, attempts: 0, redo: false }) === own ? one.id : own
      const row = toRow(definition, { id, payload, writes: [], reads: [] })
      await sql`
        insert into operations
          (workspace_id, id, kind, status, signature, payload, writes, reads, mint_config, wallet, from_wallet, created_at)
        values (${workspaceId}, ${row.id}, ${row.kind}, 'submitted', ${signature}, ${sql.json(row.payload as never)}, '{}', '{}',
          ${row.mint_config as string | null}, ${row.wallet as string | null}, ${row.from_wallet as string | null}, ${clock.now()})`
      return { id, problem: null }
    }
    return known(moves ? "no row shows what it was for" : null)
  }
}

function describe(
  { id, memo, instruction, accounts }: Carried,
  { signature, ownerOf }: Found,
  detail: string,
): Unexplained {
  // The instruction identifies the account: a mint's bytes at the owner's offset are not an owner.
  const [first = null, second = null] = accounts
  const [mint, account] = instruction.startsWith("MintTo") ? [first, second] : [second, first]
  return { signature, id, memo, instruction, detail, mint, account, wallet: account && ownerOf(account) }
}
