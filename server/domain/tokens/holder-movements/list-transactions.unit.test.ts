import type { ConfirmedSignatureInfo } from "@solana/web3.js"
import { expect, test } from "vitest"
import { HistoryMissing, RpcUnavailable } from "#server/solana/rpc/errors.ts"
import type { Rpc } from "#server/solana/rpc/rpc.ts"
import type { Address } from "#shared/address.ts"
import { listTransactions, type Part } from "./list-transactions.ts"

// Nodes that list a mint's history in their own ways.

const mint = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU" as Address
const one = (slot: number, more: Partial<ConfirmedSignatureInfo> = {}): ConfirmedSignatureInfo => ({
  ...{ signature: `s${slot}`, slot, err: null, memo: null, blockTime: slot * 10 },
  ...more,
})
/** Newest first. */
const history = (newest: number, oldest = 1) => Array.from({ length: newest - oldest + 1 }, (_, i) => one(newest - i))

type Answering = (options: { limit: number; before?: string }) => ConfirmedSignatureInfo[]
/** A node with this history, which lists at most so many on a page. */
const node =
  (list: ConfirmedSignatureInfo[], most = 1000): Answering =>
  ({ limit, before }) => {
    const from = before === undefined ? 0 : list.findIndex(({ signature }) => signature === before) + 1
    return before !== undefined && from === 0 ? [] : list.slice(from, from + Math.min(limit, most))
  }

const rpcOf = (...nodes: Answering[]) => rpcSince(0, ...nodes)
/** Nodes whose history begins with a slot. */
const rpcSince = (first: number, ...nodes: Answering[]) =>
  ({
    views: nodes.map((answer) => ({
      signaturesFor: async (_: unknown, options: never) => answer(options),
      firstAvailableBlock: async () => first,
    })),
  }) as never as Rpc
const part = (more: Partial<Part> = {}): Part => ({
  ...{ mint, cursor: { signature: "s5", slot: 5 }, quiet: 5, before: null, asOf: 100, most: 1000 },
  ...more,
})
const slotsOf = async (rpc: Rpc, about = part()) => {
  const { listed, isWhole } = await listTransactions(rpc, about)
  return { slots: listed.map(({ slot }) => slot), isWhole }
}
const missing = (rpc: Rpc, about = part()) => expect(slotsOf(rpc, about)).rejects.toThrow(HistoryMissing)

test("lists what is newer than the cursor, however short the pages are", async () => {
  expect(await slotsOf(rpcOf(node(history(8))))).toEqual({ slots: [8, 7, 6], isWhole: true })
  expect(await slotsOf(rpcOf(node(history(8), 1)))).toEqual({ slots: [8, 7, 6], isWhole: true })
  expect(await slotsOf(rpcOf(node(history(5))))).toEqual({ slots: [], isWhole: true })
  const { slots } = await slotsOf(rpcOf(node(history(900)), node(history(900), 70)), part({ asOf: 900 }))
  expect(slots).toHaveLength(895)
})

test("stops at the most it may list, and goes on below", async () => {
  expect(await slotsOf(rpcOf(node(history(9))), part({ most: 2 }))).toEqual({ slots: [9, 8], isWhole: false })
  const before = { signature: "s8", slot: 8 }
  expect(await slotsOf(rpcOf(node(history(9))), part({ most: 1, before }))).toEqual({ slots: [7], isWhole: false })
  const last = { signature: "s6", slot: 6 }
  expect(await slotsOf(rpcOf(node(history(9))), part({ before: last }))).toEqual({ slots: [], isWhole: true })
})

test("leaves what is newer than the finalized slot to the next time", async () => {
  expect(await slotsOf(rpcOf(node(history(9)), node(history(12))), part({ asOf: 7 }))).toEqual({
    slots: [7, 6],
    isWhole: true,
  })
})

