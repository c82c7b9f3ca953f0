import { defineRule, holdersOf } from "./define.ts"

// This rule does not freeze accounts. The finding does: see `reconcile-account.ts`.
export const listed = defineRule({
  code: "wallet_sanctioned",
  name: "Not on a screening list",
  fields: {},
  needs: [],
  on: "both",
  checked: "signing",
  readsClaims: false,
  remedy: null,
  applies: (context) => holdersOf(context).some(({ isListed }) => isListed !== undefined),
  check(context) {
    const found = holdersOf(context).find(({ isListed }) => isListed)
    return found ? refusedWallet(found.wallet) : null
  },
  passed: ({ from }) => `${from === null ? "The wallet is" : "Both wallets are"} on no screening list.`,
})

/** The API's message about a wallet on a list. It names neither the list nor since when. */
export const refusedWallet = (wallet: string): string =>
  `${wallet} is refused by the server's screening. Ask your compliance team, who can see it under Reviews.`
