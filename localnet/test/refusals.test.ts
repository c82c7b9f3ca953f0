import {
  ComputeBudgetProgram,
  type Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
} from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "../src/index.ts"
import { confirmed, disconnect, fundedWallet, plainConnection, post, rpc, SOL, signed, transfer } from "./client.ts"

const MEMO = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")

let localnet: Localnet
let connection: Connection
let payer: Keypair

beforeAll(async () => {
  localnet = await startLocalnet({ slotMs: 10, allowFaults: true })
  connection = plainConnection(localnet.url)
  payer = await fundedWallet(connection, 100)
})

afterAll(async () => {
  await disconnect(connection)
  await localnet.close()
})

/** Preflight at the confirmed block. The default requires a finalized blockhash. */
const checked = { encoding: "base64", preflightCommitment: "confirmed" }
const skip = { skipPreflight: true }

/** A new wallet. Its balance shows how often a transfer to it ran. */
async function emptyWallet() {
  const wallet = Keypair.generate().publicKey
  return { wallet, lamports: () => connection.getBalance(wallet) }
}

describe("what a cluster refuses", () => {
  test("identical bytes sent twice run once", async () => {
    const { wallet, lamports } = await emptyWallet()
    const wire = await signed(connection, [transfer(payer.publicKey, wallet, SOL)], [payer])
    const signature = await connection.sendRawTransaction(wire)
    await expect(connection.sendRawTransaction(wire)).rejects.toThrow("already been processed")
    expect(await connection.sendRawTransaction(wire, skip)).toBe(signature)
    expect(await lamports()).toBe(SOL)
  })

  test("a transaction whose blockhash has expired is refused at preflight and never lands", async () => {
    const { wallet, lamports } = await emptyWallet()
    const wire = await signed(connection, [transfer(payer.publicKey, wallet, SOL)], [payer])
    await rpc(localnet.url, "localnet_warp", [{ slots: 151 }])
    const refused = await rpc(localnet.url, "sendTransaction", [wire.toString("base64"), { encoding: "base64" }])
    expect(refused.error).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Blockhash not found",
      data: { err: "BlockhashNotFound", logs: [], accounts: null, unitsConsumed: 0, returnData: null },
    })
    const signature = await connection.sendRawTransaction(wire, skip)
    expect((await connection.getSignatureStatus(signature, { searchTransactionHistory: true })).value).toBeNull()
    expect(await lamports()).toBe(0)
  })

  test("a blockhash is valid up to its last valid block height, and not beyond", async () => {
    const slow = await startLocalnet({ slotMs: 60_000, allowFaults: true })
    const client = plainConnection(slow.url)
    const { blockhash, lastValidBlockHeight } = await client.getLatestBlockhash("processed")
    const valid = async () => (await client.isBlockhashValid(blockhash, { commitment: "processed" })).value
    await rpc(slow.url, "localnet_warp", [{ slots: lastValidBlockHeight - (await client.getBlockHeight("processed")) }])
    expect(await valid()).toBe(true)
    await rpc(slow.url, "localnet_warp", [{ slots: 1 }])
    expect(await valid()).toBe(false)
    await slow.close()
  })

  test("a transaction of 1232 bytes is accepted and one of 1233 is not", async () => {
    const padded = async (bytes: number) =>
      signed(
        connection,
        [new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.alloc(bytes, "a") })],
        [payer],
      ).catch(() => null)
    const overhead = (await padded(200))!.length - 200
    const largest = (await padded(1232 - overhead))!
    expect(largest.length).toBe(1232)
    await connection.sendRawTransaction(largest)
    const tooLarge = Buffer.concat([largest, Buffer.alloc(1)])
    for (const encoded of [tooLarge.toString("base64"), Buffer.alloc(1400).toString("base64")]) {
      const { error } = await rpc(localnet.url, "sendTransaction", [encoded, { encoding: "base64" }])
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("too large") })
    }
  })

  test("a forged signature is refused at preflight, and lost without preflight", async () => {
    const { wallet, lamports } = await emptyWallet()
    const wire = await signed(connection, [transfer(payer.publicKey, wallet, SOL)], [payer])
    wire[10] = wire[10]! ^ 1
    const send = async (options: object) =>
      rpc(localnet.url, "sendTransaction", [wire.toString("base64"), { ...checked, ...options }])
    expect((await send({})).error).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Transaction did not pass signature verification",
      data: { err: "SignatureFailure" },
    })
    const { result } = await send({ skipPreflight: true })
    const { value } = await connection.getSignatureStatus(result as string)
    expect([value, await lamports()]).toEqual([null, 0])
  })

  test("an unknown fee payer is refused at preflight, and lost without preflight", async () => {
    const stranger = Keypair.generate()
    const wire = await signed(connection, [transfer(stranger.publicKey, payer.publicKey, 1)], [stranger])
    await expect(connection.sendRawTransaction(wire)).rejects.toThrow("found no record of a prior credit")
    const signature = await connection.sendRawTransaction(wire, skip)
    expect((await connection.getSignatureStatus(signature)).value).toBeNull()
  })

  test("a failed program is refused at preflight, with its logs and without a fee", async () => {
    const before = await connection.getBalance(payer.publicKey)
    const wire = await signed(connection, [transfer(payer.publicKey, payer.publicKey, 1000 * SOL)], [payer])
    const { error } = await rpc(localnet.url, "sendTransaction", [wire.toString("base64"), checked])
    expect(error).toMatchObject({
      code: -32002,
      message: "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1",
      data: {
        err: { InstructionError: [0, { Custom: 1 }] },
        accounts: null,
        fee: 5_000,
        unitsConsumed: 150,
        returnData: null,
      },
    })
    expect(error?.data?.logs).toContain("Program 11111111111111111111111111111111 failed: custom program error: 0x1")
    expect(await connection.getBalance(payer.publicKey)).toBe(before)
  })

  test("a failed program lands without preflight, and its fee is charged", async () => {
    const before = await connection.getBalance(payer.publicKey)
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 })
    const limit = ComputeBudgetProgram.setComputeUnitLimit({ units: 2_000 })
    const tooMuch = transfer(payer.publicKey, payer.publicKey, 1000 * SOL)
    const signature = await connection.sendRawTransaction(
      await signed(connection, [price, limit, tooMuch], [payer]),
      skip,
    )
    const err = { InstructionError: [2, { Custom: 1 }] }
    expect(await confirmed(connection, signature)).toMatchObject({ err })
    expect(await connection.getBalance(payer.publicKey)).toBe(before - 5_000 - 2_000)
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    expect(found?.meta).toMatchObject({ err, fee: 7_000 })
  })

  test("an instruction's own error has its name in the cluster's form", async () => {
    const createOver = SystemProgram.assign({
      accountPubkey: payer.publicKey,
      programId: Keypair.generate().publicKey,
    })
    createOver.data = Buffer.from([255, 255])
    const wire = await signed(connection, [createOver], [payer])
    const { error } = await rpc(localnet.url, "sendTransaction", [wire.toString("base64"), checked])
    expect(error?.data?.err).toEqual({ InstructionError: [0, "InvalidInstructionData"] })
  })

  test("a transaction for a program that does not exist pays its fee", async () => {
    const before = await connection.getBalance(payer.publicKey)
    const nothing = new TransactionInstruction({ programId: Keypair.generate().publicKey, keys: [] })
    const signature = await connection.sendRawTransaction(await signed(connection, [nothing], [payer]), skip)
    expect(await confirmed(connection, signature)).toMatchObject({ err: "ProgramAccountNotFound" })
    expect(await connection.getBalance(payer.publicKey)).toBe(before - 5_000)
  })
})

