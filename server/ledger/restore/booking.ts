import { PublicKey, VersionedTransaction } from "@solana/web3.js"
import bs58 from "bs58"
import { type Queryable, background as sql } from "#db/client.ts"
import type { Unexplained } from "#db/schema/ledger.ts"
import { takeFromArchive } from "#server/ledger/archive.ts"
import { decodeAll, type Operations } from "#server/ledger/definition.ts"
import { voidPlans } from "#server/ledger/lease.ts"
import { OPERATION_COLUMNS, type OperationRow, toRow } from "#server/ledger/operation.ts"
import { type Issuers, issuersOf, readOwnTransaction, signersOf } from "#server/ledger/own-transactions.ts"
import { settleConfirmed } from "#server/ledger/settle.ts"
import { newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import type { Address } from "#shared/address.ts"
import { type Carried, carriedBy, ownersIn } from "./carried.ts"
import type { Landed } from "./history.ts"
import { quarantine } from "./quarantine.ts"

/** Instructions that change who holds what. The effect of any other is read from the chain when it matters. */
const MOVES = new Set(["MintTo", "MintToChecked", "Burn", "BurnChecked", "Transfer", "TransferChecked"])

/** Offset in a token account (spl-token: AccountLayout). */
const OWNER_OFFSET = 32

/** `foreign`: no workspace of this database signed the transaction. `stranger`: we did not pay for it. */
export type BookingResult = "settled" | "unexplained" | "foreign" | "stranger"

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
    const transaction = await readOwnTransaction(this.#chain, signature, this.#issuers)
    if (transaction === null) return "stranger"
    const { message } = transaction
    const carried = carriedBy(message)
    const workspaceId = (await this.#workspaceOf(signersOf(message))) ?? (await this.#workspaceWith(carried))
    if (workspaceId === null) return "foreign"
    const owners = ownersIn(message)
    await this.#readOwners(carried, owners)
    const wire = new VersionedTransaction(
      message,
      transaction.signatures.map((one) => bs58.decode(one)),
    )
    const unexplained = await sql.begin((sql) =>
      this.#bind(sql, workspaceId, {
        landed: { signature, slot },
        carried,
        ownerOf: (account) => owners.get(account) ?? null,
        wire: Buffer.from(wire.serialize()),
      }),
    )
    await settleConfirmed(this.#kinds, [{ signature, slot, isFinal: true }])
    return unexplained.length > 0 ? "unexplained" : "settled"
  }

  /** The workspace whose authority is among the signers. */
  async #workspaceOf(signers: readonly Address[]): Promise<string | null> {
    const issuers = await this.#issuers()
    const found = signers.find((signer) => issuers.has(signer))
    return found ? issuers.get(found)! : null
  }

  /** The workspace whose operations or attestations its memos name: it may have had another key at the time. */
  async #workspaceWith(carried: readonly Carried[]): Promise<string | null> {
    const ids = carried.map(({ id }) => id)
    const [row] = await sql<{ id: string }[]>`
      select w.id from workspaces w where w.mode = ${this.#chain.mode} and (
        exists (select from operations o where o.workspace_id = w.id and o.id = any(${ids}))
        or exists (select from attestations a where a.workspace_id = w.id and a.id = any(${ids}))) limit 1`
    return row?.id ?? null
  }

  /** Adds the owners of token accounts, as read from the chain. */
  async #readOwners(carried: readonly Carried[], owners: Map<Address, Address>): Promise<void> {
    const named = carried.filter(({ instruction }) => MOVES.has(instruction))
    const unknown = named.flatMap(({ accounts }) => accounts.slice(0, 3)).filter((account) => !owners.has(account))
    const { value } = await this.#chain.rpc.settling.accounts(
      unknown.map((account) => new PublicKey(account)),
      { since: 0 },
    )
    for (const [i, account] of unknown.entries()) {
      const data = value[i]?.data
      if (!data || data.length < OWNER_OFFSET + 32) continue
      const owner = new PublicKey(data.subarray(OWNER_OFFSET, OWNER_OFFSET + 32))
      // Its address derives from its owner, so a node cannot give a false owner.
      const derives = named.some(
        ({ accounts }) =>
          accounts.includes(account) &&
          accounts.some((mint) => addressOf(tokenAccountOf(publicKeyOf(mint), owner)) === account),
      )
      if (derives) owners.set(account, addressOf(owner))
    }
  }

  /**
   * Books the transaction as if this deployment had just saved it, with its operations: those in the database, and
   * those that can be rebuilt from the chain. If one cannot, the same commit puts the workspace in quarantine.
   */
  async #bind(
    sql: Queryable,
    workspaceId: string,
    about: {
      landed: { signature: string; slot: number }
      carried: readonly Carried[]
      ownerOf: (account: Address) => Address | null
      wire: Buffer
    },
  ): Promise<Unexplained[]> {
    const { landed, carried, ownerOf, wire } = about
    const { signature, slot } = landed
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
        ? { id: row.id, problem: await this.#attach(sql, row, signature) }
        : await this.#rebuild(sql, workspaceId, { one, signature, ownerOf })
      ids.push(id)
      if (problem !== null) unexplained.push(describe(one, { signature, detail: problem, ownerOf }))
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
    const byMemo = new Map(
      this.#kinds
        .byKind(rows, (row) => row)
        .flatMap(([definition, ofKind]) =>
          decodeAll(definition, ofKind).map(
            (operation, i) => [definition.memoId(operation) as string, ofKind[i]!] as const,
          ),
        ),
    )
    this.#unfinished.set(workspaceId, byMemo)
    return byMemo
  }

  /** Binds an operation to the transaction that landed. Its other transaction, if any, can only expire. */
  async #attach(sql: Queryable, { workspace_id, id }: OperationRow, signature: string): Promise<string | null> {
    const taken = await sql`
      update operations set status = 'submitted', signature = ${signature}
      where workspace_id = ${workspace_id} and id = ${id} and status in ('queued', 'submitted') returning id`
    return taken.length > 0 ? null : "its operation has ended in another way"
  }

  /** Returns the operation's id and, if it cannot be explained, why. */
  async #rebuild(
    sql: Queryable,
    workspaceId: string,
    about: { one: Carried; signature: string; ownerOf: (account: Address) => Address | null },
  ): Promise<{ id: string; problem: string | null }> {
    const { one, signature, ownerOf } = about
    const known = (problem: string | null) => ({ id: one.id, problem })
    const [ended] = await sql<{ status: string; signature: string | null }[]>`
      select status, signature from operations where workspace_id = ${workspaceId} and id = ${one.id}`
    if (ended?.signature === signature && ended.status === "confirmed") return known(null)
    // The operation ended without a transaction because its effect was already on chain: this transaction had made it.
    if (ended?.status === "confirmed" && ended.signature === null && !MOVES.has(one.instruction)) {
      await sql`
        update operations set signature = ${signature} where workspace_id = ${workspaceId} and id = ${one.id}`
      return known(null)
    }
    if (ended && MOVES.has(one.instruction))
      return known(`its operation has ended as ${ended.status}${ended.signature ? ` by ${ended.signature}` : ""}`)
    // An operation that moves nothing does no harm if it was repeated.
    if (!MOVES.has(one.instruction)) return known(null)
    for (const definition of this.#kinds.all) {
      const payload = await definition.rebuild?.(sql, one, { workspaceId, signature, ownerOf })
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
    return known("no row shows what it was for")
  }
}

function describe(
  { id, memo, instruction, accounts }: Carried,
  about: { signature: string; detail: string; ownerOf: (account: Address) => Address | null },
): Unexplained {
  // A mint is not a token account: its bytes at that offset are not an owner, so the instruction identifies the
  // account.
  const account = instruction.startsWith("MintTo") ? accounts[1] : accounts[0]
  const mint = instruction.startsWith("MintTo") ? accounts[0] : accounts[1]
  const { signature, detail, ownerOf } = about
  const wallet = account === undefined ? null : ownerOf(account)
  return { signature, id, memo, instruction, detail, mint: mint ?? null, account: account ?? null, wallet }
}
