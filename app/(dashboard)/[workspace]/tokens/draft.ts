import { instantIn, localIn } from "#app/components/local-time.ts"
import type { FieldType, JsonOf } from "#shared/rules/define.ts"
import { isHeldIn, type RuleName, type RulesJson, ruleFields } from "#shared/rules/fields.ts"
import { toTimestamp } from "#shared/timestamp.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"

/** The values of the token form: strings until they are sent. */
export type Draft = {
  id: string
  name: string
  symbol: string
  decimals: string
  required_schema: string
  transfer_mode: TransferMode
  rules: RulesDraft
}
export type RulesDraft = Record<RuleName, Entered>

/** The form value of each type of field. Times have the format of `datetime-local`, in the page's time zone. */
export type EnteredIn<T extends FieldType> = T extends "countries"
  ? string[]
  : T extends "countryCounts" | "regionDays"
    ? Record<string, string>
    : T extends "flag"
      ? boolean
      : string
export type Entered = EnteredIn<FieldType>

type Sent = Omit<Draft, "decimals" | "rules"> & { decimals: number; rules: RulesJson }

/** Converts rules to form values, and form values to what is sent: undefined if the rule is not set. */
type Entry<T extends FieldType> = {
  empty: EnteredIn<T>
  show: (set: JsonOf<T>, zone: string) => EnteredIn<T>
  send: (entered: EnteredIn<T>, zone: string) => JsonOf<T> | undefined
}

const entries: { [T in FieldType]: Entry<T> } = {
  countries: { empty: [], show: (codes) => codes, send: (codes) => (codes.length === 0 ? undefined : codes) },
  amount: { empty: "", show: (amount) => amount, send: (text) => plain(text) || undefined },
  count: { empty: "", show: String, send: (text) => (text.trim() === "" ? undefined : count(text)) },
  countryCounts: {
    empty: {},
    show: (caps) => Object.fromEntries(Object.entries(caps).map(([country, cap]) => [country, String(cap)])),
    send(caps) {
      const set = Object.entries(caps).map(([country, text]) => [country, count(text)] as const)
      return set.length === 0 ? undefined : Object.fromEntries(set)
    },
  },
  regionDays: {
    empty: { us: "", non_us: "" },
    show: ({ us, non_us }) => ({ us: String(us), non_us: String(non_us) }),
    send: ({ us = "", non_us = "" }) =>
      us.trim() === "" && non_us.trim() === "" ? undefined : { us: count(us), non_us: count(non_us) },
  },
  flag: { empty: false, show: (isOn) => isOn, send: (isOn) => isOn || undefined },
  time: {
    empty: "",
    show: (time, zone) => localIn(zone, time),
    send: (text, zone) => (text === "" ? undefined : sentTime(text, zone)),
  },
}
const entryOf = (type: FieldType) => entries[type] as Entry<FieldType>

const rulesDraft = (set: RulesJson, zone: string): RulesDraft =>
  Object.fromEntries(
    ruleFields.map(({ name, type }) => {
      const { empty, show } = entryOf(type)
      const value = set[name]
      return [name, value === undefined ? empty : show(value, zone)]
    }),
  ) as RulesDraft

export const emptyDraft: Draft = {
  id: "",
  name: "",
  symbol: "",
  decimals: "6",
  required_schema: "kyc_individual_v1",
  transfer_mode: "agent",
  rules: rulesDraft({}, "UTC"),
}

export const draftOf = (
  { id, name, symbol, decimals, required_schema, transfer_mode, rules }: Sent,
  zone: string,
): Draft => ({
  ...{ id, name, symbol, required_schema, transfer_mode },
  decimals: String(decimals),
  rules: rulesDraft(rules, zone),
})

/** The configuration as the API takes it, without rules that are not set or that the transfer mode cannot hold. */
export function configOf(draft: Draft, zone: string): Sent {
  const rules = ruleFields
    .filter((field) => isHeldIn(draft.transfer_mode, field))
    .map(({ name, type }) => [name, entryOf(type).send(draft.rules[name], zone)] as const)
    .filter(([, value]) => value !== undefined)
  return {
    id: draft.id.trim(),
    name: draft.name.trim(),
    symbol: draft.symbol.trim(),
    decimals: Number(draft.decimals),
    required_schema: draft.required_schema,
    transfer_mode: draft.transfer_mode,
    rules: Object.fromEntries(rules),
  }
}

const isComplete: { [T in FieldType]: (value: JsonOf<T>) => boolean } = {
  countries: () => true,
  flag: () => true,
  amount: (text) => /^\d+(\.\d+)?$/.test(text),
  count: (number) => typeof number === "number",
  countryCounts: (caps) => Object.values(caps).every((cap) => typeof cap === "number"),
  regionDays: (days) => Object.values(days).every((number) => typeof number === "number"),
  time: (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
}

/** The rules that can be said in words. The server reports the others, which were not entered completely or correctly. */
export const completeRules = (rules: RulesJson): RulesJson =>
  Object.fromEntries(
    ruleFields.flatMap(({ name, type }) => {
      const value = rules[name]
      const check = isComplete[type] as (value: unknown) => boolean
      return value !== undefined && check(value) ? [[name, value]] : []
    }),
  )

/** Derives an id from the name, such as `us_real_estate_fund_v1`. */
export function suggestId(name: string): string {
  const words = name
    .normalize("NFKD")
    // Accents, which normalization has split off.
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "_")
  return words === "" ? "" : `${words.slice(0, 60)}_v1`
}

const MOST_OF_SYMBOL = 10

/** Derives a symbol from the name: its initials and numbers, or the beginning of a single word. */
export function suggestSymbol(name: string): string {
  const words =
    name
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .toUpperCase()
      .match(/[A-Z]+|[0-9]+/g) ?? []
  const [only = ""] = words
  const symbol =
    words.length > 1 ? words.map((word) => (/[0-9]/.test(word) ? word : word[0])).join("") : only.slice(0, 4)
  return symbol.slice(0, MOST_OF_SYMBOL)
}

/** People separate thousands. The API takes digits and a point. */
const plain = (amount: string): string => amount.trim().replaceAll(/[, _]/g, "")

/** Text that is not a count is sent unchanged, so that the server reports it. */
function count(text: string): number {
  const digits = plain(text)
  return (/^[0-9]{1,10}$/.test(digits) ? Number(digits) : digits) as number
}

/** Text that is not a time is sent unchanged, so that the server reports it. */
function sentTime(text: string, zone: string): string {
  const time = instantIn(zone, text)
  return time === null ? text : toTimestamp(time)
}
