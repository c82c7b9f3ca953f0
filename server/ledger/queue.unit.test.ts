import { expect, test } from "vitest"
import type { Address } from "#shared/address.ts"
import type { Unfinished } from "./operation.ts"
import { pickRunnable } from "./queue.ts"

const now = new Date("2026-01-01T00:00:00Z")
let seq = 0n

const operation = (id: string, more: Partial<Unfinished> = {}): Unfinished => ({
  workspace_id: "ws",
  id,
  seq: ++seq,
  kind: "test",
  payload: {},
  writes: [],
  reads: [],
  mint_config: null,
  wallet: null,
  from_wallet: null,
  attempts: 0,
  alone: false,
  urgent: false,
  redo: false,
  expiries: 0,
  status: "queued",
  not_before: null,
  ...more,
})

const runnable = (...queue: Unfinished[]) => pickRunnable(queue, now).map(({ id }) => id)

test("operations on different accounts run together", () => {
  expect(runnable(operation("a", { writes: ["x"] }), operation("b", { writes: ["y"] }))).toEqual(["a", "b"])
})

test("of two operations that write the same account, the second waits for the first", () => {
  expect(runnable(operation("a", { writes: ["x"] }), operation("b", { writes: ["x"] }))).toEqual(["a"])
})

test("a submitted operation blocks later ones on its account", () => {
  const under = operation("a", { writes: ["x"], status: "submitted" })
  expect(runnable(under, operation("b", { writes: ["x"] }), operation("c", { writes: ["y"] }))).toEqual(["c"])
})

test("any number of operations may read an account at once", () => {
  const queue = ["a", "b", "c"].map((id) => operation(id, { reads: ["mint"], writes: [id] }))
  expect(runnable(...queue)).toEqual(["a", "b", "c"])
})

test("a reader waits for the writer before it, and a writer for the readers before it", () => {
  expect(runnable(operation("w", { writes: ["mint"] }), operation("r", { reads: ["mint"] }))).toEqual(["w"])
  expect(runnable(operation("r", { reads: ["mint"] }), operation("w", { writes: ["mint"] }))).toEqual(["r"])
})

test("a waiting operation blocks only its accounts", () => {
  const later = operation("a", { writes: ["x"], not_before: new Date(now.getTime() + 1000) })
  expect(runnable(later, operation("b", { writes: ["x"] }), operation("c", { writes: ["z"] }))).toEqual(["c"])
})

test("an operation that waits to take tokens again blocks nothing, and any other that is redone does", () => {
  const redone = operation("a", { writes: ["x"], redo: true, from_wallet: "w" as Address })
  const next = operation("b", { writes: ["x"] })
  const waiting = { ...redone, not_before: new Date(now.getTime() + 1000) }
  expect(runnable(waiting, next)).toEqual(["b"])
  expect(runnable({ ...waiting, from_wallet: null }, next)).toEqual([])
  expect(runnable(redone, next)).toEqual(["a"])
  expect(runnable({ ...redone, status: "submitted" }, next)).toEqual([])
})

test("a later operation on a shared account does not overtake one that keeps waiting", () => {
  const first = operation("a", { writes: ["x"], status: "submitted" })
  const second = operation("b", { writes: ["x", "y"] })
  expect(runnable(first, second, operation("c", { writes: ["y"] }))).toEqual([])
})

test("an urgent operation goes before waiting ones, and after submitted ones", () => {
  const mint = operation("mint", { reads: ["token"], writes: ["x"] })
  const freeze = operation("freeze", { writes: ["x"], urgent: true })
  expect(runnable(mint, freeze)).toEqual(["freeze"])
  const other = operation("other", { writes: ["y"] })
  expect(runnable(other, freeze)).toEqual(["freeze", "other"])
  const sent = { ...mint, status: "submitted" as const }
  expect(runnable(sent, other, freeze)).toEqual(["other"])
  expect(runnable(mint, { ...freeze, status: "submitted" })).toEqual([])
})

test("a waiting operation eventually runs", () => {
  expect(runnable(operation("a", { writes: ["x"], not_before: now }))).toEqual(["a"])
})
