import { timeIn } from "#app/components/timestamp.tsx"
import { grouped } from "./amounts.ts"
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
      words: max_supply !== undefined && `At most ${grouped(max_supply)} are ever minted.`,
    },
    {
      name: "max_holders",
      words: max_holders !== undefined && `At most ${grouped(String(max_holders))} wallets hold at a time.`,
    },
    {
      name: "max_balance_per_wallet",
      words:
        max_balance_per_wallet !== undefined && `A wallet holds at most ${grouped(max_balance_per_wallet)}.`,
    },
  ]
  return all.flatMap(({ name, words }) => (words ? [{ name, words }] : []))
}

/** Who moves tokens, and what the chain itself holds. */
export const modeWords = {
  agent: {
    name: "Agent",
    summary: "Tokens move through Vouch alone.",
    chain:
      "Every account is frozen at rest. Each mint or transfer thaws, moves and freezes again in one transaction, so every rule binds on chain.",
  },
  holder: {
    name: "Holder",
    summary: "Verified wallets may move tokens between themselves.",
    chain:
      "Accounts of verified wallets are open. The chain holds what belongs to a wallet (verification, countries, accreditation) by freezing its account; it cannot hold a lock-up, or a limit on holders or balances.",
  },
} as const

/** What each rule refuses, and what counts. */
export const ruleHints = {
  allowed_countries: "Refuses investors from anywhere else, and those whose country is not known.",
  blocked_countries: "Refuses investors from these, and those whose country is not known.",
  require_accredited: "Refuses investors whose verification does not say that they are accredited.",
  max_supply: "Refuses mints beyond it.",
  max_holders: "Refuses new holders beyond it. A holder who transfers their whole balance frees a place.",
  max_balance_per_wallet: "Refuses what would leave a wallet with more, counting what is on its way to it.",
  transfers_locked_until:
    "Refuses transfers before this time, in the time zone of this page. Minting is free.",
} as const satisfies Record<keyof Rules, string>

/** When rules are checked, and what the chain adds to them by itself. */
export const checkedWhen = {
  wallets: {
    agent:
      "Checked on both sides, at each request and again before it is signed. On chain, nothing moves but what Vouch has signed.",
    holder:
      "Checked on both sides, at each request and again before it is signed. On chain, accounts of wallets that do not meet these rules are frozen within seconds.",
  },
  limits: {
    agent:
      "Checked at each request, which reserves what it takes: requests cannot pass a limit together. On chain, nothing moves but what Vouch has signed.",
    holder:
      "Checked at each request, which reserves what it takes. On chain, nobody but Vouch can mint; the other limits are not available in holder mode.",
  },
} as const

/** Why a rule cannot be set in holder mode, as the server says it too. */
export const NOT_IN_HOLDER_MODE =
  "Not in holder mode: holders move tokens by themselves, and the chain could not hold this rule. Choose agent mode to set it."

export const NEEDS_AGENT = ["max_holders", "max_balance_per_wallet", "transfers_locked_until"] as const
