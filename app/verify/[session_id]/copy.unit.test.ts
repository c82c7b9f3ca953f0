import { expect, test } from "vitest"
import { publicReasons } from "#shared/public-reasons.ts"
import { copyFor, reasonText } from "./copy.ts"

type Watched = Parameters<typeof copyFor>[0]
const seen = (view: object) => copyFor({ view: view as Watched["view"], lost: false })

const ends = [
  { state: "verified" },
  ...["pending", "verified", "cancelled"].map((was) => ({ state: "rejected", was })),
  ...["open", "verified", "superseded"].map((was) => ({ state: "expired", was })),
]

test("a page that has not loaded says so once an attempt has failed, and not before", () => {
  expect(copyFor({ view: null, lost: false })).toMatchObject({ news: "", mood: "loading" })
  expect(copyFor({ view: null, lost: true }).mood).toBe("lost")
  expect(copyFor({ view: null, lost: true }).news).not.toBe("")
})

test("what is known stays on the screen while the connection is lost", () => {
  for (const view of [{ state: "open", again: null }, { state: "checking" }, ...ends])
    expect(copyFor({ view: view as Watched["view"], lost: true })).toEqual(seen(view))
})

test.each(ends)("the end $state after $was is read out, and is shown as what it is", (view) => {
  const { heading, news, mood } = seen(view)
  expect(news).not.toBe("")
  expect(heading).not.toBe("")
  expect(mood).toBe({ verified: "good", rejected: "bad", expired: "over" }[view.state])
})

test("a form is read out when it comes again, and not at first", () => {
  expect(seen({ state: "open", again: null }).news).toBe("")
  expect(seen({ state: "open", again: "resubmit" }).news).not.toBe("")
})

test("every reason says why, and what to do next", () => {
  const texts = publicReasons.map((reason) => reasonText(reason))
  for (const { why, next } of texts) for (const text of [why, next]) expect(text).toMatch(/^[A-Z].*\.$/)
  expect(new Set(texts.map(({ why }) => why)).size).toBe(publicReasons.length)
})
