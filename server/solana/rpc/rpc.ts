import type {
  AccountInfo,
  Commitment,
  ConfirmedSignatureInfo,
  Connection,
  Finality,
  PublicKey,
  SignatureStatus,
  VersionedTransaction,
  VersionedTransactionResponse,
} from "@solana/web3.js"
import { knowsPermissionedBurn } from "../mint-extensions.ts"
import { askSignatures, askStatuses } from "./answers.ts"
import { HistoryMissing, hasNoBlock } from "./errors.ts"
import type { RpcNode } from "./node.ts"
import type { AskOptions, Question, RpcNodes } from "./nodes.ts"

/** Maximum accounts of one getMultipleAccounts call. */
const ACCOUNTS_AT_ONCE = 100
/** How many slots a node may lag when it reports statuses. */
const STATUS_LAG = 32
/** Maximum signatures on one page of an address's history. */
const SIGNATURES_AT_ONCE = 1000

/** The newest transaction version that web3.js reads. Newer ones are unreadable (`isUnreadable`). */
const NEWEST_VERSION = 1

/** An answer that holds for at least this slot. */
export type At<T> = { slot: number; value: T }

/** Reads accounts at `commitment` from a node that has reached slot `since`. */
export type ReadOptions = { since: number; commitment?: Commitment }

/** Options for calls: `only` names the one node to use. */
type How = Omit<AskOptions, "needsHistory"> & { only: RpcNode | null }

/** The part of an address's history to read. */
export type HistoryOptions = {
  slot: number
  since: number
  commitment: Finality
  keep?: (page: ConfirmedSignatureInfo[]) => Promise<ConfirmedSignatureInfo[]>
}

/**
 * JSON-RPC of a chain through one or more nodes. Reads try one node after the other, sending uses all. Every method rejects
 * with RpcUnavailable if no node can answer, with WrongChain if all nodes belong to another chain, and with the node's
 * error if the request itself is wrong.
 */
export class Rpc {
  readonly nodes: RpcNodes
  readonly #how: How

  constructor(nodes: RpcNodes, how: Partial<How> = {}) {
    this.nodes = nodes
    this.#how = { purpose: "reading", persists: false, only: null, ...how }
  }

  /** The same nodes for calls that resolve doubt: part of their budget is reserved for these. */
  get settling(): Rpc {
    return new Rpc(this.nodes, { ...this.#how, purpose: "settling" })
  }

  /** Like `settling`, but repeats failing calls for longer: for evidence that needs many answers. */
  get persistent(): Rpc {
    return new Rpc(this.nodes, { ...this.#how, purpose: "settling", persists: true })
  }

  /** The same nodes for calls that are not urgent, within the remaining budget. */
  get patient(): Rpc {
    return new Rpc(this.nodes, { ...this.#how, purpose: "background" })
  }

  /** One Rpc for each node alone, healthy ones first: for questions that need the answer of several nodes. */
  get views(): Rpc[] {
    return this.nodes.readers.map((only) => new Rpc(this.nodes, { ...this.#how, only }))
  }

  async genesisHash(): Promise<string> {
    return this.#read((connection) => connection.getGenesisHash())
  }

  /** The rent-exempt minimum for an account of `bytes`, in lamports. */
  async rentOf(bytes: number): Promise<number> {
    return this.#read(async (connection) => {
      // web3.js returns 0 for every error.
      const lamports = await connection.getMinimumBalanceForRentExemption(bytes)
      if (lamports === 0) throw new Error("the node does not report the rent")
      if (lamports > mostRentFor(bytes)) throw new Error(`it reports a rent of ${lamports}, which is impossible`)
      return lamports
    })
  }

  async latestBlockhash({ since }: { since: number }) {
    return this.#at((connection) =>
      connection.getLatestBlockhashAndContext({ commitment: "confirmed", minContextSlot: since }),
    )
  }

  /** The finalized block height and its slot. Always paid from the `settling` budget, as they resolve doubt. */
  async finalizedHeight(): Promise<{ slot: number; height: number }> {
    return this.settling.#read(async (connection, node) => {
      const { absoluteSlot, blockHeight } = await connection.getEpochInfo("finalized")
      await node.noteSlot(absoluteSlot, connection)
      if (blockHeight === undefined) throw new Error("the node does not report its block height")
      return { slot: absoluteSlot, height: blockHeight }
    })
  }

  /** Accounts in the order of the addresses; null for an account that does not exist. */
  async accounts(
    addresses: readonly PublicKey[],
    { since, commitment = "confirmed" }: ReadOptions,
  ): Promise<At<(AccountInfo<Buffer> | null)[]>> {
    const all: At<(AccountInfo<Buffer> | null)[]> = { slot: Number.POSITIVE_INFINITY, value: [] }
    for (let from = 0; from < addresses.length; from += ACCOUNTS_AT_ONCE) {
      const some = addresses.slice(from, from + ACCOUNTS_AT_ONCE)
      const { slot, value } = await this.#at(async (connection) => {
        const given = { commitment, minContextSlot: since }
        return complete(await connection.getMultipleAccountsInfoAndContext(some, given), some)
      })
      all.slot = Math.min(all.slot, slot)
      all.value.push(...value)
    }
    return all
  }

  async account(address: PublicKey, options: ReadOptions): Promise<At<AccountInfo<Buffer> | null>> {
    const { slot, value } = await this.accounts([address], options)
    return { slot, value: value[0] ?? null }
  }

  /** The statuses of at most 256 signatures. Null proves nothing: a node without that history also returns it. */
  async statuses(
    signatures: readonly string[],
    { history = false, since = 0 } = {},
  ): Promise<At<(SignatureStatus | null)[]>> {
    return this.#at(async (connection) => {
      const options = { searchTransactionHistory: history }
      const answer = await askStatuses(connection, signatures, options)
      // The method has no `minContextSlot`.
      if (answer.context.slot + STATUS_LAG < since) throw new Error(`it is at slot ${answer.context.slot}`)
      // A transaction can only have landed in a slot that the node has seen.
      if (answer.value.some((status) => status !== null && !(status.slot <= answer.context.slot)))
        throw new Error("it reports a transaction that landed in a future slot")
      return complete(answer, signatures)
    }, history)
  }

