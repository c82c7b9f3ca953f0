import { instantIn, localIn } from "#app/components/zone.ts"
import type { Token } from "./answers.ts"
import { NEEDS_AGENT } from "./rule-words.ts"

/** What is entered in the form of a token: texts, until they are sent. */
export type Draft = {
  id: string
  name: string
  symbol: string
  decimals: string
  required_schema: string
  transfer_mode: Token["transfer_mode"]
  allowed_countries: string[]
  blocked_countries: string[]
  require_accredited: boolean
  max_supply: string
  max_holders: string
  max_balance_per_wallet: string
  /** In the zone of the page, as `datetime-local` has it. */
  transfers_locked_until: string
}

export const emptyDraft: Draft = {
  id: "",
  name: "",
  symbol: "",
  decimals: "6",
  required_schema: "kyc_individual_v1",
  transfer_mode: "agent",
  allowed_countries: [],
  blocked_countries: [],
  require_accredited: false,
  max_supply: "",
  max_holders: "",
  max_balance_per_wallet: "",
  transfers_locked_until: "",
}

export const draftOf = (
  { id, name, symbol, decimals, required_schema, transfer_mode, rules }: Token,
  zone: string,
): Draft => ({
  id,
  name,
  symbol,
  decimals: String(decimals),
  required_schema,
  transfer_mode,
  allowed_countries: rules.allowed_countries ?? [],
  blocked_countries: rules.blocked_countries ?? [],
  require_accredited: rules.require_accredited ?? false,
  max_supply: rules.max_supply ?? "",
  max_holders: rules.max_holders === undefined ? "" : String(rules.max_holders),
  max_balance_per_wallet: rules.max_balance_per_wallet ?? "",
  transfers_locked_until: rules.transfers_locked_until ? localIn(zone, rules.transfers_locked_until) : "",
})

type Sent = Pick<Token, "id" | "name" | "symbol" | "decimals" | "required_schema" | "transfer_mode" | "rules">

/** The configuration as the API takes it: a rule that is not set is left out, and so is one that the mode cannot hold. */
export function configOf(draft: Draft, zone: string): Sent {
  const { allowed_countries, blocked_countries, require_accredited, max_supply, transfers_locked_until } =
    draft
  const rules: Sent["rules"] = {
    ...(allowed_countries.length > 0 && { allowed_countries }),
    ...(blocked_countries.length > 0 && { blocked_countries }),
    ...(require_accredited && { require_accredited }),
    ...(max_supply.trim() !== "" && { max_supply: plain(max_supply) }),
    ...(draft.max_holders.trim() !== "" && { max_holders: count(draft.max_holders) }),
    ...(draft.max_balance_per_wallet.trim() !== "" && {
      max_balance_per_wallet: plain(draft.max_balance_per_wallet),
    }),
    ...(transfers_locked_until !== "" && { transfers_locked_until: sentTime(transfers_locked_until, zone) }),
  }
  if (draft.transfer_mode === "holder") for (const rule of NEEDS_AGENT) delete rules[rule]
  return {
    id: draft.id.trim(),
    name: draft.name.trim(),
    symbol: draft.symbol.trim(),
    decimals: Number(draft.decimals),
    required_schema: draft.required_schema,
    transfer_mode: draft.transfer_mode,
    rules,
  }
}

/** An id that says what the name says, such as `us_real_estate_fund_v1`. */
export function suggestId(name: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "_")
  return words === "" ? "" : `${words.slice(0, 60)}_v1`
}

/** People write thousands apart; the API takes digits and a point. */
const plain = (amount: string): string => amount.trim().replaceAll(/[, _]/g, "")

/** What is no count is sent as it is, for the server to say so. */
function count(text: string): number {
  const digits = plain(text)
  return (/^[0-9]{1,10}$/.test(digits) ? Number(digits) : digits) as number
}

/** What is no time is sent as it is, for the server to say so. */
function sentTime(text: string, zone: string): string {
  const time = instantIn(zone, text)
  return time === null ? text : `${time.toISOString().slice(0, 19)}Z`
}
