import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"

/** The shortest word that the trigram index finds anywhere in an id: `pg_trgm` compares three characters at a time. */
const LEAST = 3

/** What separates the words of an id. The index finds where one begins after any of these, and at the start. */
const BEFORE_WORDS = ["", "%-", "%\\_", "%.", "% ", "%/", "%:", "%@", "%#"]

/** Scripts without spaces between words. A short word of these can be anywhere, at the price of reading all ids. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

export const wordsOf = (q: string): string[] => q.trim().split(/\s+/)

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

// Lowercased by Postgres on both sides: JavaScript has other rules.
const contains = (externalId: Fragment, word: string) => sql`lower(${externalId}) like lower(${`%${literally(word)}%`})`

const begins = (externalId: Fragment, word: string) => {
  const each = BEFORE_WORDS.map((before) => sql`lower(${externalId}) like lower(${`${before}${literally(word)}%`})`)
  return sql`(${each.reduce((all, one) => sql`${all} or ${one}`)})`
}
