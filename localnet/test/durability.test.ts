import { type ChildProcess, fork, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Keypair } from "@solana/web3.js"
import { afterEach, beforeEach, expect, test } from "vitest"
import { startLocalnet } from "../src/index.ts"
import { confirmed, fundedWallet, plainConnection, rpc, SOL, signed, transfer, until } from "./client.ts"

const MAIN = join(import.meta.dirname, "..", "src", "main.ts")

let dataDir: string
const children: ChildProcess[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "localnet-"))
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
  rmSync(dataDir, { recursive: true, force: true })
})

type Spawned = { child: ChildProcess; url: string; port: number; exited: Promise<unknown[]> }

async function spawnLocalnet(port = 0): Promise<Spawned> {
  const args = ["--port", String(port), "--data-dir", dataDir, "--slot-ms", "20", "--allow-faults"]
  const child = fork(MAIN, args, { detached: true, stdio: ["ignore", "ignore", "pipe", "ipc"] })
  children.push(child)
  const exited = once(child, "exit")
  const [ready] = (await Promise.race([
    once(child, "message"),
    exited.then(([code]) => Promise.reject(new Error(`exit ${code}`))),
  ])) as [{ url: string; port: number }]
  return { child, exited, ...ready }
}

/** Runs the command to its end, without a channel to a parent. */
const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" })

const onDisk = () => startLocalnet({ dataDir, slotMs: 20, allowFaults: true })

test("identical bytes sent twice run once, even after a restart", async () => {
  const to = Keypair.generate().publicKey
  const before = await onDisk()
  const payer = await fundedWallet(plainConnection(before.url))
  const wire = await signed(plainConnection(before.url), [transfer(payer.publicKey, to, SOL)], [payer])
  const signature = await plainConnection(before.url).sendRawTransaction(wire)
  const tooMuch = await signed(plainConnection(before.url), [transfer(payer.publicKey, to, 99 * SOL)], [payer])
  const failed = await plainConnection(before.url).sendRawTransaction(tooMuch, { skipPreflight: true })
  await before.close()
  const after = await onDisk()
  const connection = plainConnection(after.url)
  await expect(connection.sendRawTransaction(wire)).rejects.toThrow("already been processed")
  expect(await connection.sendRawTransaction(wire, { skipPreflight: true })).toBe(signature)
  expect(await connection.getBalance(to)).toBe(SOL)
  const { value } = await connection.getSignatureStatus(failed, { searchTransactionHistory: true })
  expect(value?.err).toEqual({ InstructionError: [0, { Custom: 1 }] })
  await after.close()
})

test("a blockhash from before a kill -9 is still valid after it, and expired ones stay expired", async () => {
  const first = await spawnLocalnet()
  const connection = plainConnection(first.url)
  const payer = await fundedWallet(connection)
  const expired = await connection.getLatestBlockhash("processed")
  await rpc(first.url, "localnet_warp", [{ slots: 200 }])
  const recent = await connection.getLatestBlockhash("processed")
  const genesisHash = await connection.getGenesisHash()
  const slot = await connection.getSlot("processed")
  first.child.kill("SIGKILL")
  await first.exited
  const second = await spawnLocalnet()
  const again = plainConnection(second.url)
  expect(await again.getSlot("processed")).toBeGreaterThan(slot)
  expect((await again.isBlockhashValid(recent.blockhash, { commitment: "processed" })).value).toBe(true)
  expect((await again.isBlockhashValid(expired.blockhash, { commitment: "processed" })).value).toBe(false)
  expect(await again.getGenesisHash()).toBe(genesisHash)
  expect(await again.getBalance(payer.publicKey)).toBe(10 * SOL)
})

test("a ledger torn in the middle of its last transaction loses only that one", async () => {
  const before = await onDisk()
  const genesisHash = before.genesisHash
  const connection = plainConnection(before.url)
  const payer = await fundedWallet(connection)
  await before.close()
  const ledger = join(dataDir, "ledger")
  const whole = statSync(ledger).size
  const unsaved = await onDisk()
  const torn = await plainConnection(unsaved.url).requestAirdrop(payer.publicKey, SOL)
  await unsaved.close()
  // As after a kill: without the snapshot that closing made.
  rmSync(join(dataDir, "accounts.snapshot"))
  truncateSync(ledger, statSync(ledger).size - 10)
  const after = await onDisk()
  expect(after.genesisHash).toBe(genesisHash)
  expect(statSync(ledger).size).toBe(whole)
  const client = plainConnection(after.url)
  expect((await client.getSignatureStatus(torn, { searchTransactionHistory: true })).value).toBeNull()
  expect(await client.getBalance(payer.publicKey)).toBe(10 * SOL)
  await confirmed(client, await client.requestAirdrop(payer.publicKey, SOL))
  await after.close()
  const again = await onDisk()
  expect(await plainConnection(again.url).getBalance(payer.publicKey)).toBe(11 * SOL)
  await again.close()
})

test("a damaged snapshot is ignored, because the ledger has everything", async () => {
  const before = await onDisk()
  const payer = await fundedWallet(plainConnection(before.url))
  await before.close()
  writeFileSync(join(dataDir, "accounts.snapshot"), "nonsense")
  appendFileSync(join(dataDir, "ledger"), Buffer.from([9, 0]))
  const after = await onDisk()
  expect(await plainConnection(after.url).getBalance(payer.publicKey)).toBe(10 * SOL)
  await after.close()
})

test("a directory in use is refused, and taken over once its process has died", async () => {
  const first = await spawnLocalnet()
  await expect(onDisk()).rejects.toThrow(`in use by process ${first.child.pid}`)
  expect(run("--port", "0", "--data-dir", dataDir).status).toBe(1)
  first.child.kill("SIGKILL")
  await first.exited
  expect(existsSync(join(dataDir, "lock"))).toBe(true)
  await (await onDisk()).close()
  expect(existsSync(join(dataDir, "lock"))).toBe(false)
})

test("a child process waits while the one before it still has the directory", async () => {
  const first = await onDisk()
  const second = spawnLocalnet()
  const [waiting] = await once(children.at(-1)!.stderr!, "data")
  expect(String(waiting)).toMatch(/^localnet: the data directory is in use by process \d+ .*; waiting\n$/)
  await first.close()
  expect((await rpc((await second).url, "getGenesisHash")).result).toBe(first.genesisHash)
})

test("it ends with its parent's channel and with SIGTERM, but not with SIGINT", async () => {
  const orphan = await spawnLocalnet()
  orphan.child.disconnect()
  expect((await orphan.exited)[0]).toBe(0)
  const { child, exited, url } = await spawnLocalnet()
  child.kill("SIGINT")
  expect((await rpc(url, "getHealth")).result).toBe("ok")
  child.kill("SIGTERM")
  expect((await exited)[0]).toBe(0)
  await until(async () => !existsSync(join(dataDir, "lock")))
})

test("a port in use ends the process with 98", async () => {
  const other = await startLocalnet()
  await expect(spawnLocalnet(other.port)).rejects.toThrow("exit 98")
  await other.close()
})

test("a wrong argument ends the process with 2, and --help lists the options of the README", async () => {
  for (const args of [["--nonsense"], ["--port", "one"], ["--slot-ms", "0"]])
    expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringMatching(/^localnet: [^\n]+\n$/) })
  const { status, stdout } = run("--help")
  const options = (text: string, option: RegExp) => [...text.matchAll(option)].map(([, name]) => name)
  const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8")
  expect(status).toBe(0)
  expect(options(stdout, /^ {2}(--[a-z-]+)/gm)).toEqual(options(readme, /^\| `(--[a-z-]+)`/gm))
})
