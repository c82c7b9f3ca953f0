import {
  ComputeBudgetProgram,
  type Connection,
  Keypair,
  PublicKey,
  sendAndConfirmTransaction,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "../src/index.ts"
import {
  confirmed,
  disconnect,
  fundedWallet,
  plainConnection,
  post,
  rpc,
  SOL,
  signed,
  transfer,
  until,
} from "./client.ts"

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

/** A new wallet. Its balance shows how often a transfer to it ran. */
async function emptyWallet() {
  const wallet = Keypair.generate().publicKey
  return { wallet, lamports: () => connection.getBalance(wallet) }
}

describe("sending and confirming", () => {
  test("a plain sendAndConfirmTransaction returns once the transfer is confirmed", async () => {
    const { wallet, lamports } = await emptyWallet()
    const transaction = new Transaction().add(transfer(payer.publicKey, wallet, SOL))
    const signature = await sendAndConfirmTransaction(connection, transaction, [payer])
    expect(await lamports()).toBe(SOL)
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    expect(found?.meta).toMatchObject({ err: null, fee: 5000 })
  })

  test("a versioned transaction lands and reads back with its version", async () => {
    const { wallet, lamports } = await emptyWallet()
    const { blockhash } = await connection.getLatestBlockhash()
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: blockhash,
      instructions: [transfer(payer.publicKey, wallet, SOL)],
    }).compileToV0Message()
    const transaction = new VersionedTransaction(message)
    transaction.sign([payer])
    const signature = await connection.sendTransaction(transaction)
    await confirmed(connection, signature)
    expect(await lamports()).toBe(SOL)
    expect((await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))?.version).toBe(0)
    const refused = await rpc(localnet.url, "getTransaction", [signature, { commitment: "confirmed" }])
    expect(refused.error?.code).toBe(-32015)
  })

  test("a signature goes from processed to confirmed to finalized as slots pass", async () => {
    const slow = await startLocalnet({ slotMs: 60_000, allowFaults: true })
    const client = plainConnection(slow.url)
    const warp = (slots: number) => rpc(slow.url, "localnet_warp", [{ slots }])
    const signature = await client.requestAirdrop(payer.publicKey, SOL)
    const status = async () => (await client.getSignatureStatus(signature)).value
    expect(await status()).toMatchObject({ confirmationStatus: "processed", confirmations: 0, err: null })
    expect(await client.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).toBeNull()
    await warp(1)
    expect(await status()).toMatchObject({ confirmationStatus: "confirmed", confirmations: 1 })
    expect(await client.getTransaction(signature, { maxSupportedTransactionVersion: 0 })).not.toBeNull()
    await warp(29)
    expect(await status()).toMatchObject({ confirmationStatus: "confirmed", confirmations: 30 })
    await warp(1)
    expect(await status()).toMatchObject({ confirmationStatus: "finalized", confirmations: null })
    await warp(1000)
    expect(await status()).toBeNull()
    const searched = await client.getSignatureStatus(signature, { searchTransactionHistory: true })
    expect(searched.value).toMatchObject({ confirmationStatus: "finalized" })
    await slow.close()
  })

  test("slot, height and blockhash lag one slot when confirmed and 31 when finalized", async () => {
    const slow = await startLocalnet({ slotMs: 60_000 })
    const client = plainConnection(slow.url)
    const info = {
      processed: await client.getEpochInfo("processed"),
      confirmed: await client.getEpochInfo("confirmed"),
      finalized: await client.getEpochInfo("finalized"),
    }
    for (const field of ["absoluteSlot", "blockHeight"] as const) {
      expect(info.processed[field]! - info.confirmed[field]!).toBe(1)
      expect(info.processed[field]! - info.finalized[field]!).toBe(31)
    }
    expect(await client.getSlot("finalized")).toBe(info.finalized.absoluteSlot)
    expect(await client.getBlockHeight("finalized")).toBe(info.finalized.blockHeight)
    const latest = await client.getLatestBlockhash("finalized")
    expect(latest.lastValidBlockHeight).toBe(info.finalized.blockHeight! + 150)
    await slow.close()
  })

  test("every call of a batch is answered", async () => {
    const call = (id: number, method: string) => ({ jsonrpc: "2.0", id, method, params: [] })
    const answers = await post(localnet.url, JSON.stringify([call(1, "getHealth"), call(2, "nope")]))
    expect(await answers.json()).toMatchObject([
      { id: 1, result: "ok" },
      { id: 2, error: { code: -32601 } },
    ])
  })

  test("a change of an account notifies its subscriber", async () => {
    const { wallet } = await emptyWallet()
    const heard = new Promise<number>((resolve) => {
      connection.onAccountChange(wallet, (account) => resolve(account.lamports), { commitment: "confirmed" })
    })
    // The library subscribes in the background, so transfers continue until a notification arrives.
    let done = false
    heard.then(() => {
      done = true
    })
    await until(async () => {
      await connection.sendRawTransaction(await signed(connection, [transfer(payer.publicKey, wallet, SOL)], [payer]))
      return done
    })
    expect((await heard) % SOL).toBe(0)
  })
})

test("the fee that getFeeForMessage returns is the fee charged", async () => {
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 })
  const memo = new TransactionInstruction({ programId: MEMO, keys: [], data: Buffer.from("fee") })
  const self = transfer(payer.publicKey, payer.publicKey, 1)
  for (const instructions of [[self], [price, self], [price, memo], [price, memo, self]]) {
    const wire = await signed(connection, instructions, [payer])
    const expected = await connection.getFeeForMessage(Transaction.from(wire).compileMessage(), "processed")
    const signature = await connection.sendRawTransaction(wire)
    await confirmed(connection, signature)
    const landed = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    expect(landed?.meta?.fee).toBe(expected.value)
  }
})
