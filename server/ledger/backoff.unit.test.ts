import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Backoff } from "./backoff.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

const backoff = () => new Backoff({ firstMs: 100, longestMs: 400 })

test("what fails is left alone twice as long each time, and never longer than the longest", () => {
  const failing = backoff()
  for (const pause of [100, 200, 400, 400]) {
    failing.failed("one")
    vi.advanceTimersByTime(pause - 1)
    expect(failing.held).toEqual(["one"])
    vi.advanceTimersByTime(1)
    expect(failing.held).toEqual([])
  }
  expect(failing.times("one")).toBe(4)
  failing.succeeded("one")
  failing.failed("one")
  expect(failing.times("one")).toBe(1)
})

test("what nobody has tried again for long counts no more: nothing is left of it", () => {
  const failing = backoff()
  failing.failed("gone")
  vi.advanceTimersByTime(100 + 400)
  expect(failing.size).toBe(1)
  vi.advanceTimersByTime(1)
  expect(failing.size).toBe(0)
  expect(failing.times("gone")).toBe(0)
})
