import { createHash } from "node:crypto"
import { readFile, rm, writeFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { screeningHealth, type TestList, testList, waitForEntries } from "#test/fixtures/screening.ts"
import { AddressSet } from "./address-set.ts"
import { keyIn } from "./list-file.ts"
import { ListWatch } from "./lists.ts"
import { storeList } from "./stored-lists.ts"

const wallets = Array.from({ length: 10 }, () => newWallet())
let app: TestApp
let key: TestKey
let list: TestList

beforeAll(async () => {
  list = await testList("ofac.txt", wallets)
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
  key = await app.key()
  // For a second, health may still be that of another file's server, which ran in this process before.
  await waitForEntries(app, 10)
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

const trouble = (what: RegExp) =>
  waitFor(async () => what.test((await screeningHealth(app)).check ?? ""), `trouble like ${what}`)

const well = () => waitFor(async () => (await screeningHealth(app)).check === "ok", "the list to be ok")

const isRefused = async (wallet: string) => {
  const { status } = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
  })
  return status === 403
}

test("health shows which list is in use, and by how many workers", async () => {
  const digest = createHash("sha256")
    .update(await readFile(list.path))
    .digest("hex")
  const { check, lists } = await screeningHealth(app)
  expect(check).toBe("ok")
  expect(lists).toEqual([
    { name: "ofac.txt", digest, entries: 10, loaded_at: expect.any(String), workers: expect.any(Number) },
  ])
  await waitFor(async () => (await screeningHealth(app)).lists[0].workers === 1, "the worker to say so")
})

const wrong: [string, () => Promise<unknown>, RegExp][] = [
  ["gone", () => rm(list.path), /ofac.txt cannot be read: ENOENT/],
  ["empty", () => list.writeText(""), /has no Solana address/],
  ["without an address", () => list.writeText("# to be filled\n"), /has no Solana address/],
  ["half-written", () => writeFile(list.path, `${wallets[0]}\n${wallets[1]!.slice(0, 20)}`), /half-written/],
  ["a tenth of it", () => list.write(wallets.slice(0, 1)), /has 1 addresses where the list in use has 10/],
]

test.each(wrong)("a file that is %s leaves the last good list in use, and is reported", async (_name, spoil, what) => {
  const before = (await screeningHealth(app)).lists[0].digest
  await spoil()
  await trouble(what)
  expect((await screeningHealth(app)).lists[0]).toMatchObject({ digest: before, entries: 10 })
  for (const wallet of [wallets[0]!, wallets[9]!]) expect(await isRefused(wallet)).toBe(true)
  await list.write(wallets)
  await well()
  expect(app.log.filter((line) => line.includes("a screening list is not used")).length).toBeGreaterThan(0)
})

test("a list that loses less than half is accepted at once", async () => {
  await list.write(wallets.slice(0, 6))
  await waitForEntries(app, 6)
  expect(await isRefused(wallets[9]!)).toBe(false)
  await list.write(wallets)
  await waitForEntries(app, 10)
  expect(await isRefused(wallets[8]!)).toBe(true)
})

test("a process uses the list that another one loads, and reports its differing file", async () => {
  const addresses = new AddressSet()
  const wallet = newWallet()
  for (const one of [wallet, ...wallets]) addresses.add(keyIn(one)!)
  const digest = "ab".repeat(32)
  const stamp = { inode: 0, mtime_ms: 0, ctime_ms: 0, size: 0 }
  await storeList("ofac.txt", { digest, addresses, stamp }, undefined)
  await waitForEntries(app, 11)
  expect(await isRefused(wallet)).toBe(true)
  await trouble(/differs from the file that another process loaded later/)
  await list.write([wallet, ...wallets, newWallet()])
  await waitForEntries(app, 12)
  await well()
})

test("a start with a wrong file uses the previous list; without a previous list it is refused", async () => {
  const settings = (path: string, accept?: string) => ({
    VOUCH_SANCTIONS_LIST: [path],
    VOUCH_SANCTIONS_LIST_ACCEPT: accept,
  })
  const fresh = await testList("fresh.txt")
  await rm(fresh.path)
  await expect(ListWatch.start(settings(fresh.path))).rejects.toThrow(/fresh.txt cannot be read: ENOENT/)
  await list.write(wallets.slice(0, 1))
  const held = await ListWatch.start(settings(list.path))
  expect((await screeningHealthNow()).check).toMatch(/has 1 addresses/)
  await held.stop()
  // Accepted only by its own digest.
  const digest = createHash("sha256")
    .update(await readFile(list.path))
    .digest("hex")
  const confirmed = await ListWatch.start(settings(list.path, digest))
  expect((await screeningHealthNow()).lists).toMatchObject([{ entries: 1, digest }])
  await confirmed.stop()
  await fresh.remove()
})

/** Asks again after the second for which health is cached. */
const screeningHealthNow = async () => {
  const { listFacts, listTrouble } = await import("./lists.ts")
  return { check: listTrouble() ?? "ok", lists: listFacts() }
}
