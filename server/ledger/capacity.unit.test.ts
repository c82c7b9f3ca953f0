import { expect, test } from "vitest"
import { capacityFor } from "./capacity.ts"

const none = new Map<string, number>()
const load = (underWay: Record<string, number>, inDoubt: Record<string, number> = {}) => {
  const all = new Map(Object.entries(underWay))
  for (const [id, count] of Object.entries(inDoubt)) all.set(id, (all.get(id) ?? 0) + count)
  return { underWay: new Map(Object.entries(underWay)), all }
}
const idle = { underWay: none, all: none }

test("one workspace alone may have 64 transactions in flight, and leaves capacity for others", () => {
  expect(capacityFor(load({ a: 63 }), idle)).toEqual({ forAll: true, forUrgent: true, full: [], closed: [] })
  expect(capacityFor(load({ a: 64 }), idle)).toMatchObject({ forAll: true, full: ["a"], closed: [] })
})

test("however many workspaces take their share, capacity is left for the next one", () => {
  const counts: Record<string, number> = {}
  for (let n = 0; n < 7; n++) {
    const id = `w${n}`
    counts[id] = 1
    while (!capacityFor(load(counts), idle).full.includes(id)) counts[id]++
    expect(capacityFor(load(counts), idle).forAll).toBe(true)
  }
})

test("a doubtful transaction counts only for its own workspace", () => {
  const doubts = load({ b: 10 }, { a: 65, c: 64 })
  expect(capacityFor(doubts, idle)).toEqual({ forAll: true, forUrgent: true, full: ["a", "c"], closed: [] })
  expect(capacityFor(load({}, { a: 128 }), idle).closed).toEqual(["a"])
})

test("transactions being signed have a separate capacity of the same size", () => {
  expect(capacityFor(idle, load({ a: 64, b: 64 }))).toMatchObject({ forAll: false, forUrgent: true })
  expect(capacityFor(load({ a: 64 }), load({ b: 10 })).full).toEqual(["a"])
})
