import { defineRule, holdersOf } from "./define.ts"

export const verified = defineRule({
  code: "wallet_not_verified",
  name: "Verified",
  fields: {},
  needs: [],
  on: "both",
  checked: "wallet",
  readsClaims: false,
  remedy: "verify",
  check(context) {
    const stranger = holdersOf(context).find(({ claims }) => claims === null)
    if (!stranger) return null
    const because = stranger.unverifiedBecause === undefined ? "" : `: ${stranger.unverifiedBecause}`
    return `${stranger.wallet} is not verified for ${context.config.requiredSchema}${because}. Start a verification with POST /kyc/start.`
  },
  passed: ({ from, config }) =>
    `${from === null ? "The wallet is" : "Both wallets are"} verified for ${config.requiredSchema}.`,
})
