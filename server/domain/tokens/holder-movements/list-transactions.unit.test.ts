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

const rpcOf = (...nodes: Answering[]) =>
  ({
    views: nodes.map((answer) => ({ signaturesFor: async (_: unknown, options: never) => answer(options) })),
  }) as never as Rpc
const part = (more: Partial<Part> = {}): Part => ({
  ...{ mint, cursor: { signature: "s5", slot: 5 }, before: null, asOf: 100, most: 1000 },
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
  expect(await slotsOf(rpcOf(node(history(9))), part({ most: 2, before }))).toEqual({ slots: [7, 6], isWhole: false })
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

test("two nodes must list the same, also what failed", async () => {
  const failed = history(9).map((listed) =>
    listed.slot === 7 ? { ...listed, err: { InstructionError: [0, "x"] } } : listed,
  )
  const gap = history(9).filter(({ slot }) => slot !== 7)
  const stale = history(8)
  for (const other of [failed, gap, stale]) {
    await expect(slotsOf(rpcOf(node(history(9)), node(other)))).rejects.toThrow("different transactions")
    await expect(slotsOf(rpcOf(node(other), node(history(9))))).rejects.toThrow("different transactions")
  }
  expect(await slotsOf(rpcOf(node(history(9)), node(history(9)), node(stale)))).toMatchObject({ isWhole: true })
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
