import { expect, test } from "vitest"
import { Turns } from "./turns.ts"

test("as many run at once as may, of each asker and in all, and everybody's turn comes", async () => {
  const turns = new Turns({ atOnce: 3, forEach: 2 })
  const running: string[] = []
  let most = 0
  const work = (who: string) => async () => {
    running.push(who)
    most = Math.max(most, running.length)
    expect(running.filter((one) => one === who).length).toBeLessThanOrEqual(2)
    await new Promise((resolve) => setImmediate(resolve))
    running.splice(running.indexOf(who), 1)
    return who
  }
  const askers = ["a", "a", "a", "a", "b", "a", "b", "c"]
  expect(await Promise.all(askers.map((who) => turns.run(who, work(who))))).toEqual(askers)
  expect(most).toBe(3)
})

test("who waits behind a crowd of another asker does not wait for that crowd", async () => {
  const turns = new Turns({ atOnce: 2, forEach: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const crowd = Array.from({ length: 20 }, () => turns.run("crowd", () => promise))
  expect(await turns.run("other", async () => "done")).toBe("done")
  resolve()
  await Promise.all(crowd)
})

test("askers take turns, however much one of them has asked for before", async () => {
  const turns = new Turns({ atOnce: 1, forEach: 1 })
  const order: string[] = []
  const ask = (who: string) => turns.run(who, async () => void order.push(who))
  await Promise.all(["first", "a", "a", "a", "b", "b", "c"].map(ask))
  expect(order).toEqual(["first", "a", "b", "c", "a", "b", "a"])
})

test("what fails gives its turn back", async () => {
  const turns = new Turns({ atOnce: 1, forEach: 1 })
  await expect(turns.run("a", () => Promise.reject(new Error("it failed")))).rejects.toThrow("it failed")
  expect(await turns.run("a", async () => "done")).toBe("done")
})
