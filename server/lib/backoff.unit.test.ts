import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { Backoff } from "./backoff.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => void vi.useRealTimers())

const backoff = () => new Backoff({ firstMs: 100, longestMs: 400 })

test("the pause after a failure doubles each time, up to the longest", () => {
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

test("a failure that was not retried for long no longer counts", () => {
  const failing = backoff()
  failing.failed("gone")
  vi.advanceTimersByTime(100 + 400)
  expect(failing.size).toBe(1)
  vi.advanceTimersByTime(1)
  expect(failing.size).toBe(0)
  expect(failing.times("gone")).toBe(0)
})
