// For the list of tokens and the form that sets rules. The token's own page does not load it.

import type { RulesJson } from "#shared/rules/fields.ts"

/** When rules are checked, and what the chain adds. */
export const checkedWhen = {
  wallets: {
    agent:
      "Checked for sender and recipient, at each request and again before signing. On chain, tokens move only in transactions signed by Vouch.",
    holder:
      "Checked for sender and recipient, at each request and again before signing. On chain, accounts of wallets that do not meet these rules are frozen within seconds.",
  },
  limits: {
    agent:
      "Checked and reserved at each request, so simultaneous requests cannot exceed a limit together. On chain, tokens move only in transactions signed by Vouch.",
    holder:
      "Checked and reserved at each request. On chain, only Vouch can mint; the other limits are not available when holders move tokens.",
  },
} as const

/** Who may hold a token, in a few words: "US, CA only, accredited". Empty if every verified wallet may. */
export function holdersInBrief({ allowed_countries, blocked_countries, require_accredited }: RulesJson): string {
  const words = [
    ...(allowed_countries ? [`${inBrief(allowed_countries)} only`] : []),
    ...(blocked_countries ? [`${inBrief(blocked_countries)} blocked`] : []),
    ...(require_accredited ? ["accredited"] : []),
  ].join(", ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Up to this many countries are named. */
const MOST_NAMED = 3

const inBrief = (codes: readonly string[]): string =>
  codes.length <= MOST_NAMED ? codes.join(", ") : `${codes.length} countries`

/** Why a rule cannot be set in holder mode. The server gives the same reason. */
export const NOT_IN_HOLDER_MODE =
  "Not available when holders move tokens, because the chain cannot enforce it. Choose “Only through Vouch” to set it."
