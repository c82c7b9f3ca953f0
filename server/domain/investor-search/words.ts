import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"

/** The shortest word that the trigram index finds anywhere in an id: `pg_trgm` compares three characters at a time. */
const LEAST = 3

/** What separates the words of an id. The index finds where one begins after any of these, and at the start. */
const BEFORE_WORDS = ["", "%-", "%\\_", "%.", "% ", "%/", "%:", "%@", "%#"]

/** Scripts without spaces between words. A short word of these can be anywhere, at the price of reading all ids. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Marks of the direction of writing, which a copied name brings along. */
const DIRECTION = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g

export const wordsOf = (q: string): string[] => (q.replace(DIRECTION, "").trim() || q.trim()).split(/\s+/)

/**
 * Whether an external id contains every word of the text, in any order and case. If all words have only one or two
 * letters, each must begin one of the id's words: otherwise no index could find them. The text must not be blank.
 */
export function hasWords(q: string): (externalId: Fragment) => Fragment {
  const words = wordsOf(q)
  const areShort = words.every((word) => [...word].length < LEAST)
  return (externalId) =>
    words
      .map((word) => (areShort && !UNSPACED.test(word) ? begins(externalId, word) : contains(externalId, word)))
      .reduce((all, one) => sql`${all} and ${one}`)
}

const literally = (word: string): string => word.replaceAll(/[\\%_]/g, "\\$&")

/** The same word as other keyboards type it: with one form of the apostrophe and of the sigma, or with the other. */
const typings: ((word: string) => string)[] = [
  (word) => word,
  (word) => word.replaceAll("’", "'").replaceAll("ς", "σ"),
  (word) => word.replaceAll("'", "’").replace(/[σΣ]$/, "ς"),
]

/** Each way to type it. A letter and its accent are one character or two, both in what is typed and in what is stored. */
const forms = (word: string): string[] => [
  ...new Set(typings.flatMap((typed) => [typed(word).normalize("NFC"), typed(word).normalize("NFD")])),
]

// Lowercased by Postgres on both sides: JavaScript has other rules.
const matches = (externalId: Fragment, word: string, before: readonly string[]) => {
  const each = forms(word).flatMap((form) =>
    before.map((start) => sql`lower(${externalId}) like lower(${`${start}${literally(form)}%`})`),
  )
  return sql`(${each.reduce((all, one) => sql`${all} or ${one}`)})`
}

const contains = (externalId: Fragment, word: string) => matches(externalId, word, ["%"])

const begins = (externalId: Fragment, word: string) => matches(externalId, word, BEFORE_WORDS)