  /** Transactions that name an address, newest first. Rejects if the node's history is too short. */
  async signaturesFor(
    address: PublicKey,
    options: { limit: number; before?: string; until?: string; since?: number; commitment?: Finality },
  ): Promise<ConfirmedSignatureInfo[]> {
    const { since, commitment = "confirmed", ...page } = options
    const given = { ...page, ...(since === undefined ? {} : { minContextSlot: since }) }
    return this.#read((connection) => askSignatures(connection, address, { ...given, commitment }), true)
  }

  /** Null if the node does not know it. */
  async transaction(signature: string): Promise<VersionedTransactionResponse | null> {
    const given = { commitment: "confirmed" as const, maxSupportedTransactionVersion: NEWEST_VERSION }
    return this.#read(async (connection) => {
      const found = await connection.getTransaction(signature, given)
      if (found && found.transaction.signatures[0] !== signature) throw new Error("it answers with another transaction")
      return found
    }, true)
  }

  /** Whether transactions with a blockhash may still land. Once false at a finalized slot `since`, it stays false. */
  async isBlockhashValid(blockhash: string, { since }: { since: number }): Promise<boolean> {
    const given = { commitment: "finalized" as const, minContextSlot: since }
    return (await this.#at((connection) => connection.isBlockhashValid(blockhash, given))).value
  }

  /** The time of a slot's block, in Unix seconds. Null if the slot was skipped or the node no longer has the block. */
  async blockTime(slot: number): Promise<number | null> {
    return this.#read((connection) =>
      connection.getBlockTime(slot).catch((error: unknown) => {
        if (hasNoBlock(error)) return null
        throw error
      }),
    )
  }

  /** The first slot of a node's history. */
  async firstAvailableBlock(): Promise<number> {
    return this.#read((connection) => connection.getFirstAvailableBlock(), true)
  }

  /**
   * Every transaction that names an address and landed in or after a slot, newest first, as of at least `since`. They come
   * from one node whose history covers that time before and after it lists them. `keep` gets each page and returns what to
   * keep; if a node fails in between, it gets all pages again. Rejects with HistoryMissing if no node has the history.
   */
  async landedSince(address: PublicKey, options: HistoryOptions): Promise<ConfirmedSignatureInfo[]> {
    const { slot } = options
    return this.#read(async (connection, node) => {
      const reachesBack = async () => {
        const first = await connection.getFirstAvailableBlock()
        if (first > slot)
          throw new HistoryMissing(`${node.name} has no history before slot ${first}, and slot ${slot} matters`)
      }
      await reachesBack()
      const found = await listDown(connection, address, options)
      await reachesBack()
      return found
    }, true)
  }

  /** Like `landedSince`, but from whatever history a node has: a listed transaction has landed, a missing one may have. */
  async listedSince(address: PublicKey, options: HistoryOptions): Promise<ConfirmedSignatureInfo[]> {
    return this.#read((connection) => listDown(connection, address, options), true)
  }

  /** Prices per compute unit, in micro-lamports, of recent transactions that wrote the same accounts. */
  async recentFees(accounts: readonly PublicKey[]): Promise<number[]> {
    const lockedWritableAccounts = [...accounts]
    const found = await this.#read((connection) => connection.getRecentPrioritizationFees({ lockedWritableAccounts }))
    return found.map(({ prioritizationFee }) => prioritizationFee)
  }

  /** The compute units that a transaction would use, without signatures. Null if it would fail or a node refuses to simulate. */
  async simulatedUnits(transaction: VersionedTransaction, { since }: { since: number }): Promise<number | null> {
    const given = { sigVerify: false, replaceRecentBlockhash: true, minContextSlot: since }
    return this.#read(async (connection) => {
      const told = await connection
        .simulateTransaction(transaction, { ...given, commitment: "confirmed" })
        .catch((error: Error) => {
          // web3.js reports every error of a node this way. Repeating the call is useless.
          if (error.message.startsWith("failed to simulate")) return null
          throw error
        })
      return told?.value.err === null ? (told.value.unitsConsumed ?? null) : null
    })
  }

  /** See `knowsPermissionedBurn`. */
  knowsPermissionedBurn(payer: PublicKey): Promise<boolean | null> {
    return this.#read((connection) => knowsPermissionedBurn(connection, payer))
  }

  /** For networks with a faucet. */
  async airdrop(to: PublicKey, lamports: number): Promise<void> {
    await this.#read((connection) => connection.requestAirdrop(to, lamports))
  }

  async #at<T>(
    question: (connection: Connection) => Promise<{ context: { slot: number }; value: T }>,
    needsHistory = false,
  ): Promise<At<T>> {
    return this.#read(async (connection, node) => {
      const { context, value } = await question(connection)
      await node.noteSlot(context.slot, connection)
      return { slot: context.slot, value }
    }, needsHistory)
  }

  #read<T>(question: Question<T>, needsHistory = false): Promise<T> {
    return this.nodes.ask(question, { ...this.#how, needsHistory })
  }
}

