import { type AccountView, accountView } from "./account-view.ts"
import type { Chain } from "./chain.ts"
import type { Landed } from "./history.ts"
import type { Key } from "./keys.ts"
import type { Context } from "./methods/context.ts"
import * as param from "./params.ts"
import { invalidParams, type Methods } from "./rpc.ts"
import { type Commitment, lagOf } from "./slots.ts"

type Send = (method: string, result: unknown, subscription: number) => void
type Waiting = { id: number; commitment: Commitment; notify: (landed: Landed) => void }
type Watch = { id: number; commitment: Commitment; view: AccountView; send: Send }
type LogsWatch = { id: number; commitment: Commitment; mentions: string | null; send: Send }

/** Who waits for what. One for all connections; what a connection began ends with it. */
export class Subscriptions {
  readonly #chain: Chain
  readonly #withContext: Context["withContext"]
  readonly #signatures = new Map<string, Set<Waiting>>()
  readonly #accounts = new Map<Key, Set<Watch>>()
  readonly #slots = new Map<number, Send>()
  readonly #roots = new Map<number, Send>()
  readonly #logs = new Map<number, LogsWatch>()
  /** Notifications for a later slot, in which their content reaches its commitment. */
  readonly #due = new Map<number, (() => void)[]>()
  readonly #cancels = new Map<number, () => void>()
  #lastId = 0

  constructor({ chain, withContext }: Context) {
    this.#chain = chain
    this.#withContext = withContext
    chain.listeners.add({
      onLanded: (landed, outcome, changed, { message }) => {
        for (const waiting of this.#signatures.get(landed.signature) ?? []) this.#resolve(waiting, landed)
        for (const key of changed)
          for (const watch of this.#accounts.get(key) ?? []) this.#tell(watch, key, landed)
        if (this.#logs.size > 0) this.#tellLogs(landed, outcome.logs, message.keys)
      },
      onSlot: () => this.#onSlot(),
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
        const view = accountView(found)
        return begin((id) => addTo(this.#accounts, key, { id, commitment, view, send }))
      },
      slotSubscribe: () => begin((id) => put(this.#slots, id, send)),
      rootSubscribe: () => begin((id) => put(this.#roots, id, send)),
      logsSubscribe: ([filter, options]) => {
        const mentions = mentionsOf(filter)
        const commitment = param.commitment(param.config(options).commitment)
        return begin((id) => put(this.#logs, id, { id, commitment, mentions, send }))
      },
      signatureUnsubscribe: unsubscribe,
      accountUnsubscribe: unsubscribe,
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
    this.#at(landed.slot + lagOf[commitment], () => notify(landed))
  }

  #tell({ id, commitment, view, send }: Watch, key: Key, { slot }: Landed) {
    this.#at(slot + lagOf[commitment], () => {
      if (!this.#cancels.has(id)) return
      const account = this.#chain.vm.account(key)
      send("accountNotification", this.#withContext(account === null ? null : view(account)), id)
    })
  }

  #tellLogs({ slot, signature, err }: Landed, logs: string[], keys: Key[]) {
    for (const { id, commitment, mentions, send } of this.#logs.values()) {
      if (mentions !== null && !keys.includes(mentions as Key)) continue
      this.#at(slot + lagOf[commitment], () => {
        if (this.#logs.has(id)) send("logsNotification", this.#withContext({ signature, err, logs }), id)
      })
    }
  }

  #at(slot: number, tell: () => void) {
    if (slot <= this.#chain.slots.slot()) return tell()
    const due = this.#due.get(slot)
    if (due === undefined) this.#due.set(slot, [tell])
    else due.push(tell)
  }

  #onSlot() {
    const slot = this.#chain.slots.slot()
    for (const [when, tells] of this.#due) {
      if (when > slot) continue
      this.#due.delete(when)
      for (const tell of tells) tell()
    }
    const root = this.#chain.slots.slot("finalized")
    for (const [id, send] of this.#slots) send("slotNotification", { parent: slot - 1, root, slot }, id)
    for (const [id, send] of this.#roots) send("rootNotification", root, id)
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
