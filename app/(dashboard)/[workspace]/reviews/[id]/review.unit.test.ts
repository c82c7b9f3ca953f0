import { expect, test } from "vitest"
import { headlineOf } from "#shared/reviews.ts"
import { clearing, isDecisionOf } from "./review.ts"

const list = { name: "ofac.txt", in_use: true, frozen: true, ends_here: true }

test("clearing a match opens the wallet, or names the lists that still hold it", () => {
  const other = { ...list, name: "eu.txt", ends_here: false }
  expect(clearing({ lists: [list] })).toMatch(/go through again.*is opened/)
  expect(clearing({ lists: [list, other] })).toContain(
    "still held for eu.txt: its mints and transfers stay refused, and its tokens stay frozen.",
  )
  expect(clearing({ lists: [list, { ...other, frozen: false }] })).toContain(
    "still held for eu.txt: its mints and transfers stay refused.",
  )
  const removed = clearing({ lists: [list, { ...other, in_use: false }] })
  expect(removed).toContain("still held for eu.txt: its tokens stay frozen.")
  expect(removed).not.toContain("go through again")
})

test("a review is headed by its finder's words, or by ours if those are missing, long or only a name", () => {
  const finding = "watchlist_match"
  expect(headlineOf({ finding, said: "PEP screening: 1 possible match" })).toBe("PEP screening: 1 possible match")
  const report = `PEP screening: 1 possible match. ${"Name and year of birth match. ".repeat(5)}`
  expect(headlineOf({ finding, said: report })).toBe("PEP screening: 1 possible match")
  for (const said of [null, "report/watchlist.matched", `A ${"long ".repeat(30)}text`])
    expect(headlineOf({ finding, said })).toBe("Watchlist match")
})

test("a decision is the member's own if they made or requested it with the reason that they wrote", () => {
  const [me, other] = [
    { id: "user_1", name: "Mia" },
    { id: "user_2", name: "Otto" },
  ]
  const saved = { reason: "All clear", decided_by: me, requested_by: null }
  expect(isDecisionOf("user_1", "All clear ", saved)).toBe(true)
  expect(isDecisionOf("user_1", "All clear", { ...saved, decided_by: other, requested_by: me })).toBe(true)
  expect(isDecisionOf("user_1", "Another reason", saved)).toBe(false)
  expect(isDecisionOf("user_1", "All clear", { ...saved, decided_by: other })).toBe(false)
  expect(isDecisionOf("user_1", "All clear", { ...saved, decided_by: null })).toBe(false)
})
