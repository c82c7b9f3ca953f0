import {
  Clock,
  FailedTransactionMetadata,
  Account as LiteAccount,
  LiteSvm,
  type TransactionMetadata,
} from "litesvm/dist/internal.js"
import { base58OfKey, bytesOfKey, type Key, keyOfBytes, SYSTEM_PROGRAM } from "./keys.ts"
import { type TransactionError, transactionError } from "./transaction-errors.ts"

export type Account = { lamports: bigint; data: Buffer; owner: Key; executable: boolean }

type InnerInstruction = { program: number; accounts: number[]; data: Buffer; stackHeight: number }

/** The outcome of one execution. `err` is null if it succeeded. */
export type Execution = {
  err: TransactionError | null
  logs: string[]
  computeUnits: number
  inner: { index: number; instructions: InnerInstruction[] }[]
  returnData: { program: Key; data: Buffer } | null
}

/** The Agave release whose RPC this follows. Clients choose features by it. */
export const VERSION = "4.1.2"

export const SLOTS_PER_EPOCH = 432_000

/** On Solana, an account without lamports does not exist. Writing this one removes an account. */
export const NO_ACCOUNT: Account = {
  lamports: 0n,
  data: Buffer.alloc(0),
  owner: SYSTEM_PROGRAM,
  executable: false,
}

/** Every rent-exempt account has this rent epoch (`RENT_EXEMPT_RENT_EPOCH`). */
const RENT_EPOCH = 2n ** 64n - 1n

/**
 * Uses LiteSVM's inner object, which takes a transaction's bytes. The outer one takes `@solana/kit` objects and encodes
 * them again. Pass only bytes that `parseTransaction` accepts: the inner object aborts the process on bytes that it
 * cannot read.
 *
 * LiteSVM knows one blockhash at a time and remembers a few dozen signatures. Both checks are off, because `Slots` and
 * `History` know all of them. Its signature verification stays on for every transaction that can land.
 */
export class Vm {
  readonly #svm: LiteSvm
  /** Not yet passed to LiteSVM, because in most slots of an idle network nothing reads the clock. */
  #newClock: { slot: number; unixSeconds: number } | null = null

  constructor() {
    this.#svm = new LiteSvm()
    this.#svm.setBlockhashCheck(false)
    this.#svm.setTransactionHistory(0n)
  }

  setClock(slot: number, unixSeconds: number) {
    this.#newClock = { slot, unixSeconds }
  }

  /** LiteSVM with the clock set. */
  get #current(): LiteSvm {
    if (this.#newClock === null) return this.#svm
    const { slot, unixSeconds } = this.#newClock
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH))
    this.#svm.setClock(new Clock(BigInt(slot), 0n, epoch, epoch + 1n, BigInt(unixSeconds)))
    this.#newClock = null
    return this.#svm
  }

  setSlotHashes(hashes: { slot: number; hash: Key }[]) {
    this.#svm.setSlotHashes(hashes.map(({ slot, hash }) => ({ slot: BigInt(slot), hash: base58OfKey(hash) })))
  }

  account(key: Key): Account | null {
    const found = this.#current.getAccount(bytesOfKey(key))
    return found === null ? null : plain(found)
  }

  balance(key: Key): bigint {
    return this.#svm.getBalance(bytesOfKey(key)) ?? 0n
  }

  put(key: Key, account: Account) {
    const { lamports, data, owner, executable } = account
    this.#svm.setAccount(bytesOfKey(key), new LiteAccount(lamports, data, bytesOfKey(owner), executable, RENT_EPOCH))
  }

  /** A program's accounts with wanted data. Their other fields cost more, so only wanted accounts pay for them. */
  ownedBy(program: Key, wanted: (data: Buffer) => boolean): { key: Key; account: Account }[] {
    const found: { key: Key; account: Account }[] = []
    for (const entry of this.#current.getProgramAccounts(bytesOfKey(program))) {
      const account = entry.account()
      const data = bufferOf(account.data())
      if (wanted(data)) found.push({ key: keyOfBytes(entry.address), account: plain(account, data) })
    }
    return found
  }

  rentExemption(dataBytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(dataBytes))
  }

  execute(wire: Buffer): Execution {
    const result = this.#current.sendVersionedTransaction(wire)
    return result instanceof FailedTransactionMetadata
      ? execution(result.meta(), transactionError(result.err()))
      : execution(result, null)
  }

  /**
   * Runs a transaction and keeps no change. `verify: false` simulates unsigned transactions, as wallets do. The
   * `finally` turns verification on again for `execute`.
   */
  simulate(wire: Buffer, verify: boolean): Execution & { accounts: Map<Key, Account> } {
    if (!verify) this.#svm.setSigverify(false)
    try {
      const result = this.#current.simulateVersionedTransaction(wire)
      if (result instanceof FailedTransactionMetadata)
        return { ...execution(result.meta(), transactionError(result.err())), accounts: new Map() }
      const accounts = new Map(
        result.postAccounts().map((entry) => [keyOfBytes(entry.address), plain(entry.account())]),
      )
      return { ...execution(result.meta(), null), accounts }
    } finally {
      this.#svm.setSigverify(true)
    }
  }
}

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function plain(account: LiteAccount, data = bufferOf(account.data())): Account {
  return {
    lamports: account.lamports(),
    data,
    owner: keyOfBytes(account.owner()),
    executable: account.executable(),
  }
}

function execution(meta: TransactionMetadata, err: TransactionError | null): Execution {
  const inner: Execution["inner"] = []
  meta.innerInstructions().forEach((instructions, index) => {
    if (instructions.length > 0) inner.push({ index, instructions: instructions.map(innerInstruction) })
  })
  const returned = meta.returnData()
  const data = Buffer.from(returned.data())
  return {
    err,
    logs: meta.logs(),
    computeUnits: Number(meta.computeUnitsConsumed()),
    inner,
    returnData: data.length === 0 ? null : { program: keyOfBytes(returned.programId()), data },
  }
}

function innerInstruction(
  inner: ReturnType<TransactionMetadata["innerInstructions"]>[number][number],
): InnerInstruction {
  const instruction = inner.instruction()
  return {
    program: instruction.programIdIndex(),
    accounts: [...instruction.accounts()],
    data: Buffer.from(instruction.data()),
    stackHeight: inner.stackHeight(),
  }
}
