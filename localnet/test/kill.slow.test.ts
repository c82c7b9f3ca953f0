import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Keypair } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { startLocalnetProcess } from "../src/index.ts"
import { fundedWallet, plainConnection, rpc, signed, transfer } from "./client.ts"

const dataDir = mkdtempSync(join(tmpdir(), "localnet-"))
afterAll(() => rmSync(dataDir, { recursive: true }))

const start = (port: number) =>
  startLocalnetProcess({ port, dataDir, slotMs: 20, allowFaults: true, output: "inherit" })

test("every signature acknowledged before a kill -9 is found after it, and balances equal their sum", async () => {
  const to = Keypair.generate().publicKey
  const acknowledged: string[] = []
  let payer: Keypair | null = null
  let port = 0
  for (let kill = 0; kill < 4; kill++) {
    const running = await start(port)
    port = Number(new URL(running.url).port)
    const connection = plainConnection(running.url)
    payer ??= await fundedWallet(connection, 1000)
    const wallet = payer
    const goal = acknowledged.length + 60
    const sendAll = async (sender: number) => {
      for (let number = 0; ; number++) {
        const amount = 1_000_000 + kill * 100_000 + sender * 10_000 + number
        const wire = await signed(connection, [transfer(wallet.publicKey, to, amount)], [wallet])
        const signature = await connection.sendRawTransaction(wire, { skipPreflight: true })
        acknowledged.push(signature)
        if (acknowledged.length >= goal) process.kill(running.pid, "SIGKILL")
      }
    }
    // Each sender ends when its call breaks. That transaction is in the ledger or not.
    await Promise.allSettled([1, 2, 3, 4].map(sendAll))
    await running.exited
  }
  const { url, stop } = await start(port)
  const connection = plainConnection(url)
  await rpc(url, "localnet_warp", [{ slots: 40 }])
  const options = { searchTransactionHistory: true }
  for (let from = 0; from < acknowledged.length; from += 256) {
    const { value } = await connection.getSignatureStatuses(acknowledged.slice(from, from + 256), options)
    for (const status of value) expect(status).toMatchObject({ err: null, confirmationStatus: "finalized" })
  }
  const history = await connection.getSignaturesForAddress(to, { limit: 1000 })
  const unknown = history.map(({ signature }) => signature).filter((signature) => !acknowledged.includes(signature))
  expect(history.length).toBe(acknowledged.length + unknown.length)
  // At most the one call per sender that a kill broke can have landed without a response.
  expect(unknown.length).toBeLessThanOrEqual(4 * 4)
  let moved = 0
  for (const { signature } of history) {
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    moved += found!.meta!.postBalances[1]! - found!.meta!.preBalances[1]!
  }
  expect(await connection.getBalance(to)).toBe(moved)
  await stop()
})
