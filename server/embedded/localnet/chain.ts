import { FAUCET_LAMPORTS, Faucet } from "./faucet.ts"
import { feeOf } from "./fees.ts"
import { History, type Landed } from "./history.ts"
import type { Place } from "./journal.ts"
import { base58OfKey, type Key, SYSTEM_PROGRAM } from "./keys.ts"
import { balancesOf, metaOf, resolveKeys, type States } from "./meta.ts"
import { type Change, encodeRecord } from "./record.ts"
import type { Slots } from "./slots.ts"
import type { Storage } from "./storage.ts"
import { TokenOwners } from "./token-owners.ts"
import type { TransactionError } from "./transaction-errors.ts"
import { type Account, type Execution, GONE, Vm } from "./vm.ts"
import { isWritable, parseTransaction, type Transaction } from "./wire.ts"

/** A snapshot is taken when a start would have to go over more of the ledger than this. */
const SNAPSHOT_BYTES = 64 << 20

/** Errors with which a cluster charges the fee although nothing ran (SIMD-82); LiteSVM does not charge. */
const chargedUnrun = new Set<TransactionError>([
  "ProgramAccountNotFound",
  "InvalidProgramForExecution",
  "MaxLoadedAccountsDataSizeExceeded",
])

export type ExecutionResult = Execution & { landed: Landed | null }

export type Listener = {
  onLanded?(landed: Landed, outcome: Execution, changed: Key[], transaction: Transaction): void
  onSlot?(): void
}

/** By how far the chain may be ahead of the machine before its time is set back. */
const SET_BACK_SECONDS = 4

/** The one chain: executes, writes down, remembers, and lets slots pass. */
export class Chain {
  readonly vm = new Vm()
  readonly history: History
  readonly slots: Slots
  readonly genesisHash: string
  readonly listeners = new Set<Listener>()
  /** While true, transactions are accepted and lost. A fault for tests. */
  held = false
  readonly #storage: Storage
  readonly #faucet: Faucet
  /** All accounts that differ from what LiteSVM begins with. */
  readonly #touched = new Set<Key>()
  readonly #tokenOwners = new TokenOwners()
  #unixSeconds = 0
  #snapshot: Promise<void> | null = null

  constructor(storage: Storage) {
    this.#storage = storage
    this.slots = storage.slots
    this.history = new History(storage.journal)
    this.genesisHash = base58OfKey(storage.genesis.hash)
    this.#faucet = new Faucet(storage.genesis.faucetSeed)
    this.#put(this.#faucet.key, { ...GONE, lamports: FAUCET_LAMPORTS })
    this.#restore()
    this.#setClock()
  }

  /** Accounts that are or were tokens of this wallet. */
  tokenAccountsOf(owner: Key): Iterable<Key> {
    return this.#tokenOwners.of(owner)
  }

  get unixSeconds(): number {
    return this.#unixSeconds
  }

  /**
   * Executes at once, in the slot that is now. What lands is in the operating system's hands before this returns.
   * `onFailure`: with "land" a failed transaction pays its fee and is in the ledger, as when preflight is skipped;
   * with "refuse" it leaves no trace, which makes execution its own preflight: a transaction is run once, not twice.
   */
  submit(transaction: Transaction, onFailure: "land" | "refuse"): ExecutionResult {
    const { message, signature, wire } = transaction
    if (this.history.has(signature)) return refused("AlreadyProcessed")
    if (!this.slots.isRecent(message.blockhash)) return this.#refuseUnsent(transaction, "BlockhashNotFound")
    const { keys, loaded } = resolveKeys(this.vm, message)
    const before = this.#states(transaction, keys)
    const outcome = this.vm.execute(wire)
    if (outcome.err === "InvalidProgramForExecution")
      outcome.err = this.#missingProgram(transaction) ?? outcome.err
    if (outcome.err !== null && chargedUnrun.has(outcome.err)) this.#charge(keys[0]!, BigInt(feeOf(message)))
    const after = this.#states(transaction, keys)
    const changes = changesBetween(before, after)
    // Every failure that lands has paid its fee, so a failure that changed nothing did not land.
    const lands = outcome.err === null || (changes.length > 0 && onFailure === "land")
    if (!lands) {
      this.#undo(changes, before)
      return { ...outcome, landed: null }
    }
    const slot = this.slots.slot()
    const unixSeconds = this.#unixSeconds
    const meta = metaOf({ execution: outcome, loaded, ...balancesOf(this.vm, keys, before, after) })
    let place: Place
    try {
      place = this.#append({ slot, unixSeconds, wire, meta, changes })
    } catch (error) {
      this.#undo(changes, before)
      throw error
    }
    for (const { key, account } of changes) this.#see(key, account)
    const landed = this.history.add({ transaction, meta, slot, unixSeconds, place })
    const changed = changes.map(({ key }) => key)
    for (const listener of this.listeners) listener.onLanded?.(landed, outcome, changed, transaction)
    return { ...outcome, landed }
  }