describe("bad input", () => {
  test.each([
    ["invalid JSON", "{", -32700],
    ["a number", "7", -32700],
    ["a method of Object's prototype", '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ["a fault method in capitals", '{"jsonrpc":"2.0","id":1,"method":"LOCALNET_WARP"}', -32601],
    ["no parameters", '{"jsonrpc":"2.0","id":1,"method":"getBalance"}', -32602],
    ["an invalid address", '{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["0OIl"]}', -32602],
    [
      "a commitment that is not text",
      '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[{"commitment":1}]}',
      -32602,
    ],
    ["a future slot", '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[{"minContextSlot":9e9}]}', -32016],
  ])("%s gets an error and does not crash it", async (_, body, code) => {
    expect(await (await post(localnet.url, body)).json()).toMatchObject({ error: { code } })
  })

  test("no damaged transaction crashes it or lands", async () => {
    const { wallet, lamports } = await emptyWallet()
    const wire = await signed(connection, [transfer(payer.publicKey, wallet, SOL)], [payer])
    const send = (bytes: Buffer) =>
      rpc(localnet.url, "sendTransaction", [bytes.toString("base64"), { encoding: "base64", skipPreflight: true }])
    for (let at = 0; at < wire.length; at += 1) {
      const flipped = Buffer.from(wire)
      flipped[at] = flipped[at]! ^ 0xff
      const answers = [await send(flipped), await send(wire.subarray(0, at))]
      // A forged transaction is accepted, and lost.
      for (const { error } of answers) expect([-32602, undefined]).toContain(error?.code)
    }
    expect(await lamports()).toBe(0)
    expect((await rpc(localnet.url, "getHealth")).result).toBe("ok")
  })

  test("a body of more than 50 KiB is refused", async () => {
    expect((await post(localnet.url, " ".repeat(51 * 1024))).status).toBe(413)
  })
})
