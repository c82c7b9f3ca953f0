import { expect, test } from "vitest"
import { priorityAt, priorityTimesOf } from "./reviews.ts"

const now = Date.parse("2026-11-20T12:00:00Z")
const review = {
  kind: "vendor",
  finding: "in_review",
  said: "Document is blurred",
  openedAt: new Date("2026-11-19T12:00:00Z"),
  sessionOpenUntil: new Date("2026-12-19T12:00:00Z"),
} as const

test.each([
  ["a new vendor review is normal", {}, "normal"],
  ["sanctions are high", { said: "Sanctions screening: 1 possible match" }, "high"],
  ["a PEP is high", { said: "PEP screening: 1 possible match" }, "high"],
  ["a politically exposed person is high", { said: "Applicant is a politically exposed person" }, "high"],
  ["a watchlist is high", { said: "report/watchlist_enhanced: consider" }, "high"],
  ["adverse media is high", { said: "ADVERSE_MEDIA" }, "high"],
  ["another word with the same letters is normal", { said: "Peppermint Street differs from the document" }, "normal"],
  ["a vendor without words is normal", { said: null }, "normal"],
  ["a review of more than a week is high", { openedAt: new Date("2026-11-13T11:59:59Z") }, "high"],
  ["a session that closes within two days is urgent", { sessionOpenUntil: new Date("2026-11-22T11:59:59Z") }, "urgent"],
  ["a wallet on a list is urgent", { kind: "screening", finding: "wallet_listed" }, "urgent"],
  ["a match with a watchlist is urgent", { kind: "signal", finding: "watchlist_match" }, "urgent"],
  ["another report of a vendor is high", { kind: "signal", finding: "case_opened" }, "high"],
  ["a reversal is high", { kind: "reversal", finding: "reversed" }, "high"],
  ["an investor above a limit is normal", { kind: "limit", finding: "over_limit", sessionOpenUntil: null }, "normal"],
] as const)("%s", (_, about, priority) => {
  const { highFrom, urgentFrom } = priorityTimesOf({ ...review, ...about })
  const times = { high_from: highFrom.toISOString(), urgent_from: urgentFrom?.toISOString() ?? null }
  expect(priorityAt(times, now)).toBe(priority)
  // One range of an index is then enough for each priority.
  expect(urgentFrom === null || urgentFrom >= highFrom).toBe(true)
})
