import type { Key } from "./keys.ts"
import type { Account } from "./vm.ts"

type Before = { slot: number; accounts: readonly (readonly [Key, Account | null])[] }

/** The accounts before each transaction that can still be rolled back. */
export class Undo {
  #landed: Before[] = []

  add(before: Before) {
    this.#landed.push(before)
  }

  /** Finalized transactions cannot be undone. */
  forgetUpTo(slot: number) {
    const kept = this.#landed.findIndex((one) => one.slot > slot)
    if (kept !== 0) this.#landed = kept === -1 ? [] : this.#landed.slice(kept)
  }

  /** Removes the transactions that landed after a slot. Returns how many, and the accounts before them. */
  takeAfter(slot: number): { count: number; accounts: Map<Key, Account | null> } {
    const accounts = new Map<Key, Account | null>()
    let count = 0
    while ((this.#landed.at(-1)?.slot ?? slot) > slot) {
      for (const [key, account] of this.#landed.pop()!.accounts) accounts.set(key, account)
      count += 1
    }
    return { count, accounts }
  }
}
