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
type Due = { slot: number; tell: () => void }
type LogsWatch = { id: number; commitment: Commitment; mentions: string | null; send: Send }

/** Who waits for what. One for all connections; what a connection began ends with it. */
export class Subscriptions {
  readonly #chain: Chain
  readonly #signatures = new Map<string, Set<Waiting>>()
  readonly #accounts = new Map<Key, Set<Watch>>()
  readonly #programs = new Map<Key, Set<ProgramWatch>>()
  readonly #slots = new Map<number, Send>()
  readonly #updates = new Map<number, Send>()
  readonly #roots = new Map<number, Send>()
  readonly #logs = new Map<number, LogsWatch>()
  /** Notifications whose content has not reached its commitment. */
  readonly #due: Record<Commitment, Due[]> = { processed: [], confirmed: [], finalized: [] }
  readonly #cancels = new Map<number, () => void>()
  #lastId = 0

  constructor({ chain }: Context) {
    this.#chain = chain
    chain.listeners.add({
      onLanded: (landed, outcome, changed, { message }) => {
        for (const waiting of this.#signatures.get(landed.signature) ?? []) this.#resolve(waiting, landed)
        for (const key of changed)
          for (const watch of this.#accounts.get(key) ?? []) this.#tell(watch, key, landed)
        if (this.#programs.size > 0) for (const key of changed) this.#tellPrograms(key, landed)
        if (this.#logs.size > 0) this.#tellLogs(landed, outcome.logs, message.keys)
      },
      onSlot: () => this.#onSlot(),
      onRollback: (slot) => {
        for (const commitment of commitments)
          this.#due[commitment] = this.#due[commitment].filter((one) => one.slot <= slot)
      },
    })
  }

  /** The methods of one connection. `mine` collects its subscriptions. */
  methods(send: Send, mine: Set<number>): Methods {
    const begin = (start: (id: number) => () => void) => {
      const id = ++this.#lastId
      mine.add(id)
      this.#cancels.set(id, start(id))
      return id
    }
    const unsubscribe = ([id]: readonly unknown[]) => {
      if (typeof id !== "number" || !mine.delete(id)) throw invalidParams("Invalid subscription id.")
      this.cancel(id)
      return true
    }
    return {
      signatureSubscribe: ([given, options]) => {
        const signature = param.signature(given)
        const commitment = param.commitment(param.config(options).commitment)
        return begin((id) => {
          const notify = ({ err }: Landed) => {
            if (!mine.delete(id)) return
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
    // Not within the call: the answer with the subscription's id has to be there first.
    if (landed !== null) setImmediate(() => this.#resolve(waiting, landed))
    return addTo(this.#signatures, signature, waiting)
  }

  #resolve({ commitment, notify }: Waiting, landed: Landed) {
    this.#at(landed.slot, commitment, () => notify(landed))
  }

  #tell({ id, commitment, view, send }: Watch, key: Key, { slot }: Landed) {
    this.#at(slot, commitment, () => {
      if (!this.#cancels.has(id)) return
      const account = this.#chain.vm.account(key)
      send("accountNotification", this.#withContext(account === null ? null : view(account)), id)
    })
  }

  #tellPrograms(key: Key, { slot }: Landed) {
    const account = this.#chain.vm.account(key)
    if (account === null) return
    for (const { id, commitment, view, send, wants } of this.#programs.get(account.owner) ?? []) {
      if (!wants(account.data)) continue
      this.#at(slot, commitment, () => {
        const value = { account: view(account), pubkey: base58OfKey(key) }
        if (this.#cancels.has(id)) send("programNotification", this.#withContext(value), id)
      })
    }
  }

  #viewOf(options: param.Config): AccountView {
    return accountView(options, { tooLong: "tell", find: (key) => this.#chain.vm.account(key) })
  }

  /** Unlike answers, notifications do not tell the API's version. */
  #withContext<Value>(value: Value) {
    return { context: { slot: this.#chain.slots.slot() }, value }
  }

  #tellLogs({ slot, signature, err }: Landed, logs: string[], keys: Key[]) {
    for (const { id, commitment, mentions, send } of this.#logs.values()) {
      if (mentions !== null && !keys.includes(mentions as Key)) continue
      this.#at(slot, commitment, () => {
        if (this.#logs.has(id)) send("logsNotification", this.#withContext({ signature, err, logs }), id)
      })
    }
  }

  #at(slot: number, commitment: Commitment, tell: () => void) {
    if (this.#chain.slots.reached(slot, commitment)) tell()
    else this.#due[commitment].push({ slot, tell })
  }

  #onSlot() {
    const { slots } = this.#chain
    for (const commitment of commitments) {
      const due = this.#due[commitment]
      this.#due[commitment] = due.filter(({ slot }) => !slots.reached(slot, commitment))
      for (const { slot, tell } of due) if (slots.reached(slot, commitment)) tell()
    }
    const slot = slots.slot()
    const parent = slots.slotOfHeight(slots.height() - 1)
    const root = this.#chain.slots.slot("finalized")
    for (const [id, send] of this.#slots) send("slotNotification", { parent, root, slot }, id)
    if (this.#updates.size > 0) this.#tellUpdates(slot, parent, root)
    for (const [id, send] of this.#roots) send("rootNotification", root, id)
  }

  /** A block is whole as soon as its slot has begun to pass. */
  #tellUpdates(slot: number, parent: number, root: number) {
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
    for (const [id, send] of this.#updates)
      for (const update of updates) send("slotsUpdatesNotification", update, id)
  }
}

/** `"all"`, or one address that has to be mentioned. */
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