/** A node's history of an address, newest first, down to a slot. Throws if it is out of order. */
async function listDown(
  connection: Connection,
  address: PublicKey,
  { slot, since, commitment, keep = async (page) => page }: HistoryOptions,
): Promise<ConfirmedSignatureInfo[]> {
  const found: ConfirmedSignatureInfo[] = []
  let before: string | undefined
  let newest = Number.POSITIVE_INFINITY
  for (;;) {
    const given = { limit: SIGNATURES_AT_ONCE, minContextSlot: since, ...(before && { before }) }
    // A short page is not necessarily the last one: nodes may return fewer.
    const page = await askSignatures(connection, address, { ...given, commitment })
    for (const one of page) {
      if (!(one.slot <= newest)) throw new Error("it lists transactions out of order")
      newest = one.slot
    }
    found.push(...(await keep(page.filter((one) => one.slot >= slot))))
    const last = page.at(-1)
    if (last === undefined || last.slot < slot) return found
    before = last.signature
  }
}

/**
 * Twice the rent of every cluster since its beginning (solana_rent::Rent: 3,480 lamports per byte and year, two years, 128
 * bytes added). Paid rent is locked, so a wrong answer must not lock more.
 */
const mostRentFor = (bytes: number): number => 2 * 2 * 3480 * (bytes + 128)

/** Checks that an answer has one value for each requested item. */
function complete<T extends { value: readonly unknown[] }>(answer: T, asked: readonly unknown[]): T {
  if (answer.value.length === asked.length) return answer
  throw new Error(`it answers ${answer.value.length} of ${asked.length}`)
}
