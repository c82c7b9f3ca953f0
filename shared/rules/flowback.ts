import { toTimestamp } from "../timestamp.ts"
import { AGENT_ONLY, defineRule } from "./define.ts"
import { isFromUs } from "./holding-period.ts"
import { isOneInvestor } from "./investors.ts"

export const flowback = defineRule({
  code: "flowback_blocked",
  name: "Flowback",
  fields: {
    no_flowback_until: {
      type: "time",
      description: "No transfers from investors outside the United States to investors from there before this time",
      example: "2027-01-01T00:00:00Z",
      label: "No flowback until",
      hint: "Refuses transfers from investors outside the United States to US investors before this time (in your time zone), and those whose countries are unknown.",
      summary: (until, { now, formatTime }) =>
        new Date(until) > now
          ? `No transfers from outside the US to US investors before ${formatTime(until)}.`
          : `Transfers to US investors open since ${formatTime(until)}.`,
      modes: AGENT_ONLY,
    },
  },
  needs: ["no_flowback_until"],
  on: ["transfer"],
  checked: "signing",
  readsClaims: true,
  remedy: null,
  applies: ({ from, to }) => !isOneInvestor(from, to),
  check({ now, from, to, rules: { no_flowback_until: until }, namesClaims }) {
    // A US sender's tokens do not flow back, and a foreign receiver gets them outside the country.
    if (now >= until || isFromUs(from.claims) === true || isFromUs(to.claims) === false) return null
    const unknown = [from, to].find(({ claims }) => isFromUs(claims) === null)
    const because = namesClaims && unknown ? ` The verification of ${unknown.wallet} contains no country.` : ""
    return `Until ${toTimestamp(until)}, tokens cannot move from outside the United States to a US investor.${because}`
  },
  passed: ({ rules: { no_flowback_until: until } }) =>
    `The transfer is no flowback before ${toTimestamp(until)}, or that time has come.`,
})
