import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Budget, type Purpose } from "./budget.ts"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Makes this many calls at once. Counts those that were made and those that were refused. */
function ask(budget: Budget, purpose: Exclude<Purpose, "resending">, calls: number) {
  const counts = { went: 0, refused: 0 }
  for (let n = 0; n < calls; n++)
    budget.turn(purpose).then(
      () => counts.went++,
      () => counts.refused++,
    )
  return counts
}

test("calls that resolve doubt continue, however much is sent and read", async () => {
  const budget = new Budget(40)
  const floods = (["sending", "reading", "background"] as const).map((purpose) => ask(budget, purpose, 1000))
  await vi.advanceTimersByTimeAsync(2000)
  const settling = ask(budget, "settling", 30)
  await vi.advanceTimersByTimeAsync(3000)
  expect(settling.went).toBe(30)
  // The rest of five seconds' calls, in addition to those of the first second.
  expect(floods.reduce((sum, { went }) => sum + went, 0)).toBeLessThanOrEqual(6 * 40 - 30)
})

test("sending keeps its share, however much is read and settled", async () => {
  const budget = new Budget(40)
  for (const purpose of ["settling", "reading"] as const) ask(budget, purpose, 1000)
  const sending = ask(budget, "sending", 20)
  await vi.advanceTimersByTimeAsync(3000)
  expect(sending.went).toBe(20)
})

test("bytes are resent only if everything else leaves room, and never wait in a queue", async () => {
  const budget = new Budget(40)
  let went = 0
  while (budget.tryTurn("resending")) went++
  expect(went).toBeLessThanOrEqual(20)
  expect(ask(budget, "background", 1)).toBeDefined()
  await vi.advanceTimersByTimeAsync(0)
  ask(budget, "sending", 100)
  expect(budget.tryTurn("resending")).toBe(false)
})

test("one purpose alone has the whole budget", async () => {
  for (const purpose of ["settling", "sending", "reading", "background"] as const) {
    const budget = new Budget(20)
    const counts = ask(budget, purpose, 100)
    await vi.advanceTimersByTimeAsync(4000)
    expect(counts.went).toBeGreaterThan(60)
    expect(counts.went).toBeLessThanOrEqual(100)
  }
})

test("a call that would wait too long is refused, and calls wait in order", async () => {
  const budget = new Budget(1)
  const counts = ask(budget, "reading", 100)
  await vi.advanceTimersByTimeAsync(0)
  expect(counts.refused).toBeGreaterThan(90)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(counts.went + counts.refused).toBe(100)
})
