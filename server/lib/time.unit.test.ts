import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, expect, test, vi } from "vitest"
import { addDays, anchorClock, clock } from "./time.ts"

afterEach(() => {
  anchorClock(null)
  vi.restoreAllMocks()
})

test("once anchored, the clock is independent of this machine's clock", () => {
  const time_ms = Date.UTC(2031, 4, 5)
  const at_ms = performance.now()
  anchorClock({ time_ms, at_ms })
  const monotonic = vi.spyOn(performance, "now")
  const wall = vi.spyOn(Date, "now")
  for (const [passed_ms, jump] of [
    [0, 0],
    [1500, 400],
    [2000, -400],
  ] as const) {
    monotonic.mockReturnValue(at_ms + passed_ms)
    wall.mockReturnValue(addDays(new Date(), jump).getTime())
    expect(clock.now()).toEqual(new Date(time_ms + passed_ms))
  }
})

// Files that may use the machine's clock: the two that handle clocks, and programs that run on the machine.
const mayAsk = /^server\/lib\/time\.ts$|^db\/clock\.ts$|^server\/embedded\//

test("the server uses the database's time and never this machine's", () => {
  const root = join(import.meta.dirname, "..", "..")
  const files = globSync("{server,db}/**/*.ts", { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts") && !mayAsk.test(file),
  )
  expect(files.length).toBeGreaterThan(150)
  const asking = files.filter((file) => /\bDate\.now\b|\bDate\(\s*\)/.test(readFileSync(join(root, file), "utf8")))
  expect(asking).toEqual([])
})