test("an empty, cut, shifted or mixed-up history is missing, and nothing of it is read", async () => {
  await missing(rpcOf(() => []))
  await missing(rpcOf(node(history(9, 7))))
  await missing(rpcOf(node(history(9).filter(({ slot }) => slot !== 5))))
  await missing(rpcOf(node(history(9).map((listed) => (listed.slot === 5 ? one(4, { signature: "s5" }) : listed)))))
  await missing(rpcOf(node([one(6), one(8), one(5)])))
  await missing(rpcOf(() => history(9, 8)))
  await missing(rpcOf(node(history(9))), part({ before: { signature: "unknown", slot: 9 } }))
})

test("a node that has dropped the cursor's block is believed if it has everything since the known slot", async () => {
  const rest = node(history(9, 8))
  expect(await slotsOf(rpcSince(8, rest), part({ quiet: 7 }))).toEqual({ slots: [9, 8], isWhole: true })
  expect(await slotsOf(rpcSince(8, node([])), part({ quiet: 20 }))).toEqual({ slots: [], isWhole: true })
  await missing(rpcSince(8, rest), part({ quiet: 6 }))
  // It should have the cursor.
  await missing(rpcSince(5, rest), part({ quiet: 7 }))
  // The other node still has all.
  const one = rpcSince(8, rest)
  const [all] = rpcOf(node(history(9))).views
  expect(await slotsOf({ views: [all, ...one.views] } as Rpc, part({ quiet: 7 }))).toEqual({
    slots: [9, 8],
    isWhole: true,
  })
})

test("nodes may order the transactions of a slot differently, and a list ends between two slots", async () => {
  const named = (slot: number, ...names: string[]) => names.map((signature) => one(slot, { signature }))
  const first = node([...named(8, "a", "b", "c"), ...named(7, "d", "e"), ...named(5, "x", "s5", "y"), one(4)])
  const second = node([...named(8, "c", "b", "a"), ...named(7, "e", "d"), ...named(5, "s5", "y", "x"), one(4)])
  const { listed } = await listTransactions(rpcOf(first, second), part())
  expect(listed.map(({ signature }) => signature)).toEqual(["a", "b", "c", "d", "e"])
  expect(await slotsOf(rpcOf(first, second), part({ most: 1 }))).toEqual({ slots: [8, 8, 8], isWhole: false })
  const before = { signature: "b", slot: 8 }
  expect(await slotsOf(rpcOf(first, second), part({ before }))).toEqual({ slots: [7, 7], isWhole: true })
})

test("two nodes must list the same, also what failed", async () => {
  const failed = history(9).map((listed) =>
    listed.slot === 7 ? { ...listed, err: { InstructionError: [0, "x"] } } : listed,
  )
  const gap = history(9).filter(({ slot }) => slot !== 7)
  const stale = history(8)
  for (const other of [failed, gap, stale]) {
    await missing(rpcOf(node(history(9)), node(other)))
    await missing(rpcOf(node(other), node(history(9))))
  }
  await missing(rpcOf(node(failed), node(gap), node(stale)))
})

test("of three nodes, two that list the same are enough", async () => {
  const [all, stale] = [node(history(9)), node(history(8))]
  for (const nodes of [
    [all, all, stale],
    [all, stale, all],
    [stale, all, all],
  ])
    expect(await slotsOf(rpcOf(...nodes))).toEqual({ slots: [9, 8, 7, 6], isWhole: true })
})

test("a node without the history does not count, but one that does not answer is waited for", async () => {
  const pruned = node(history(9, 7))
  const silent: Answering = () => {
    throw new RpcUnavailable("it does not answer")
  }
  expect(await slotsOf(rpcOf(pruned, node(history(9))))).toMatchObject({ isWhole: true })
  await expect(slotsOf(rpcOf(silent, node(history(9))))).rejects.toThrow("does not answer")
  await expect(slotsOf(rpcOf(silent, pruned))).rejects.toThrow("does not answer")
  await missing(rpcOf(pruned, pruned))
})
