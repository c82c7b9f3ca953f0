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
import { HistoryMissing } from "./errors.ts"
import type { RpcNode } from "./node.ts"
import type { AskOptions, Question, RpcNodes } from "./nodes.ts"

/** Accounts that one call of getMultipleAccounts reads, at most. */
const ACCOUNTS_AT_ONCE = 100
/** Slots that a node which is asked for statuses may lag behind. */
const STATUS_LAG = 32
/** Signatures that one page of an address's history has, at most. */
const SIGNATURES_AT_ONCE = 1000

/** The newest version of transactions that web3.js reads. What is newer cannot be read (`isUnreadable`). */
const NEWEST_VERSION = 1

/** An answer that is true of a slot at least. */
export type At<T> = { slot: number; value: T }

/** Accounts that are read as they were at `commitment`, by a node that has come as far as `since`. */
export type ReadOptions = { since: number; commitment?: Commitment }

/** How nodes are asked: with `only`, that one and no other. */
type How = Omit<AskOptions, "needsHistory"> & { only: RpcNode | null }

/** Which part of an address's history is read. */
export type HistoryOptions = {
  slot: number
  since: number
  commitment: Finality
  keep?: (page: ConfirmedSignatureInfo[]) => Promise<ConfirmedSignatureInfo[]>
}

/**
 * A chain's JSON-RPC, through one or more nodes of it: reads ask one after the other until one answers, sending tells
 * all. Every method rejects with RpcUnavailable where no node can answer, with WrongChain where all of them are of
 * another chain, and with the node's own error where the question is at fault.
 */
export class Rpc {
  readonly nodes: RpcNodes
  readonly #how: How

  constructor(nodes: RpcNodes, how: Partial<How> = {}) {
    this.nodes = nodes
    this.#how = { purpose: "reading", persists: false, only: null, ...how }
  }

  /** The same nodes, for what ends doubt: a part of their budget is kept for that alone. */
  get settling(): Rpc {
    return new Rpc(this.nodes, { ...this.#how, purpose: "settling" })
  }

  /** As `settling`, and failing nodes are asked again for longer: for evidence that takes many answers. */
  get persistent(): Rpc {
    return new Rpc(this.nodes, { ...this.#how, purpose: "settling", persists: true })
  }

  /** The same nodes, asked only as far as the budget has room for what is not urgent. */
  get patient(): Rpc {
    return new Rpc(this.nodes, { ...this.#how, purpose: "background" })
  }

  /** One for each node, which asks no other: for what one node's word is not enough. Those that are well come first. */
  get views(): Rpc[] {
    return this.nodes.readers.map((only) => new Rpc(this.nodes, { ...this.#how, only }))
  }

  async genesisHash(): Promise<string> {
    return this.#read((connection) => connection.getGenesisHash())
  }

  /** Lamports that keep an account of so many bytes. */
  async rentOf(bytes: number): Promise<number> {
    return this.#read(async (connection) => {
      // web3.js makes 0 of every error.
      const lamports = await connection.getMinimumBalanceForRentExemption(bytes)
      if (lamports === 0) throw new Error("the node does not tell the rent")
      if (lamports > mostRentFor(bytes)) throw new Error(`it tells a rent of ${lamports}, which cannot be`)
      return lamports
    })
  }

  async latestBlockhash({ since }: { since: number }) {
    return this.#at((connection) =>
      connection.getLatestBlockhashAndContext({ commitment: "confirmed", minContextSlot: since }),
    )
  }

  /** The finalized block height and its slot. They end doubts, so every caller's question is paid from that share of the budget. */
  async finalizedHeight(): Promise<{ slot: number; height: number }> {
    return this.settling.#read(async (connection, node) => {
      const { absoluteSlot, blockHeight } = await connection.getEpochInfo("finalized")
      await node.noteSlot(absoluteSlot, connection)
      if (blockHeight === undefined) throw new Error("the node does not tell its block height")
      return { slot: absoluteSlot, height: blockHeight }
    })
  }

  /** Accounts in the order of their addresses; null for what is not there. */
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

  /**
   * What a node knows of at most 256 signatures. Null says nothing: not even with `history` does it mean that one never
   * landed, because a node answers so as well when it has no history of that time.
   */
  async statuses(
    signatures: readonly string[],
    { history = false, since = 0 } = {},
  ): Promise<At<(SignatureStatus | null)[]>> {
    return this.#at(async (connection) => {
      const options = { searchTransactionHistory: history }
      const answer = await connection.getSignatureStatuses([...signatures], options)
      // The method has no `minContextSlot`.
      if (answer.context.slot + STATUS_LAG < since)
        throw new Error(`it stands at slot ${answer.context.slot}`)
      // What has landed has landed in a slot that the node has seen.
      if (answer.value.some((status) => status !== null && !(status.slot <= answer.context.slot)))
        throw new Error("it tells of a transaction that landed in a slot to come")
      return complete(answer, signatures)
    }, history)
  }

  /** Transactions that name an address, newest first. A node that cannot look far enough back rejects. */
  async signaturesFor(
    address: PublicKey,
    options: { limit: number; before?: string; until?: string; since?: number; commitment?: Finality },
  ): Promise<ConfirmedSignatureInfo[]> {
    const { since, commitment = "confirmed", ...page } = options
    const given = { ...page, ...(since === undefined ? {} : { minContextSlot: since }) }
    return this.#read((connection) => connection.getSignaturesForAddress(address, given, commitment), true)
  }

  /** Null where the node does not know it. */
  async transaction(signature: string): Promise<VersionedTransactionResponse | null> {
    const given = { commitment: "confirmed" as const, maxSupportedTransactionVersion: NEWEST_VERSION }
    return this.#read(async (connection) => {
      const found = await connection.getTransaction(signature, given)
      if (found && found.transaction.signatures[0] !== signature)
        throw new Error("it answers with another transaction")
      return found
    }, true)
  }

