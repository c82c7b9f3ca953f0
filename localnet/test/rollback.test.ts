import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Connection, Keypair } from "@solana/web3.js"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Localnet, startLocalnet } from "../src/index.ts"
import { confirmed, disconnect, fundedWallet, plainConnection, rpc, SOL, signed, transfer, until } from "./client.ts"

const SEARCH = { searchTransactionHistory: true }

let localnet: Localnet
let connection: Connection
let payer: Keypair
let dataDir: string | null = null

beforeEach(() => start())

async function start() {
  // Only localnet_warp advances slots, so nothing is finalized during a test.
  localnet = await startLocalnet({ slotMs: 1_000_000, allowFaults: true, dataDir })
  connection = plainConnection(localnet.url)
}

afterEach(async () => {
  await disconnect(connection)
  await localnet.close()
  if (dataDir !== null) rmSync(dataDir, { recursive: true, force: true })
  dataDir = null
})

const slot = (commitment: "processed" | "confirmed" | "finalized" = "processed") => connection.getSlot(commitment)
const warp = (slots: number) => rpc(localnet.url, "localnet_warp", [{ slots }])
const rollback = (to: number) => rpc(localnet.url, "localnet_rollback", [{ slot: to }])
const statusOf = async (signature: string) =>
  (await connection.getSignatureStatus(signature, SEARCH)).value?.confirmationStatus ?? null

async function fund() {
  const wallet = Keypair.generate()
  await connection.requestAirdrop(wallet.publicKey, 10 * SOL)
  await warp(32)
  return wallet
}

async function send(lamports: number, to = Keypair.generate().publicKey) {
  const wire = await signed(connection, [transfer(payer.publicKey, to, lamports)], [payer])
  return { to, wire, signature: await connection.sendRawTransaction(wire, { skipPreflight: true }) }
}

test("a rollback undoes transactions that were confirmed but not finalized", async () => {
  payer = await fund()
  const kept = await send(SOL)
  await warp(1)
  const to = await slot()
  await warp(1)
  const [gone, failed] = [await send(2 * SOL, kept.to), await send(99 * SOL)]
  await warp(2)
  expect(await statusOf(gone.signature)).toBe("confirmed")
  expect(await connection.getBalance(kept.to)).toBe(3 * SOL)
  const before = { count: await connection.getTransactionCount(), slot: await slot() }
  const finalized = await slot("finalized")
  const height = await connection.getBlockHeight("processed")

  expect((await rollback(to)).result).toBe(before.slot + 1)

  expect(await connection.getBalance(kept.to)).toBe(SOL)
  expect(await connection.getBalance(payer.publicKey)).toBe(9 * SOL - 5_000)
  for (const { signature } of [gone, failed]) {
    expect(await statusOf(signature)).toBeNull()
    expect(await connection.getTransaction(signature)).toBeNull()
  }
  expect(await statusOf(kept.signature)).toBe("confirmed")
  const listed = await connection.getSignaturesForAddress(payer.publicKey)
  expect(listed.map(({ signature }) => signature)).not.toContain(gone.signature)
  expect(listed.map(({ signature }) => signature)).toContain(kept.signature)
  expect(await connection.getTransactionCount()).toBe(before.count - 2)
  // The new block has a height that was used before, in a new slot.
  expect(await connection.getBlockHeight("processed")).toBe(height - 2)
  expect(await slot("finalized")).toBeGreaterThanOrEqual(finalized)
  await warp(1)
  expect((await connection.getBlocks(to - 1)).filter((one) => one > to - 1)).toEqual([to, before.slot + 1])
  expect(await connection.getBlock(before.slot + 1, { maxSupportedTransactionVersion: 0 })).toMatchObject({
    parentSlot: to,
  })
  const skipped = await rpc(localnet.url, "getBlock", [to + 1, { commitment: "confirmed" }])
  expect(skipped.error?.code).toBe(-32007)
})

