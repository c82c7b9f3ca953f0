import { type Connection, Keypair } from "@solana/web3.js"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "../src/index.ts"
import { fundedWallet, plainConnection, post, rpc, SOL, signed, transfer } from "./client.ts"

let localnet: Localnet
let connection: Connection
let payer: Keypair
const to = Keypair.generate().publicKey

beforeEach(async () => {
  localnet = await startLocalnet({ slotMs: 10, allowFaults: true })
  connection = plainConnection(localnet.url)
  payer = await fundedWallet(connection)
})

afterEach(() => localnet.close())

const setFaults = (faults: object) => rpc(localnet.url, "localnet_setFaults", [faults])

async function sendParams() {
  const wire = await signed(connection, [transfer(payer.publicKey, to, SOL)], [payer])
  return [wire.toString("base64"), { encoding: "base64", preflightCommitment: "confirmed" }]
}

test("a dropped call gets no response and has no effect", async () => {
  const params = await sendParams()
  await setFaults({ drop: 1 })
  await expect(rpc(localnet.url, "sendTransaction", params)).rejects.toThrow()
  await setFaults({})
  expect(await connection.getBalance(to)).toBe(0)
})

test("a transaction can land although its sender gets no response", async () => {
  const params = await sendParams()
  await setFaults({ land_without_answer: 1 })
  await expect(rpc(localnet.url, "sendTransaction", params)).rejects.toThrow()
  await setFaults({})
  expect(await connection.getBalance(to)).toBe(SOL)
})

test("the fault of too many requests is HTTP 429", async () => {
  await setFaults({ too_many_requests: 1 })
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getSlot" })
  expect((await post(localnet.url, body)).status).toBe(429)
})

test("a delayed response still arrives", async () => {
  await setFaults({ delay: { p: 1, ms: 30 } })
  expect((await rpc(localnet.url, "getHealth")).result).toBe("ok")
})

test("transactions sent during a hold are accepted and never land", async () => {
  await rpc(localnet.url, "localnet_hold", [{ on: true }])
  const { result } = await rpc(localnet.url, "sendTransaction", await sendParams())
  await rpc(localnet.url, "localnet_hold", [{ on: false }])
  await rpc(localnet.url, "localnet_warp", [{ slots: 200 }])
  const status = await connection.getSignatureStatus(result as string, { searchTransactionHistory: true })
  expect(status.value).toBeNull()
  expect(await connection.getBalance(to)).toBe(0)
})

test("a node that forgot its history answers like a pruned one, and knows recent statuses", async () => {
  await rpc(localnet.url, "localnet_warp", [{ slots: 400 }])
  const send = async () => {
    const { result } = await rpc(localnet.url, "sendTransaction", await sendParams())
    return result as string
  }
  const forgotten = await send()
  await rpc(localnet.url, "localnet_warp", [{ slots: 40 }])
  const before = await connection.getSlot("finalized")
  await setFaults({ forget_before: before })
  await rpc(localnet.url, "localnet_warp", [{ slots: 1 }])
  const kept = await send()
  await rpc(localnet.url, "localnet_warp", [{ slots: 40 }])
  const search = { searchTransactionHistory: true }
  const statuses = async () => (await connection.getSignatureStatuses([forgotten, kept], search)).value
  const listed = (options?: object) => connection.getSignaturesForAddress(to, options)

  expect(await connection.getFirstAvailableBlock()).toBe(before)
  expect((await rpc(localnet.url, "minimumLedgerSlot")).result).toBe(before)
  expect((await connection.getBlocks(before - 5, before + 1))[0]).toBe(before)
  expect(await connection.getTransaction(forgotten)).toBeNull()
  expect(await connection.getTransaction(kept)).not.toBeNull()
  expect((await listed()).map(({ signature }) => signature)).toEqual([kept])
  await expect(listed({ before: forgotten })).rejects.toThrow("not found")
  for (const method of ["getBlock", "getBlockTime"])
    expect((await rpc(localnet.url, method, [before - 1])).error?.code).toBe(-32001)
  expect((await statuses()).map((status) => status?.err)).toEqual([null, null])
  await rpc(localnet.url, "localnet_warp", [{ slots: 301 }])
  expect((await statuses()).map((status) => status === null)).toEqual([true, false])

  await setFaults({})
  expect(await listed()).toHaveLength(2)
})

test("an invalid probability is refused", async () => {
  for (const faults of [{ drop: 2 }, { delay: { p: -1 } }, { too_many_requests: "1" }])
    expect((await setFaults(faults)).error?.code).toBe(-32602)
})

test("without --allow-faults the methods for faults do not exist", async () => {
  const faultless = await startLocalnet()
  for (const method of ["localnet_setFaults", "localnet_warp", "localnet_hold"])
    expect((await rpc(faultless.url, method, [{}])).error?.code).toBe(-32601)
  await faultless.close()
})
