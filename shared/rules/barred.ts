import { boundBy, defineRule, GIVING } from "./define.ts"

export const barred = defineRule({
  code: "wallet_barred",
  name: "Not lost",
  fields: {},
  needs: [],
  on: GIVING,
  checked: "wallet",
  readsClaims: false,
  bindsRecovery: true,
  remedy: null,
  check(context) {
    const found = boundBy(context).find(({ isBarred }) => isBarred)
    if (!found) return null
    const advice = context.isOverridden ? "" : " Use another wallet of the investor."
    return `${found.wallet} was reported as lost.${advice}`
  },
  passed: (context) =>
    boundBy(context).length === 1 ? "The wallet was not reported as lost." : "Neither wallet was reported as lost.",
})
