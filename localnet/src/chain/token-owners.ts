import type { Key } from "./keys.ts"
import { readTokenAccount } from "./token-layout.ts"
import type { Account } from "./vm.ts"

/**
 * Which token accounts a wallet has, so that asking for them does not go over every account there is. It only grows:
 * who reads it looks at the accounts themselves, where a closed one is gone and a given-away one names another owner.
 */
export class TokenOwners {
  readonly #accounts = new Map<Key, Key | Set<Key>>()

  see(key: Key, account: Account) {
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
