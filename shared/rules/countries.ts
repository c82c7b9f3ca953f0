import type { Claims } from "../claims.ts"
import { admitsAny, countryName } from "../countries.ts"
import { nameCountries } from "../country-lists.ts"
import { boundBy, defineRule, EVERY_MODE, GIVING } from "./define.ts"

const countryIn = ({ country }: Claims): string =>
  country === undefined
    ? "its verification contains no country"
    : `its investor is from ${countryName(country)} (${country})`

export const countries = defineRule({
  code: "country_not_allowed",
  name: "Country",
  fields: {
    allowed_countries: {
      type: "countries",
      description: "Only investors from these countries",
      example: ["US", "CA"],
      label: "Only from these countries",
      hint: "Refuses investors from all other countries, and those whose country is unknown.",
      summary: (codes) => `Only investors from ${nameCountries(codes)}.`,
      modes: EVERY_MODE,
    },
    blocked_countries: {
      type: "countries",
      description: "No investors from these countries",
      example: ["KP"],
      label: "Not from these countries",
      hint: "Refuses investors from these countries, and those whose country is unknown.",
      summary: (codes) => `No investors from ${nameCountries(codes)}.`,
      modes: EVERY_MODE,
    },
  },
  needs: [],
  on: GIVING,
  checked: "wallet",
  readsClaims: true,
  bindsRecovery: true,
  remedy: null,
  applies: ({ rules }) => rules.allowed_countries !== undefined || rules.blocked_countries !== undefined,
  check(context) {
    const { allowed_countries, blocked_countries } = context.rules
    const refused = boundBy(context).find(({ claims }) => {
      // Without a country from the provider, it is not known that the investor is allowed.
      const country = claims?.country
      if (country === undefined) return true
      return allowed_countries?.includes(country) === false || blocked_countries?.includes(country) === true
    })
    if (!refused) return null
    const because = context.namesClaims && refused.claims ? `: ${countryIn(refused.claims)}` : ""
    return `The token's country rules do not allow ${refused.wallet}${because}.`
  },
  passed: (context) =>
    boundBy(context).length === 1
      ? "The investor's country is allowed."
      : "The countries of both investors are allowed.",
  conflict: ({ allowed_countries, blocked_countries }) =>
    admitsAny(allowed_countries, blocked_countries)
      ? null
      : {
          field: "blocked_countries",
          detail: `blocks ${allowed_countries ? "every country in rules.allowed_countries" : "all countries"}, so no one could hold the token.`,
        },
})
