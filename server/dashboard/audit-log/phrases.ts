import { fromBaseUnits, grouped } from "#shared/amount.ts"
import type { Names, Person } from "./names.ts"

/** A part of a sentence: words, or the name of something, with the path of its page below the workspace. */
export type Part =
  | string
  | { text: string; path: string[] | null /** The whole address, if the text is short for it. */; address?: string }
export type Phrase = Part[]

/** A template whose values are parts and phrases. */
export const say = (words: TemplateStringsArray, ...values: (Part | Phrase)[]): Phrase =>
  words.flatMap((word, i) => [...(word === "" ? [] : [word]), ...[values[i] ?? []].flat()])

const shorten = (value: string) => (value.length <= 18 ? value : `${value.slice(0, 8)}…${value.slice(-8)}`)

export const named = (text: string, ...path: string[]): Part => ({ text, path: path.length > 0 ? path : null })

/** An address that belongs to no known person. */
export const address = (value: string): Part => ({ text: shorten(value), path: null, address: value })

/** An investor by the customer's id, otherwise by the wallet. One who was erased has no name. */
export function person(of: Person | undefined): Part {
  if (of === undefined) return "an investor"
  const { investor_id: id, external_id, is_erased, wallet } = of
  if (id === null) return wallet === null ? "an investor" : address(wallet)
  if (is_erased) return named("an erased investor", "investors", id)
  return named(external_id ?? (wallet === null ? "an investor" : shorten(wallet)), "investors", id)
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "")
export const count = (value: unknown): number => (typeof value === "number" ? value : 0)

/** A number of things. */
export const several = (value: unknown, one: string, many = `${one}s`): string =>
  count(value) === 1 ? `1 ${one}` : `${grouped(String(count(value)))} ${many}`

/** A list in a sentence. */
export const listed = (items: readonly string[]): string => new Intl.ListFormat("en-GB").format(items)

/** `individual KYC` of the schema "Individual KYC", which may be a proper name and then stays: "EU Residency". */
export function verification(schema: string): string {
  const isSentence = /^\p{Lu}\p{Ll}/u.test(schema) && !/\s\p{Lu}\p{Ll}/u.test(schema)
  const name = isSentence ? schema.charAt(0).toLowerCase() + schema.slice(1) : schema
  return /\b(verification|check|KYC|KYB)$/i.test(name) ? name : `${name} verification`
}

/** `500 ACME`, with the page that it is about: that of the operation, if one is given. */
export const tokensOf = (names: Names, of: { amount?: unknown; mint_config?: unknown }, operation?: string): Part => {
  const config = text(of.mint_config)
  const number = text(of.amount) === "" ? "tokens" : grouped(text(of.amount))
  const amount = `${number} ${names("token", config)?.symbol ?? `of ${config}`}`
  return named(amount, "tokens", config, ...(operation === undefined ? [] : ["operations", operation]))
}

/** Whole tokens of an operation's base units. */
export const wholeTokens = (amount: string | null, decimals: number | null): string =>
  amount === null || decimals === null ? "" : fromBaseUnits(BigInt(amount), decimals)

/** A token by its name. */
export const token = (names: Names, id: unknown): Part =>
  named(names("token", id)?.name ?? text(id), "tokens", text(id))

/** The investor behind a wallet. */
export const holder = (names: Names, wallet: unknown): Part => {
  const found = names("wallet", wallet)
  return found === undefined || found.investor_id === null ? address(text(wallet)) : person(found)
}

/** The investors that tokens move between. */
export const between = (names: Names, { from, to }: { from?: unknown; to?: unknown }): Phrase => [
  ...(from ? say` from ${holder(names, from)}` : []),
  ...(to ? say` to ${holder(names, to)}` : []),
]