test("the same bytes land again if a remaining block has their blockhash", async () => {
  payer = await fund()
  const to = await slot()
  // The transaction has the previous block's blockhash.
  const again = await send(SOL)
  await warp(2)
  const lost = await send(SOL)
  await warp(1)
  await rollback(to - 1)
  expect(await statusOf(again.signature)).toBeNull()
  await connection.sendRawTransaction(again.wire)
  expect(await connection.getBalance(again.to)).toBe(SOL)
  await expect(connection.sendRawTransaction(lost.wire)).rejects.toThrow("Blockhash not found")
  await warp(32)
  expect(await statusOf(again.signature)).toBe("finalized")
})

test("finalized and future slots cannot be rolled back", async () => {
  payer = await fund()
  const { signature } = await send(SOL)
  const landed = await slot()
  await warp(31)
  expect(await statusOf(signature)).toBe("finalized")
  for (const to of [landed - 1, (await slot()) + 1]) expect((await rollback(to)).error?.code).toBe(-32602)
  expect(await statusOf(signature)).toBe("finalized")
  expect((await rollback(landed)).error).toBeUndefined()
  expect(await statusOf(signature)).toBe("finalized")
  // A second rollback, to before the first one.
  await warp(2)
  const { signature: gone } = await send(SOL)
  await warp(1)
  expect((await rollback(landed)).error).toBeUndefined()
  expect([await statusOf(gone), await statusOf(signature)]).toEqual([null, "finalized"])
  expect(await slot("finalized")).toBe(landed)
})

test("a subscription to a signature waits until it lands again and is finalized", async () => {
  payer = await fund()
  const before = await slot()
  await warp(1)
  const to = await slot()
  const wire = await signed(connection, [transfer(payer.publicKey, Keypair.generate().publicKey, SOL)], [payer])
  const notified: number[] = []
  const signature = await connection.sendRawTransaction(wire)
  connection.onSignature(signature, (_, { slot: at }) => notified.push(at), "finalized")
  const inner = connection as unknown as { _subscriptionsByHash: Record<string, { state: string }> }
  await until(async () => Object.values(inner._subscriptionsByHash).some((one) => one.state === "subscribed"))
  expect((await rollback(before)).result).toBe(to + 1)
  await warp(40)
  await connection.sendRawTransaction(wire)
  const landed = await slot()
  await warp(31)
  await until(async () => notified.length > 0)
  expect(notified).toEqual([landed + 31])
})

test("transactions that were rolled back stay gone after a restart", async () => {
  await localnet.close()
  dataDir = mkdtempSync(join(tmpdir(), "localnet-"))
  await start()
  payer = await fund()
  const to = await slot()
  await warp(1)
  const gone = await send(SOL)
  await warp(1)
  await rollback(to)
  const kept = await send(2 * SOL)
  const [now, genesis] = [await slot(), localnet.genesisHash]
  const blockhash = await connection.getLatestBlockhash("processed")
  for (const _ of [1, 2]) {
    await localnet.close()
    await start()
    expect(localnet.genesisHash).toBe(genesis)
    expect(await statusOf(gone.signature)).toBeNull()
    expect(await connection.getBalance(gone.to)).toBe(0)
    expect(await connection.getBalance(kept.to)).toBe(2 * SOL)
    expect(await statusOf(kept.signature)).not.toBeNull()
    expect(await slot()).toBeGreaterThan(now)
    expect((await connection.isBlockhashValid(blockhash.blockhash, { commitment: "processed" })).value).toBe(true)
  }
  // The states from before the start are no longer in memory.
  expect((await rollback(to)).error?.message).toContain("before a start")
})

test("slots continue to pass after a rollback", async () => {
  await localnet.close()
  localnet = await startLocalnet({ slotMs: 5, allowFaults: true })
  connection = plainConnection(localnet.url)
  payer = await fundedWallet(connection)
  await rollback((await slot()) - 1)
  const { signature } = await send(SOL)
  expect(await confirmed(connection, signature)).toMatchObject({ err: null })
})