  /** Simulates a transaction. `anyBlockhash`: do not check whether its blockhash is recent. */
  simulate(transaction: Transaction, { verify, anyBlockhash }: { verify: boolean; anyBlockhash: boolean }) {
    const accounts = new Map<Key, Account>()
    const outcome = this.vm.simulate(transaction.wire, verify)
    if (outcome.err === "SignatureFailure") return outcome
    if (!anyBlockhash && !this.slots.isRecent(transaction.message.blockhash))
      return { ...refused("BlockhashNotFound"), accounts }
    if (!anyBlockhash && this.history.has(transaction.signature))
      return { ...refused("AlreadyProcessed"), accounts }
    if (outcome.err === "InvalidProgramForExecution")
      outcome.err = this.#missingProgram(transaction) ?? outcome.err
    return outcome
  }

  airdrop(to: Key, lamports: bigint): ExecutionResult & { signature: string } {
    const wire = this.#faucet.airdrop(to, lamports, this.slots.blockhash(this.slots.height()))
    const transaction = parseTransaction(wire)
    return { ...this.submit(transaction, "refuse"), signature: transaction.signature }
  }

  advance(blocks: number) {
    this.slots.advance(blocks)
    this.#setClock()
    for (const listener of this.listeners) listener.onSlot?.()
    if (this.#storage.unsavedBytes > SNAPSHOT_BYTES) this.snapshot().catch(reportSnapshot)
  }

  /** Never two at a time; a second caller waits for the first one's. */
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
    // A program is loaded when its account is set, from another account that must be there by then.
    const programs: Change[] = []
    for (const change of accounts)
      if (change.account.executable) programs.push(change)
      else this.#put(change.key, change.account)
    for (const { key, account } of programs) this.#put(key, account)
  }

  #put(key: Key, account: Account) {
    this.vm.put(key, account)
    this.#see(key, account)
  }

  #see(key: Key, account: Account) {
    this.#touched.add(key)
    this.#tokenOwners.see(key, account)
  }

  *#accounts(): Iterable<Change> {
    for (const key of this.#touched) {
      const account = this.vm.account(key)
      if (account !== null) yield { key, account }
    }
  }

  /** Never back, as on a cluster, but for a machine whose clock was wrong and has been set. */
  #setClock() {
    const now = Math.floor(Date.now() / 1000)
    if (now > this.#unixSeconds || now < this.#unixSeconds - SET_BACK_SECONDS) this.#unixSeconds = now
    this.vm.setClock(this.slots.slot(), this.#unixSeconds)
  }

  /** A cluster looks at signatures before anything else, so a forged transaction must be called forged here, too. */
  #refuseUnsent({ wire }: Transaction, err: TransactionError): ExecutionResult {
    return this.vm.simulate(wire, true).err === "SignatureFailure"
      ? refused("SignatureFailure")
      : refused(err)
  }

  #states({ message }: Transaction, keys: Key[]): States {
    const states: States = new Map()
    keys.forEach((key, index) => {
      const writable = index >= message.keys.length || isWritable(message, index)
      if (writable) states.set(key, this.vm.account(key))
    })
    return states
  }

  /** LiteSVM has one error for a program that does not exist and for one that is none; a cluster has two. */
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

  #undo(changes: Change[], before: States) {
    for (const { key } of changes) this.vm.put(key, before.get(key) ?? GONE)
  }
}

function changesBetween(before: States, after: States): Change[] {
  const changes: Change[] = []
  for (const [key, account] of after) {
    const old = before.get(key) ?? null
    if (!sameAccount(old, account)) changes.push({ key, account: account ?? GONE })
  }
  return changes
}

const sameAccount = (a: Account | null, b: Account | null) =>
  a === null || b === null
    ? a === b
    : a.lamports === b.lamports &&
      a.owner === b.owner &&
      a.executable === b.executable &&
      a.data.equals(b.data)

const refused = (err: TransactionError): ExecutionResult => ({
  err,
  logs: [],
  computeUnits: 0,
  inner: [],
  returnData: null,
  landed: null,
})

/** Nothing is lost without a snapshot but time at the next start. */
const reportSnapshot = (error: unknown) => console.error(`localnet: no snapshot could be written: ${error}`)
