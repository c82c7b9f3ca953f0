import type { Key } from "./keys.ts"
import { readTokenAccount } from "./token-layout.ts"
import type { Account } from "./vm.ts"

/**
 * An index of token accounts by owner, so that a lookup does not read every account. It only grows, so the caller
 * checks each account: it may be closed, or have another owner now.
 */
export class TokenOwners {
  readonly #accounts = new Map<Key, Key | Set<Key>>()

  add(key: Key, account: Account) {
    const token = readTokenAccount(account)
    if (token === null) return
    const known = this.#accounts.get(token.owner)
    if (known === undefined) this.#accounts.set(token.owner, key)
    else if (typeof known !== "string") known.add(key)
    else if (known !== key) this.#accounts.set(token.owner, new Set([known, key]))
  }

  of(owner: Key): Iterable<Key> {
    const known = this.#accounts.get(owner)
    return known === undefined ? [] : typeof known === "string" ? [known] : known
  }
}
