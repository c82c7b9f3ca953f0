import { grouped } from "../amount.ts"
import { countryName } from "../countries.ts"
import { AGENT_ONLY, defineRule, GIVING, type Holder, type TransferContext } from "./define.ts"
import { countOf, firstPassed, type InvestorLimit, limitsOf } from "./investor-counts.ts"

const MOST = 1_000_000_000

/** What a limit is about. A country is named only to callers who may know the claims of investors. */
const about = ({ field, country, cap }: InvestorLimit, namesClaims: boolean | undefined): string => {
  if (field === "max_non_accredited_investors") return `${cap} investors who are not accredited`
  if (country === null) return `${cap} investors`
  return namesClaims ? `${cap} investors from ${countryName(country)} (${country})` : "investors from one country"
}

const countsIn = (context: Pick<TransferContext, "counts" | "rules">): string =>
  limitsOf(context.rules)
    // Which country an investor counts in is a claim.
    .filter(({ country }) => country === null)
    .map((limit) => {
      const count = countOf(context.counts?.after ?? {}, limit)
      return `${count} of ${limit.cap} investors${limit.field === "max_non_accredited_investors" ? " who are not accredited" : ""}`
    })
    .join(" and ")

export const investors = defineRule({
  code: "investor_limit_reached",
  name: "Investors",
  fields: {
    max_investors: {
      type: "count",
      min: 1,
      max: MOST,
      description: "Maximum number of investors, each with any number of wallets",
      example: 99,
      label: "Maximum investors",
      hint: "Refuses new investors above it. All wallets of one investor count once.",
      summary: (cap) => `Maximum ${grouped(String(cap))} investors.`,
      modes: AGENT_ONLY,
    },
    max_investors_by_country: {
      type: "countryCounts",
      min: 0,
      max: MOST,
      description: "Maximum number of investors from a country, for each country that has a limit",
      example: { JP: 49 },
      label: "Maximum investors by country",
      hint: "Refuses new investors from a country above its maximum. Investors whose country is unknown count in every country.",
      summary: (caps) =>
        `Maximum investors by country: ${Object.entries(caps)
          .map(([country, cap]) => `${countryName(country)} ${grouped(String(cap))}`)
          .join(", ")}.`,
      modes: AGENT_ONLY,
    },
    max_non_accredited_investors: {
      type: "count",
      min: 0,
      max: MOST,
      description: "Maximum number of investors who are not accredited",
      example: 35,
      label: "Maximum investors who are not accredited",
      hint: "Refuses new investors above it whose verification does not confirm accreditation.",
      summary: (cap) => `Maximum ${grouped(String(cap))} investors who are not accredited.`,
      modes: AGENT_ONLY,
    },
  },
  needs: [],
  on: GIVING,
  checked: "request",
  readsClaims: true,
  countsInvestors: true,
  remedy: "change_rules",
  applies: ({ rules, counts }) => counts !== undefined && limitsOf(rules).length > 0,
  check({ rules, counts, namesClaims }) {
    const passed = firstPassed(rules, counts!)
    return passed && `The token has reached its maximum of ${about(passed, namesClaims)}.`
  },
  passed(context) {
    const { from, to } = context
    if (from !== null && isOneInvestor(from, to)) return "Both wallets are the same investor's."
    const counts = countsIn(context)
    return counts === "" ? "The limits by country allow the investor." : `${counts}.`
  },
})

/** Whether two wallets are one person's. Between them, no limit by investor counts. */
export const isOneInvestor = (from: Holder | null, to: Holder): boolean =>
  typeof to.investor === "string" && from?.investor === to.investor && from.wallet !== to.wallet
