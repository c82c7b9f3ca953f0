import type { Chain } from "../chain/chain.ts"
import type { Landed } from "../chain/history.ts"
import { base58OfKey, type Key } from "../chain/keys.ts"
import type { Commitment } from "../chain/slots.ts"
import { type AccountView, accountView } from "../views/account-view.ts"
import { filtersOf } from "./methods/accounts.ts"
import type { Context } from "./methods/context.ts"
import * as param from "./params.ts"
import { invalidParams, type Methods } from "./rpc.ts"

type Send = (method: string, result: unknown, subscription: number) => void
type Waiting = { id: number; commitment: Commitment; notify: (landed: Landed) => void }
type Watch = { id: number; commitment: Commitment; view: AccountView; send: Send }
type ProgramWatch = Watch & { wants: (data: Buffer) => boolean }
const commitments = ["processed", "confirmed", "finalized"] as const
type Pending = { slot: number; notify: () => void }
type LogsWatch = { id: number; commitment: Commitment; mentions: string | null; send: Send }

/** The subscriptions of all connections. Those of a connection end with it. */
export class Subscriptions {
  readonly #chain: Chain
  readonly #signatures = new Map<string, Set<Waiting>>()
  readonly #accounts = new Map<Key, Set<Watch>>()
  readonly #programs = new Map<Key, Set<ProgramWatch>>()
  readonly #slots = new Map<number, Send>()
  readonly #updates = new Map<number, Send>()
  readonly #roots = new Map<number, Send>()
  readonly #logs = new Map<number, LogsWatch>()
  /** Notifications that wait until their slot reaches the commitment. */
  readonly #pending: Record<Commitment, Pending[]> = { processed: [], confirmed: [], finalized: [] }
  readonly #cancels = new Map<number, () => void>()
  #lastId = 0

