import { boundBy, defineRule, EVERY_MODE, GIVING } from "./define.ts"

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
  on: GIVING,
  checked: "wallet",
  readsClaims: true,
  bindsRecovery: true,
  remedy: null,
  check(context) {
    const refused = boundBy(context).find(({ claims }) => claims?.accredited !== true)
    return refused ? `${refused.wallet} is not an accredited investor.` : null
  },
  passed: (context) =>
    boundBy(context).length === 1 ? "The investor is accredited." : "Both investors are accredited.",
})
