import { Connection, PublicKey } from "@solana/web3.js"
import { expect, test } from "vitest"
import { askSignatures, askStatuses } from "./answers.ts"

const answering = (answer: object) => ({ _rpcRequest: async () => answer }) as unknown as Connection
const statuses = (result: unknown) => askStatuses(answering({ result }), ["sig"], { searchTransactionHistory: false })
const signatures = (result: unknown) =>
  askSignatures(answering({ result }), PublicKey.default, { limit: 1, commitment: "finalized" })

const status = { slot: 5, confirmations: null, err: null, confirmationStatus: "finalized" }
const listed = { signature: "sig", slot: 5, err: null, memo: null, blockTime: 1 }

test("web3.js has the internal method for calls that Vouch relies on", () => {
  const { _rpcRequest } = new Connection("http://127.0.0.1:1") as unknown as { _rpcRequest: unknown }
  expect(_rpcRequest).toBeTypeOf("function")
})

test("a node's statuses of signatures are returned unchanged", async () => {
  const value = [null, status, { ...status, err: { InstructionError: [0, "Custom"] }, confirmations: 3 }]
  expect(await statuses({ context: { slot: 9 }, value })).toEqual({ context: { slot: 9 }, value })
  expect(await signatures([listed, { ...listed, memo: "[2] op", blockTime: null }])).toHaveLength(2)
})

test.each([
  null,
  { value: [status] },
  { context: { slot: "9" }, value: [status] },
  { context: { slot: 9 }, value: status },
  { context: { slot: 9 }, value: [{ ...status, slot: "5" }] },
  { context: { slot: 9 }, value: [{ ...status, err: undefined }] },
  { context: { slot: 9 }, value: [{ ...status, err: 7 }] },
  { context: { slot: 9 }, value: [{ ...status, confirmationStatus: "sure" }] },
  { context: { slot: 9 }, value: [{ ...status, confirmations: "3" }] },
])("%j is not an answer about statuses", async (result) => {
  await expect(statuses(result)).rejects.toThrow("something else than statuses")
})

test.each([
  null,
  {},
  [null],
  [{ ...listed, signature: 1 }],
  [{ ...listed, slot: null }],
  [{ ...listed, err: undefined }],
  [{ ...listed, memo: undefined }],
  [{ ...listed, blockTime: "1" }],
])("%j is not a history", async (result) => {
  await expect(signatures(result)).rejects.toThrow("something else than a history")
})

test("a node's refusal is thrown with its code", async () => {
  const refusal = { error: { code: -32016, message: "Minimum context slot has not been reached" } }
  const asked = askStatuses(answering(refusal), ["sig"], { searchTransactionHistory: false })
  await expect(asked).rejects.toMatchObject({ code: -32016 })
})
