import { expect, test, vi } from "vitest"
import { FairQueue } from "./fair-queue.ts"

test("as many run at once as allowed, per owner and in total, and every owner gets its turn", async () => {
  const turns = new FairQueue({ atOnce: 3, forEach: 2 })
  const running: string[] = []
  const done: string[] = []
  let most = 0
  const work = (who: string) => async () => {
    running.push(who)
    most = Math.max(most, running.length)
    expect(running.filter((one) => one === who).length).toBeLessThanOrEqual(2)
    await new Promise((resolve) => setImmediate(resolve))
    running.splice(running.indexOf(who), 1)
    done.push(who)
  }
  const askers = ["a", "a", "a", "a", "b", "a", "b", "c"]
  await Promise.all(askers.map((who) => turns.run(who, work(who))))
  expect(done.sort()).toEqual(askers.sort())
  expect(most).toBe(3)
})

/** Requests its turn, and reports when it comes. */
function ask(turns: FairQueue, who: string, work = async () => {}) {
  let came = false
  const over = turns.run(who, async () => {
    came = true
    await work()
  })
  return { over, came: () => came }
}

test("an owner does not wait for the long queue of another", async () => {
  const turns = new FairQueue({ atOnce: 2, forEach: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const crowd = Array.from({ length: 20 }, () => turns.run("crowd", () => promise))
  const other = ask(turns, "other")
  await other.over
  expect(other.came()).toBe(true)
  resolve()
  await Promise.all(crowd)
})

test("owners take turns, no matter how much one of them has queued", async () => {
  const turns = new FairQueue({ atOnce: 1, forEach: 1 })
  const order: string[] = []
  const all = ["first", "a", "a", "a", "b", "b", "c"]
  await Promise.all(all.map((who) => turns.run(who, async () => void order.push(who))))
  expect(order).toEqual(["first", "a", "b", "c", "a", "b", "a"])
})

test("an owner who leaves before their turn gets none and delays no one", async () => {
  const turns = new FairQueue({ atOnce: 1, forEach: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = turns.run("first", () => promise)
  const gone = new AbortController()
  let worked = 0
  const work = async () => void worked++
  const left = ["a", "a", "b"].map((who) => turns.run(who, work, { gone: gone.signal }))
  gone.abort()
  await Promise.all(left)
  const other = ask(turns, "a")
  expect([worked, other.came()]).toEqual([0, false])
  resolve()
  await Promise.all([first, other.over])
  expect([worked, other.came()]).toEqual([0, true])
})

test("a long turn is passed on once others wait, and its work may be ended", async () => {
  vi.useFakeTimers()
  try {
    const turns = new FairQueue({ atOnce: 1, forEach: 1 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = vi.fn()
    const lasting = turns.run("a", () => promise, { late })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(late).not.toHaveBeenCalled()
    const other = ask(turns, "b")
    await vi.advanceTimersByTimeAsync(2000)
    expect(late).toHaveBeenCalledTimes(1)
    expect(other.came()).toBe(true)
    resolve()
    await lasting
  } finally {
    vi.useRealTimers()
  }
})

test("failed work gives its turn back", async () => {
  const turns = new FairQueue({ atOnce: 1, forEach: 1 })
  await expect(turns.run("a", () => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed")
  const other = ask(turns, "a")
  await other.over
  expect(other.came()).toBe(true)
})
