import type { Place } from "../storage/journal.ts"
import { type Change, encodeRecord, type Meta } from "../storage/record.ts"
import type { Storage } from "../storage/storage.ts"
import { FAUCET_LAMPORTS, Faucet } from "./faucet.ts"
import { feeOf } from "./fees.ts"
import { History, type Landed } from "./history.ts"
import { ADDRESS_LOOKUP_TABLE_PROGRAM, base58OfKey, type Key, SYSTEM_PROGRAM } from "./keys.ts"
import { balancesOf, changesBetween, metaOf, resolveKeys, type States } from "./meta.ts"
import { advanced, nonceAccountOf } from "./nonce.ts"
import type { Commitment, Slots } from "./slots.ts"
import { TokenOwners } from "./token-owners.ts"
import type { TransactionError } from "./transaction-errors.ts"
import { Undo } from "./undo.ts"
import { type Account, type Execution, NO_ACCOUNT, Vm } from "./vm.ts"
import { isWritable, parseTransaction, type Transaction } from "./wire.ts"

/** The most bytes of ledger that a start replays. After that many, the chain writes a snapshot. */
const SNAPSHOT_BYTES = 64 << 20

/** Errors before execution for which a cluster charges the fee anyway (SIMD-82). LiteSVM does not. */
const chargedBeforeExecution = new Set<TransactionError>([
  "ProgramAccountNotFound",
  "InvalidProgramForExecution",
  "MaxLoadedAccountsDataSizeExceeded",
])

/** Errors that keep a transaction from landing, so that no fee is charged. */
const unchargedErrors = new Set<TransactionError>(["SignatureFailure", "BlockhashNotFound", "AlreadyProcessed"])

export type ExecutionResult = Execution & { landed: Landed | null }

export type Simulation = {
  execution: Execution
  /** The accounts that the transaction would write, in their state after it. */
  accounts: Map<Key, Account>
  meta: Meta
  keys: Key[]
  /** Null if it could not land. */
  fee: number | null
  loadedBytes: number
}

export type Listener = {
  onLanded?(landed: Landed, outcome: Execution, changed: Key[], transaction: Transaction): void
  onSlot?(): void
  /** The slot to return to: transactions that landed after it are undone. */
  onRollback?(slot: number): void
}

/** The number of slot hashes that programs see (`MAX_ENTRIES` of `SlotHashes`). */
const SLOT_HASHES = 512

/** How far the chain's clock may be ahead of the machine's before it is set back. */
const SET_BACK_SECONDS = 4
/** For how many of the last seconds the first slot is kept. */
const RECENT_SECONDS = 3600

/** The chain: executes transactions, stores them, finds them again, and produces blocks. */
export class Chain {
  readonly vm = new Vm()
  readonly history: History
  readonly slots: Slots
  readonly genesisHash: string
  readonly listeners = new Set<Listener>()
  /** A fault for tests: while true, transactions are accepted and lost. */
  held = false
  /** A fault for tests: history before this slot is hidden, as by a pruned node. */
  forgottenBefore = 0
  readonly #storage: Storage
  readonly #faucet: Faucet
  /** All accounts that differ from LiteSVM's initial ones. */
  readonly #changed = new Set<Key>()
  readonly #tokenOwners = new TokenOwners()
  /** Null without rollbacks, because it takes memory. */
  readonly #undo: Undo | null
  #unixSeconds = 0
  /** The first slot of each of the last seconds, for the times of empty blocks. Lost with the process. */
  readonly #seconds: { slot: number; unixSeconds: number }[] = []
  #snapshot: Promise<void> | null = null

  constructor(storage: Storage, { canRollBack = false } = {}) {
    this.#storage = storage
    this.#undo = canRollBack ? new Undo() : null
    this.slots = storage.slots
    this.history = new History(storage.journal)
    this.genesisHash = base58OfKey(storage.genesis.hash)
    this.#faucet = new Faucet(storage.genesis.faucetSeed)
    this.#put(this.#faucet.key, { ...NO_ACCOUNT, lamports: FAUCET_LAMPORTS })
    this.#restore()
    this.#setClock()
  }

