import { boundBy, defineRule, GIVING } from "./define.ts"

export const verified = defineRule({
  code: "wallet_not_verified",
  name: "Verified",
  fields: {},
  needs: [],
  on: GIVING,
  checked: "wallet",
  readsClaims: false,
  bindsRecovery: true,
  remedy: "verify",
  check(context) {
    const unverified = boundBy(context).find(({ claims }) => claims === null)
    if (!unverified) return null
    const because = unverified.unverifiedBecause === undefined ? "" : `: ${unverified.unverifiedBecause}`
    const advice = context.isOverridden ? "" : " Start a verification with POST /kyc/start."
    return `${unverified.wallet} is not verified for ${context.config.requiredSchema}${because}.${advice}`
  },
  passed: (context) =>
    `${boundBy(context).length === 1 ? "The wallet is" : "Both wallets are"} verified for ${context.config.requiredSchema}.`,
})
