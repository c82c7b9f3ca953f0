import { defineRule, EVERY_KIND } from "./define.ts"

export const paused = defineRule({
  code: "mint_paused",
  name: "Not paused",
  fields: {},
  needs: [],
  on: EVERY_KIND,
  checked: "signing",
  readsClaims: false,
  bindsRecovery: true,
  remedy: "unpause",
  check: ({ config, whilePaused, isOverridden }) =>
    config.isCounting || (config.paused && !whilePaused)
      ? `The token is paused.${isOverridden ? "" : " Unpause it or wait until it is unpaused."}`
      : null,
  passed: () => "The token is not paused.",
})
