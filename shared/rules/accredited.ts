import { defineRule, EVERY_MODE, holdersOf } from "./define.ts"

export const accredited = defineRule({
  code: "not_accredited",
  name: "Accredited",
  fields: {
    require_accredited: {
      type: "flag",
      description: "Only accredited investors",
      example: true,
      label: "Accredited investors only",
      hint: "Refuses investors whose verification does not confirm accreditation.",
      summary: () => "Only accredited investors.",
      modes: EVERY_MODE,
    },
  },
  needs: ["require_accredited"],
  on: "both",
  checked: "wallet",
  readsClaims: true,
  remedy: null,
  check(context) {
    const refused = holdersOf(context).find(({ claims }) => claims?.accredited !== true)
    return refused ? `${refused.wallet} is not an accredited investor.` : null
  },
  passed: ({ from }) => (from === null ? "The investor is accredited." : "Both investors are accredited."),
})
