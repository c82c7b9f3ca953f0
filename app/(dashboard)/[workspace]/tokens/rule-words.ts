import { timeIn } from "#app/components/timestamp.tsx"
import { grouped } from "#shared/amount.ts"
import type { TokenView } from "./answers.ts"

type Rules = TokenView["rules"]

const listed = (codes: readonly string[]) => codes.join(", ")
const lockUp = (until: string, zone: string) =>
  new Date(until).getTime() > Date.now()
    ? `No transfers before ${timeIn(zone, until)}.`
    : `Transfers open since ${timeIn(zone, until)}.`

/** The rules of a token, each in a sentence, in the order in which they are asked; times in a zone. */
export function rulesInWords(rules: Rules, zone: string): { name: keyof Rules; words: string }[] {
  const { allowed_countries, blocked_countries, max_supply, max_holders, max_balance_per_wallet } = rules
  const all: { name: keyof Rules; words: string | false | undefined }[] = [
    {
      name: "transfers_locked_until",
      words: rules.transfers_locked_until && lockUp(rules.transfers_locked_until, zone),
    },
    {
      name: "allowed_countries",
      words: allowed_countries && `Only investors from ${listed(allowed_countries)}.`,
    },
    {
      name: "blocked_countries",
      words: blocked_countries && `No investors from ${listed(blocked_countries)}.`,
    },
    { name: "require_accredited", words: rules.require_accredited && "Only accredited investors." },
    {
      name: "max_supply",
      words: max_supply !== undefined && `Maximum supply ${grouped(max_supply)}.`,
    },
    {
      name: "max_holders",
      words: max_holders !== undefined && `Maximum ${grouped(String(max_holders))} holders.`,
    },
    {
      name: "max_balance_per_wallet",
      words: max_balance_per_wallet !== undefined && `Maximum ${grouped(max_balance_per_wallet)} per wallet.`,
    },
  ]
  return all.flatMap(({ name, words }) => (words ? [{ name, words }] : []))
}

/** Who moves tokens, and what the chain itself holds. */
export const modeWords = {
  agent: {
    name: "Only through Vouch",
    summary: "You mint and transfer tokens. Holders cannot move them.",
    chain:
      "Accounts stay frozen. Each mint or transfer thaws, moves and freezes again in one transaction, so every rule is enforced on chain.",
  },
  holder: {
    name: "By holders",
    summary: "Verified holders can move tokens themselves.",
    chain:
      "Accounts of verified wallets are open. Vouch freezes the account of a wallet that no longer meets the verification, country or accreditation rules. Lock-up and limits on holders and balances are not available.",
  },
} as const

/** What each rule refuses, and what counts. */
export const ruleHints = {
  allowed_countries: "Refuses investors from all other countries, and those whose country is unknown.",
  blocked_countries: "Refuses investors from these countries, and those whose country is unknown.",
  require_accredited: "Refuses investors whose verification does not confirm accreditation.",
  max_supply: "Refuses mints above it.",
  max_holders: "Refuses new holders above it. A holder who transfers their whole balance frees a place.",
  max_balance_per_wallet: "Refuses mints and transfers that would exceed it, including those in progress.",
  transfers_locked_until: "Refuses transfers before this time (in your time zone). Minting is not affected.",
} as const satisfies Record<keyof Rules, string>

/** When rules are checked, and what the chain adds to them by itself. */
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

/** Why a rule cannot be set in holder mode, as the server says it too. */
export const NOT_IN_HOLDER_MODE =
  "Not available when holders move tokens, because the chain cannot enforce it. Choose “Only through Vouch” to set it."

export const NEEDS_AGENT = ["max_holders", "max_balance_per_wallet", "transfers_locked_until"] as const
