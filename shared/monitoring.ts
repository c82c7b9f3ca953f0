const reviewOrWithdraw = { review: "Open a review", withdraw: "Revoke the person’s verifications" } as const

/** What happens by itself when a verified wallet is listed or a vendor signals. `review` leaves it to a person. */
export const policies = {
  wallet_listed: {
    label: "Wallet on a screening list",
    hint: "Mints, transfers and new verifications of the wallet are refused either way.",
    choices: { review: "Open a review", freeze: "Freeze its tokens, and open a review" },
    default: "review",
  },
  watchlist_match: {
    label: "Watchlist match",
    hint: "The KYC provider found the person on a sanctions, PEP or adverse media list after verifying them.",
    choices: reviewOrWithdraw,
    default: "review",
  },
  case_opened: {
    label: "Case opened",
    hint: "The KYC provider opened a case about the person after verifying them.",
    choices: reviewOrWithdraw,
    default: "review",
  },
  person_deactivated: {
    label: "Person deactivated",
    hint: "The KYC provider deactivated or deleted the person.",
    choices: reviewOrWithdraw,
    default: "withdraw",
  },
  data_deleted: {
    label: "Data deleted",
    hint: "The KYC provider deleted the person’s data. Choose “Do nothing” if it deletes data on a schedule.",
    choices: { review: "Open a review", withdraw: "Revoke the person’s verifications", nothing: "Do nothing" },
    default: "review",
  },
} as const satisfies Record<string, { label: string; hint: string; choices: Record<string, string>; default: string }>

export type PolicyName = keyof typeof policies
export type PolicyChoice<Name extends PolicyName> = Extract<keyof (typeof policies)[Name]["choices"], string>
export type Policies = { [Name in PolicyName]: PolicyChoice<Name> }
/** The choices that differ from the default. */
export type ChosenPolicies = { [Name in PolicyName]?: PolicyChoice<Name> | undefined }

export const policyNames = Object.keys(policies) as PolicyName[]

/** The choice in effect: the member's, else the default. */
export const policiesOf = (chosen: ChosenPolicies): Policies =>
  Object.fromEntries(policyNames.map((name) => [name, chosen[name] ?? policies[name].default])) as Policies