  /** Token accounts that this wallet owns or once owned. */
  tokenAccountsOf(owner: Key): Iterable<Key> {
    return this.#tokenOwners.of(owner)
  }

  largestAccounts(count: number): { key: Key; lamports: bigint }[] {
    return [...this.#changed]
      .map((key) => ({ key, lamports: this.vm.balance(key) }))
      .sort((a, b) => (a.lamports < b.lamports ? 1 : a.lamports > b.lamports ? -1 : 0))
      .slice(0, count)
  }

  get unixSeconds(): number {
    return this.#unixSeconds
  }

  /** The time in a slot, if it is among the recent ones; otherwise null. */
  secondsAt(slot: number): number | null {
    return this.#seconds.findLast((one) => one.slot <= slot)?.unixSeconds ?? null
  }

  /**
   * Executes a transaction at once, in the current slot. If it lands, the operating system has it before this returns.
   * `onFailure`: with "land", a failed transaction pays its fee and is in the ledger, as when preflight is skipped.
   * With "refuse", it leaves no trace, so execution is its own preflight and a transaction runs once instead of twice.
   */
  submit(transaction: Transaction, onFailure: "land" | "refuse"): ExecutionResult {
    const { message, wire } = transaction
    const refusal = this.refusalOf(transaction, "processed")
    // The signature was verified when the transaction landed.
    if (refusal === "AlreadyProcessed") return refused(refusal)
    if (refusal !== null) return this.#refuse(transaction, refusal)
    const nonce = this.slots.isRecent(message.blockhash) ? null : nonceAccountOf(this.vm, message)
    this.#prepare(transaction)
    const { keys, loaded } = resolveKeys(this.vm, message)
    const before = this.#states(transaction, keys)
    const outcome = this.vm.execute(wire)
    if (outcome.err === "InvalidProgramForExecution") outcome.err = this.#missingProgram(transaction) ?? outcome.err
    if (outcome.err !== null && chargedBeforeExecution.has(outcome.err)) this.#charge(keys[0]!, BigInt(feeOf(message)))
    // A failed transaction that lands pays its fee and uses up its nonce.
    if (outcome.err !== null && nonce !== null && this.vm.balance(keys[0]!) !== before.get(keys[0]!)?.lamports)
      this.vm.put(nonce.key, advanced(nonce.account, this.slots.blockhash(this.slots.height() - 1)))
    const after = this.#states(transaction, keys)
    const changes = changesBetween(before, after)
    // A failed transaction that lands changes at least the fee payer. One that changed nothing did not land.
    const lands = outcome.err === null || (changes.length > 0 && onFailure === "land")
    if (!lands) {
      this.#restoreAccounts(changes, before)
      return { ...outcome, landed: null }
    }
    const slot = this.slots.slot()
    const unixSeconds = this.#unixSeconds
    const meta = metaOf({ execution: outcome, loaded, ...balancesOf(this.vm, keys, before, after) })
    let place: Place
    try {
      place = this.#append({ slot, unixSeconds, wire, meta, changes })
    } catch (error) {
      this.#restoreAccounts(changes, before)
      throw error
    }
    for (const { key, account } of changes) this.#track(key, account)
    this.#undo?.add({ slot, accounts: changes.map(({ key }) => [key, before.get(key) ?? null] as const) })
    const landed = this.history.add({ transaction, meta, slot, unixSeconds, place })
    const changed = changes.map(({ key }) => key)
    for (const listener of this.listeners) listener.onLanded?.(landed, outcome, changed, transaction)
    return { ...outcome, landed }
  }

  /**
   * Runs a transaction and undoes it. `blockhash`: the commitment at which its blockhash must be known, or "any" to
   * accept every blockhash. `verify`: whether its signatures must be valid.
   */
  simulate(
    transaction: Transaction,
    { verify, blockhash }: { verify: boolean; blockhash: Commitment | "any" },
  ): Simulation {
    const { message } = transaction
    this.#prepare(transaction)
    const { keys, loaded } = resolveKeys(this.vm, message)
    const before = this.#states(transaction, keys)
    const { accounts, ...outcome } = this.vm.simulate(transaction.wire, verify)
    const refusal = outcome.err === "SignatureFailure" ? null : this.refusalOf(transaction, blockhash)
    const execution = refusal === null ? outcome : refused(refusal)
    if (execution.err === "InvalidProgramForExecution")
      execution.err = this.#missingProgram(transaction) ?? execution.err
    const isCharged = execution.err === null || !unchargedErrors.has(execution.err)
    const after = new Map(before)
    if (execution.err === null) for (const key of before.keys()) after.set(key, accounts.get(key) ?? null)
    else if (isCharged) {
      const payer = before.get(keys[0]!) ?? NO_ACCOUNT
      after.set(keys[0]!, { ...payer, lamports: payer.lamports - BigInt(feeOf(message)) })
    }
    const meta = metaOf({ execution, loaded, ...balancesOf(this.vm, keys, before, after) })
    const loadedBytes = keys.reduce((bytes, key) => bytes + (this.vm.account(key)?.data.length ?? 0), 0)
    return { execution, accounts, meta, keys, fee: isCharged ? feeOf(message) : null, loadedBytes }
  }

  /** Why a transaction cannot land whatever it does: its blockhash or nonce is unknown, or it has already landed. */
  refusalOf({ message, signature }: Transaction, blockhash: Commitment | "any"): TransactionError | null {
    const { slots } = this
    if (blockhash !== "any") {
      const isKnown = slots.isRecent(message.blockhash, blockhash) || nonceAccountOf(this.vm, message) !== null
      if (!isKnown) return "BlockhashNotFound"
    }
    return blockhash !== "any" && this.history.has(signature) ? "AlreadyProcessed" : null
  }

  airdrop(to: Key, lamports: bigint): ExecutionResult & { signature: string } {
    const wire = this.#faucet.airdrop(to, lamports, this.slots.blockhash(this.slots.height()))
    const transaction = parseTransaction(wire)
    return { ...this.submit(transaction, "refuse"), signature: transaction.signature }
  }

  advance(blocks: number) {
    this.slots.advance(blocks)
    this.#onSlot()
    if (this.#storage.unsavedBytes > SNAPSHOT_BYTES) this.snapshot().catch(reportSnapshot)
  }

  /**
   * Undoes all transactions that landed after this slot, like a cluster that continues from an older block. The next
   * block follows this slot's block, in a new slot. Throws if a later slot is finalized. Also throws if a transaction
   * landed after this slot before the process started, because undoing needs the earlier states in memory.
   */
  rollback(slot: number) {
    if (this.#undo === null || slot >= this.slots.slot() || !this.slots.hasBlock(slot))
      throw new RangeError(`slot ${slot} has no block to go back to`)
    if (slot < this.slots.slot("finalized")) throw new RangeError(`slot ${slot} is followed by finalized ones`)
    const kept = this.history.countUpToSlot(slot)
    const { count, accounts } = this.#undo.takeAfter(slot)
    if (count !== this.history.count - kept)
      throw new RangeError("transactions from before a start cannot be rolled back")
    for (const [key, account] of accounts) this.vm.put(key, account ?? NO_ACCOUNT)
    if (count > 0) this.#storage.truncate(this.history.truncate(kept))
    this.slots.rollback(slot)
    for (const listener of this.listeners) listener.onRollback?.(slot)
    this.#onSlot()
  }

  #onSlot() {
    this.#undo?.forgetUpTo(this.slots.slot("finalized"))
    this.#setClock()
    for (const listener of this.listeners) listener.onSlot?.()
  }

  /** One at a time: a second caller waits for the snapshot in progress. */
  async snapshot(): Promise<void> {
    this.#snapshot ??= this.#storage.snapshot(this.#accounts()).finally(() => {
      this.#snapshot = null
    })
    await this.#snapshot
  }

