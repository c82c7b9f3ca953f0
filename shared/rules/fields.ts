import { limitsOf, toBaseUnits } from "../amount.ts"
import type { TransferMode } from "../transfer-modes.ts"
import type { Field, FieldType, JsonOf, Reader, Rule, Value, ValueOf } from "./define.ts"
import { allRules, type rules } from "./rules.ts"

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never
type All = Intersection<(typeof rules)[number]["fields"]>

/** A field of a configuration's `rules`. */
export type RuleName = keyof All & string
type TypeOf<N extends RuleName> = All[N] extends { type: infer T extends FieldType } ? T : never

/** The rules of a configuration in the API's format. */
export type RulesJson = { [N in RuleName]?: JsonOf<TypeOf<N>> | undefined }
/** The rules as code reads them, with amounts in base units. Absent ones are not set. */
export type Rules = { [N in RuleName]?: ValueOf<TypeOf<N>> }

/** Who may hold, limits, and delays, in the order of forms and documents. */
const order: readonly Rule["checked"][] = ["wallet", "request", "signing"]

/** Every field with its name, in the order of forms and documents. */
export const ruleFields: readonly (Field & { name: RuleName; rule: Rule })[] = order
  .flatMap((moment) => allRules.filter((rule) => rule.checked === moment))
  .flatMap((rule) => Object.entries(rule.fields).map(([name, field]) => ({ ...field, name: name as RuleName, rule })))

const names: ReadonlySet<string> = new Set(ruleFields.map(({ name }) => name))

export const isRuleName = (name: string): name is RuleName => names.has(name)

/** Whether a transfer mode can enforce a rule. */
export const isHeldIn = (mode: TransferMode, { modes }: Pick<Field, "modes">): boolean =>
  modes.some((one) => one === mode)

/** Fields of rules about the wallet itself, which holder mode enforces by freezing. */
export const holdingNames: readonly RuleName[] = ruleFields
  .filter(({ rule }) => rule.checked === "wallet")
  .map(({ name }) => name)

const counting = ruleFields.filter(({ rule }) => rule.countsInvestors).map(({ name }) => name)

/** Whether a rule that is set needs to know how many investors hold the token. */
export const countsInvestors = (json: RulesJson): boolean => counting.some((name) => json[name] !== undefined)

type Read = { [T in FieldType]: (json: JsonOf<T>, decimals: number) => ValueOf<T> | undefined }

const read: Read = {
  countries: (codes) => codes,
  amount(text, decimals) {
    const units = toBaseUnits(text, decimals)
    if (units === null) throw new Error("an amount in the rules of a configuration has not been checked")
    return units
  },
  count: (number) => number,
  countryCounts: (caps) => caps,
  regionDays: (days) => days,
  flag: (isOn) => isOn || undefined,
  time: (text) => new Date(text),
}

/** Parses rules from the API's format. They must already be validated. */
export function readRules(json: RulesJson, decimals: number): Rules {
  const set: Partial<Record<RuleName, Value>> = {}
  for (const { name, type } of ruleFields) {
    const one = json[name]
    const readOne = read[type] as (json: unknown, decimals: number) => Value | undefined
    const value = one === undefined ? undefined : readOne(one, decimals)
    if (value !== undefined) set[name] = value
  }
  return set as Rules
}

/** The first problem of well-formed rules: one by itself, several together, or in this mode. */
export function firstConflict(
  json: RulesJson,
  { mode, decimals }: { mode: TransferMode; decimals: number },
): { field: string; detail: string } | null {
  const present = ruleFields.filter(({ name }) => json[name] !== undefined)
  const unheld = present.find((field) => !isHeldIn(mode, field))
  if (unheld) {
    const detail = `cannot be enforced in transfer_mode ${mode}, where holders move tokens themselves. Leave it out or use agent.`
    return { field: unheld.name, detail }
  }
  for (const { conflict } of allRules) {
    const found = conflict?.(json)
    if (found) return found
  }
  const invalid = present.find(
    ({ name, type }) => type === "amount" && toBaseUnits(json[name] as string, decimals) === null,
  )
  return invalid ? { field: invalid.name, detail: `${limitsOf(decimals)}.` } : null
}

/** The rules that are set, each in a sentence, in the order of their checks. */
export const summariesOf = (json: RulesJson, reader: Reader): { name: RuleName; text: string }[] =>
  allRules.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { summary }]) => {
      const value = json[name as RuleName]
      if (value === undefined || value === false) return []
      return [{ name: name as RuleName, text: (summary as (value: unknown, reader: Reader) => string)(value, reader) }]
    }),
  )