  constructor({ chain }: Context) {
    this.#chain = chain
    chain.listeners.add({
      onLanded: (landed, outcome, changed, { message }) => {
        for (const waiting of this.#signatures.get(landed.signature) ?? []) this.#resolve(waiting, landed)
        for (const key of changed)
          for (const watch of this.#accounts.get(key) ?? []) this.#notifyAccount(watch, key, landed)
        if (this.#programs.size > 0) for (const key of changed) this.#notifyPrograms(key, landed)
        if (this.#logs.size > 0) this.#notifyLogs(landed, outcome.logs, message.keys)
      },
      onSlot: () => this.#onSlot(),
      onRollback: (slot) => {
        for (const commitment of commitments)
          this.#pending[commitment] = this.#pending[commitment].filter((one) => one.slot <= slot)
      },
    })
  }

  /** The methods of one connection. `ownIds` collects its subscriptions. */
  methods(send: Send, ownIds: Set<number>): Methods {
    const begin = (start: (id: number) => () => void) => {
      const id = ++this.#lastId
      ownIds.add(id)
      this.#cancels.set(id, start(id))
      return id
    }
    const unsubscribe = ([id]: readonly unknown[]) => {
      if (typeof id !== "number" || !ownIds.delete(id)) throw invalidParams("Invalid subscription id.")
      this.cancel(id)
      return true
    }
    return {
      signatureSubscribe: ([given, options]) => {
        const signature = param.signature(given)
        const commitment = param.commitment(param.config(options).commitment)
        return begin((id) => {
          const notify = ({ err }: Landed) => {
            if (!ownIds.delete(id)) return
            this.cancel(id)
            send("signatureNotification", this.#withContext({ err }), id)
          }
          return this.#awaitSignature(signature, { id, commitment, notify })
        })
      },
      accountSubscribe: ([given, options]) => {
        const key = param.address(given)
        const found = param.config(options)
        const commitment = param.commitment(found.commitment)
        const view = this.#viewOf(found)
        return begin((id) => addTo(this.#accounts, key, { id, commitment, view, send }))
      },
      programSubscribe: ([given, options]) => {
        const program = param.address(given)
        const found = param.config(options)
        const commitment = param.commitment(found.commitment)
        const [view, wants] = [this.#viewOf(found), filtersOf(found.filters)]
        return begin((id) => addTo(this.#programs, program, { id, commitment, view, send, wants }))
      },
      slotsUpdatesSubscribe: () => begin((id) => put(this.#updates, id, send)),
      slotSubscribe: () => begin((id) => put(this.#slots, id, send)),
      rootSubscribe: () => begin((id) => put(this.#roots, id, send)),
      logsSubscribe: ([filter, options]) => {
        const mentions = mentionsOf(filter)
        const commitment = param.commitment(param.config(options).commitment)
        return begin((id) => put(this.#logs, id, { id, commitment, mentions, send }))
      },
      signatureUnsubscribe: unsubscribe,
      accountUnsubscribe: unsubscribe,
      programUnsubscribe: unsubscribe,
      slotsUpdatesUnsubscribe: unsubscribe,
      slotUnsubscribe: unsubscribe,
      rootUnsubscribe: unsubscribe,
      logsUnsubscribe: unsubscribe,
    }
  }

  cancel(id: number) {
    this.#cancels.get(id)?.()
    this.#cancels.delete(id)
  }

  #awaitSignature(signature: string, waiting: Waiting) {
    const landed = this.#chain.history.find(signature)
    // Only after this call: the response with the subscription's id must come first.
    if (landed !== null) setImmediate(() => this.#resolve(waiting, landed))
    return addTo(this.#signatures, signature, waiting)
  }

  #resolve({ commitment, notify }: Waiting, landed: Landed) {
    this.#notifyAt(landed.slot, commitment, () => notify(landed))
  }

  #notifyAccount({ id, commitment, view, send }: Watch, key: Key, { slot }: Landed) {
    this.#notifyAt(slot, commitment, () => {
      if (!this.#cancels.has(id)) return
      const account = this.#chain.vm.account(key)
      send("accountNotification", this.#withContext(account === null ? null : view(account)), id)
    })
  }

  #notifyPrograms(key: Key, { slot }: Landed) {
    const account = this.#chain.vm.account(key)
    if (account === null) return
    for (const { id, commitment, view, send, wants } of this.#programs.get(account.owner) ?? []) {
      if (!wants(account.data)) continue
      this.#notifyAt(slot, commitment, () => {
        const value = { account: view(account), pubkey: base58OfKey(key) }
        if (this.#cancels.has(id)) send("programNotification", this.#withContext(value), id)
      })
    }
  }

  #viewOf(options: param.Config): AccountView {
    return accountView(options, { tooLong: "report", find: (key) => this.#chain.vm.account(key) })
  }

  /** Unlike responses, notifications do not have the API's version. */
  #withContext<Value>(value: Value) {
    return { context: { slot: this.#chain.slots.slot() }, value }
  }

  #notifyLogs({ slot, signature, err }: Landed, logs: string[], keys: Key[]) {
    for (const { id, commitment, mentions, send } of this.#logs.values()) {
      if (mentions !== null && !keys.includes(mentions as Key)) continue
      this.#notifyAt(slot, commitment, () => {
        if (this.#logs.has(id)) send("logsNotification", this.#withContext({ signature, err, logs }), id)
      })
    }
  }

  /** Notifies now, or as soon as the slot reaches the commitment. */
  #notifyAt(slot: number, commitment: Commitment, notify: () => void) {
    if (this.#chain.slots.reached(slot, commitment)) notify()
    else this.#pending[commitment].push({ slot, notify })
  }

  #onSlot() {
    const { slots } = this.#chain
    for (const commitment of commitments) {
      const pending = this.#pending[commitment]
      if (pending.length === 0) continue
      this.#pending[commitment] = pending.filter(({ slot }) => !slots.reached(slot, commitment))
      for (const { slot, notify } of pending) if (slots.reached(slot, commitment)) notify()
    }
    const slot = slots.slot()
    const parent = slots.slotOfHeight(slots.height() - 1)
    const root = this.#chain.slots.slot("finalized")
    for (const [id, send] of this.#slots) send("slotNotification", { parent, root, slot }, id)
    if (this.#updates.size > 0) this.#notifyUpdates(slot, parent, root)
    for (const [id, send] of this.#roots) send("rootNotification", root, id)
  }

  /** A block is complete when the next slot begins. */
  #notifyUpdates(slot: number, parent: number, root: number) {
    const timestamp = Date.now()
    const indexes = this.#chain.history.ofSlots(parent, parent)
    const failed = indexes.filter((index) => this.#chain.history.at(index).err !== null).length
    const stats = {
      numTransactionEntries: indexes.length,
      numSuccessfulTransactions: indexes.length - failed,
      numFailedTransactions: failed,
      maxTransactionsPerEntry: Math.min(indexes.length, 1),
    }
    const updates = [
      { slot: parent, timestamp, stats, type: "frozen" },
      { slot: parent, timestamp, type: "optimisticConfirmation" },
      { slot: root, timestamp, type: "root" },
      { slot, parent, timestamp, type: "createdBank" },
    ]
    for (const [id, send] of this.#updates) for (const update of updates) send("slotsUpdatesNotification", update, id)
  }
}

/** The one address that a transaction must mention. Null for all transactions. */
function mentionsOf(filter: unknown): Key | null {
  if (filter === "all" || filter === "allWithVotes") return null
  const mentions = param.list(param.config(filter).mentions, "mentions", 1)
  return param.address(mentions[0])
}

function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): () => void {
  const values = map.get(key) ?? new Set()
  map.set(key, values.add(value))
  return () => {
    values.delete(value)
    if (values.size === 0) map.delete(key)
  }
}

function put<K, V>(map: Map<K, V>, key: K, value: V): () => void {
  map.set(key, value)
  return () => map.delete(key)
}