  /** Whether transactions with a blockhash may still land: false for good once `since`, a finalized slot, is past its life. */
  async isBlockhashValid(blockhash: string, { since }: { since: number }): Promise<boolean> {
    const given = { commitment: "finalized" as const, minContextSlot: since }
    return (await this.#at((connection) => connection.isBlockhashValid(blockhash, given))).value
  }

  /** The first slot that a node has of its chain's history. */
  async firstAvailableBlock(): Promise<number> {
    return this.#read((connection) => connection.getFirstAvailableBlock(), true)
  }

  /**
   * Every transaction that names an address and has landed in or after a slot, newest first, as of `since` at least: from
   * one node that has all of that time, before it lists them and after. `keep` is given each page and says what of it is
   * to be kept; where a node fails in between, it is given them again. Rejects with HistoryMissing where no node has all.
   */
  async landedSince(
    address: PublicKey,
    { slot, since, commitment, keep = async (page) => page }: HistoryOptions,
  ): Promise<ConfirmedSignatureInfo[]> {
    return this.#read(async (connection, node) => {
      const reachesBack = async () => {
        const first = await connection.getFirstAvailableBlock()
        if (first > slot)
          throw new HistoryMissing(
            `${node.name} has no history before slot ${first}, and slot ${slot} matters`,
          )
      }
      await reachesBack()
      const found = await listDown(connection, address, { slot, since, commitment, keep })
      await reachesBack()
      return found
    }, true)
  }

  /** As `landedSince`, of whatever a node has of that time: that something is listed says that it landed, and no more. */
  async listedSince(
    address: PublicKey,
    { slot, since, commitment, keep = async (page) => page }: HistoryOptions,
  ): Promise<ConfirmedSignatureInfo[]> {
    return this.#read((connection) => listDown(connection, address, { slot, since, commitment, keep }), true)
  }

  /** What was paid per compute unit in recent slots by those that wrote the same accounts, in micro-lamports. */
  async recentFees(accounts: readonly PublicKey[]): Promise<number[]> {
    const lockedWritableAccounts = [...accounts]
    const found = await this.#read((connection) =>
      connection.getRecentPrioritizationFees({ lockedWritableAccounts }),
    )
    return found.map(({ prioritizationFee }) => prioritizationFee)
  }

  /** The compute units that a transaction would take, whoever signs it; null where it would fail, or a node refuses to tell. */
  async simulatedUnits(
    transaction: VersionedTransaction,
    { since }: { since: number },
  ): Promise<number | null> {
    const given = { sigVerify: false, replaceRecentBlockhash: true, minContextSlot: since }
    return this.#read(async (connection) => {
      const told = await connection
        .simulateTransaction(transaction, { ...given, commitment: "confirmed" })
        .catch((error: Error) => {
          // That is what web3.js makes of every error that a node answers: asking again is of no use.
          if (error.message.startsWith("failed to simulate")) return null
          throw error
        })
      return told?.value.err === null ? (told.value.unitsConsumed ?? null) : null
    })
  }

  /** For a network that has a faucet. */
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

/** What a node lists of an address, newest first, down to a slot. Throws where that is out of order. */
async function listDown(
  connection: Connection,
  address: PublicKey,
  { slot, since, commitment, keep }: Required<HistoryOptions>,
): Promise<ConfirmedSignatureInfo[]> {
  const found: ConfirmedSignatureInfo[] = []
  let before: string | undefined
  let newest = Number.POSITIVE_INFINITY
  for (;;) {
    const given = { limit: SIGNATURES_AT_ONCE, minContextSlot: since, ...(before && { before }) }
    // One that is shorter than it may be is not the last one: nodes give fewer as they like.
    const page = await connection.getSignaturesForAddress(address, given, commitment)
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
 * Twice what every cluster has asked for since its beginning (solana_rent::Rent: 3,480 lamports a byte and year, for two
 * years, 128 bytes added). Rent that is paid is locked: one wrong answer must not lock more.
 */
const mostRentFor = (bytes: number): number => 2 * 2 * 3480 * (bytes + 128)

/** An answer that has one value for each that was asked for: another one says nothing of any. */
function complete<T extends { value: readonly unknown[] }>(answer: T, asked: readonly unknown[]): T {
  if (answer.value.length === asked.length) return answer
  throw new Error(`it answers ${answer.value.length} of ${asked.length}`)
}
