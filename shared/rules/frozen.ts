import { boundByOrders, defineRule, GIVING } from "./define.ts"

export const frozen = defineRule({
  code: "wallet_frozen",
  name: "Not frozen",
  fields: {},
  needs: [],
  on: GIVING,
  checked: "wallet",
  readsClaims: false,
  bindsRecovery: true,
  remedy: null,
  check(context) {
    const found = boundByOrders(context).find(({ isFrozen }) => isFrozen)
    if (!found) return null
    const advice = context.isOverridden ? "" : " Unfreeze it with POST /token/unfreeze, or use another wallet."
    return `${found.wallet} is frozen.${advice}`
  },
  passed: (context) =>
    boundByOrders(context).length === 1 ? "The wallet is not frozen." : "Neither wallet is frozen.",
})
