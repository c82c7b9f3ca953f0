import { boundByOrders, defineRule, GIVING } from "./define.ts"

// This rule does not freeze accounts. The finding does: see `reconcile-account.ts`.
export const listed = defineRule({
  code: "wallet_sanctioned",
  name: "Not on a screening list",
  fields: {},
  needs: [],
  on: GIVING,
  checked: "signing",
  readsClaims: false,
  bindsRecovery: true,
  remedy: null,
  applies: (context) => boundByOrders(context).some(({ isListed }) => isListed !== undefined),
  check(context) {
    const found = boundByOrders(context).find(({ isListed }) => isListed)
    if (!found) return null
    return context.isOverridden ? `${found.wallet} is on a screening list.` : refusedWallet(found.wallet)
  },
  passed: (context) =>
    `${boundByOrders(context).length === 1 ? "The wallet is" : "Both wallets are"} on no screening list.`,
})

/** The API's message about a wallet on a list. It names neither the list nor since when. */
export const refusedWallet = (wallet: string): string =>
  `${wallet} is refused by the server's screening. Ask your compliance team, who can see it under Reviews.`
