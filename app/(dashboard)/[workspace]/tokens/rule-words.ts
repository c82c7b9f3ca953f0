// For the form that sets rules. The token's own page does not load it.

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

/** Why a rule cannot be set in holder mode. The server gives the same reason. */
export const NOT_IN_HOLDER_MODE =
  "Not available when holders move tokens, because the chain cannot enforce it. Choose “Only through Vouch” to set it."
