import { expect, test } from "vitest"
import { openNotes } from "#test/fixtures/notes.ts"
import { prepared } from "./prepared.ts"

const { pool } = await openNotes()
const { sql } = pool({ max: 1 })

const prefixed = prepared<{ word: string; times: number }, { text: string }, { isLoud: boolean }>(
  (value, { isLoud }) => {
    const word = value((input) => input.word)
    const ending = isLoud ? sql`|| '!'` : sql``
    return sql`select repeat(${word}, ${value(({ times }) => times)}::int) || length(${word}) || ${1}::text ${ending} as text`
  },
  ({ word }) => ({ isLoud: word === word.toUpperCase() }),
)

test("each execution reads its own values, and has its own optional parts", async () => {
  const inputs = [
    { word: "ab", times: 2 },
    { word: "AB", times: 1 },
    { word: "c", times: 3 },
    { word: "", times: 1 },
  ]
  const rows = await Promise.all(inputs.map((input) => prefixed(sql, input)))
  expect(rows.map(([row]) => row!.text)).toEqual(["abab21", "AB21!", "ccc11", "01!"])
})

test("the statement is prepared once for each combination of parts, with one parameter for each value", async () => {
  await prefixed(sql, { word: "x", times: 1 })
  const known = await sql<{ statement: string; parameters: string }[]>`
    select statement, parameter_types::text as parameters from pg_prepared_statements
    where statement like '%repeat(%' and statement not like '%pg_prepared%' order by length(statement)`
  expect(known.map(({ parameters }) => parameters)).toEqual(["{text,integer}", "{text,integer}"])
  expect(known[0]!.statement).toContain("select repeat($1, $2::int) || length($1) || 1::text ")
})

test("a value that is not marked is refused, because each execution would use the first one's", () => {
  const word = "first" as string
  const wrong = prepared<object, { text: string }>(() => sql`select ${word} as text`)
  expect(() => wrong(sql, {})).toThrow("a value of a prepared statement is not marked")
})

test("a transaction sends it on its own connection", async () => {
  await sql.begin(async (tx) => {
    const [row] = await prefixed(tx, { word: "y", times: 2 })
    expect(row).toEqual({ text: "yy11" })
  })
})
