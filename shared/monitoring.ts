/** What a workspace does by itself when something is found after the fact. `review` always leaves it to a person. */
export const policies = {
  wallet_listed: {
    label: "Wallet on a screening list",
    hint: "Mints, transfers and new verifications of the wallet are refused either way.",
    choices: {
      review: "Open a review",
      freeze: "Freeze its tokens, and open a review",
    },
    default: "review",
  },
  watchlist_match: {
    label: "Watchlist match",
    hint: "The KYC vendor found the person on a sanctions, PEP or adverse media list after verifying them.",
    choices: { review: "Open a review", withdraw: "Revoke the person’s verifications" },
    default: "review",
  },
  case_opened: {
    label: "Case opened",
    hint: "The KYC vendor opened a case about the person after verifying them.",
    choices: { review: "Open a review", withdraw: "Revoke the person’s verifications" },
    default: "review",
  },
  person_deactivated: {
    label: "Person deactivated",
    hint: "The person was deactivated, or deleted, at the KYC vendor.",
    choices: { review: "Open a review", withdraw: "Revoke the person’s verifications" },
    default: "withdraw",
  },
  data_deleted: {
    label: "Data deleted",
    hint: "The KYC vendor deleted what it keeps of the person. Choose nothing if it deletes by a schedule.",
    choices: {
      review: "Open a review",
      withdraw: "Revoke the person’s verifications",
      nothing: "Do nothing",
    },
    default: "review",
  },
} as const satisfies Record<
  string,
  { label: string; hint: string; choices: Record<string, string>; default: string }
>

export type PolicyName = keyof typeof policies
export type PolicyChoice<Name extends PolicyName> = Extract<keyof (typeof policies)[Name]["choices"], string>
export type Policies = { [Name in PolicyName]: PolicyChoice<Name> }
/** Those that differ from the default. */
export type ChosenPolicies = { [Name in PolicyName]?: PolicyChoice<Name> | undefined }

export const policyNames = Object.keys(policies) as PolicyName[]

/** What holds: what was chosen, else the default. */
export const policiesOf = (chosen: ChosenPolicies): Policies =>
  Object.fromEntries(policyNames.map((name) => [name, chosen[name] ?? policies[name].default])) as Policies
