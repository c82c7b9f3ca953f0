import { expect, test } from "vitest"
import { flowback } from "./flowback.ts"

const until = new Date("9999-12-31T23:59:59Z")
const holder = (country?: string) => ({
  wallet: country ?? "unknown",
  claims: country === undefined ? {} : { country },
})
const asked = (from: string | undefined, to: string | undefined, now = new Date("2026-01-01T00:00:00Z")) =>
  flowback.check({ from: holder(from), to: holder(to), now, rules: { no_flowback_until: until } } as never)

test("only what flows from outside the US to a US investor is refused", () => {
  expect(asked("DE", "US")).toBe(
    "Until 9999-12-31T23:59:59Z, tokens cannot move from outside the United States to a US investor.",
  )
  expect([asked("US", "US"), asked("US", "DE"), asked("DE", "FR")]).toEqual([null, null, null])
})

test("an unknown country refuses unless the other one decides", () => {
  expect([asked(undefined, "US"), asked("DE", undefined), asked(undefined, undefined)]).not.toContain(null)
  expect([asked("US", undefined), asked(undefined, "DE")]).toEqual([null, null])
})

test("it ends at its time, to the millisecond", () => {
  expect(asked("DE", "US", new Date(until.getTime() - 1))).not.toBeNull()
  expect(asked("DE", "US", until)).toBeNull()
})