  async close(): Promise<void> {
    await this.#snapshot?.catch(reportSnapshot)
    if (this.#storage.unsavedBytes > 0) await this.snapshot().catch(reportSnapshot)
    this.#storage.close()
  }

  #append(record: Parameters<typeof encodeRecord>[0]) {
    return this.#storage.journal.append(encodeRecord(record))
  }

  #restore() {
    const accounts = this.#storage.restore((stored) => {
      this.history.add(stored)
      this.#unixSeconds = stored.unixSeconds
    })
    // Setting a program's account loads it from another account, which must be set first.
    const programs: Change[] = []
    for (const change of accounts)
      if (change.account.executable) programs.push(change)
      else this.#put(change.key, change.account)
    for (const { key, account } of programs) this.#put(key, account)
  }

  #put(key: Key, account: Account) {
    this.vm.put(key, account)
    this.#track(key, account)
  }

  #track(key: Key, account: Account) {
    this.#changed.add(key)
    this.#tokenOwners.add(key, account)
  }

  *#accounts(): Iterable<Change> {
    for (const key of this.#changed) {
      const account = this.vm.account(key)
      if (account !== null) yield { key, account }
    }
  }

  /** As on a cluster, time never goes back, unless someone corrected the machine's clock. */
  #setClock() {
    const now = Math.floor(Date.now() / 1000)
    if (now > this.#unixSeconds || now < this.#unixSeconds - SET_BACK_SECONDS) {
      this.#unixSeconds = now
      this.#seconds.push({ slot: this.slots.slot(), unixSeconds: now })
      if (this.#seconds.length > 2 * RECENT_SECONDS) this.#seconds.splice(0, RECENT_SECONDS)
    }
    this.vm.setClock(this.slots.slot(), this.#unixSeconds)
  }

  /** A cluster checks signatures first, so a forged transaction gets that error here, too. */
  #refuse({ wire }: Transaction, err: TransactionError): ExecutionResult {
    return this.vm.simulate(wire, true).err === "SignatureFailure" ? refused("SignatureFailure") : refused(err)
  }

  #states({ message }: Transaction, keys: Key[]): States {
    const states: States = new Map()
    keys.forEach((key, index) => {
      const writable = index >= message.keys.length || isWritable(message, index)
      if (writable) states.set(key, this.vm.account(key))
    })
    return states
  }

  /** LiteSVM has one error for a missing program and for an account that is not a program. A cluster has two. */
  #missingProgram({ message }: Transaction): TransactionError | null {
    const missing = message.instructions.some(
      ({ programIdIndex }) => this.vm.balance(message.keys[programIdIndex]!) === 0n,
    )
    return missing ? "ProgramAccountNotFound" : null
  }

  #charge(payer: Key, lamports: bigint) {
    const account = this.vm.account(payer)
    if (account !== null && account.lamports >= lamports && account.owner === SYSTEM_PROGRAM)
      this.vm.put(payer, { ...account, lamports: account.lamports - lamports })
  }

  /** Sets the hashes of past slots for the only program that reads them. */
  #prepare({ message }: Transaction) {
    if (message.keys.includes(ADDRESS_LOOKUP_TABLE_PROGRAM)) this.vm.setSlotHashes(this.slots.recentBlocks(SLOT_HASHES))
  }

  #restoreAccounts(changes: Change[], before: States) {
    for (const { key } of changes) this.vm.put(key, before.get(key) ?? NO_ACCOUNT)
  }
}

const refused = (err: TransactionError): ExecutionResult => ({
  err,
  logs: [],
  computeUnits: 0,
  inner: [],
  returnData: null,
  landed: null,
})

/** Without a snapshot, only the next start takes longer. */
const reportSnapshot = (error: unknown) => console.error(`localnet: no snapshot could be written: ${error}`)
