import { randomBytes } from "node:crypto"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as otherWork } from "node:timers/promises"
import { afterEach, beforeEach, expect, test } from "vitest"
import { Chain } from "../src/chain/chain.ts"
import { type Key, keyOfBytes } from "../src/chain/keys.ts"
import { openStorage } from "../src/storage/storage.ts"

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "localnet-"))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Opens the files that a kill at this moment would leave. */
function afterKill(dataDir: string): Chain {
  const copy = `${dataDir}-after-kill`
  cpSync(dataDir, copy, { recursive: true })
  rmSync(join(copy, "lock"))
  return new Chain(openStorage(copy))
}

test("a snapshot taken while transactions run restores the accounts after all of them", async () => {
  const dataDir = join(root, "chain")
  const chain = new Chain(openStorage(dataDir))
  const wallets = Array.from({ length: 1_000 }, () => keyOfBytes(randomBytes(32)))
  const give = (wallet: Key) => expect(chain.airdrop(wallet, 1_000_000n).err).toBeNull()
  for (const wallet of wallets) give(wallet)
  let taken = false
  const snapshot = chain.snapshot().then(() => {
    taken = true
  })
  let given = 0
  while (!taken) {
    // From both ends, so that both written and unwritten accounts change.
    give(wallets[given % 1_000]!)
    give(wallets[999 - (given % 1_000)]!)
    given += 1
    await otherWork()
  }
  await snapshot
  expect(given).toBeGreaterThan(1)
  expect(existsSync(join(dataDir, "accounts.snapshot"))).toBe(true)
  const restored = afterKill(dataDir)
  for (const wallet of wallets) expect(restored.vm.balance(wallet)).toBe(chain.vm.balance(wallet))
  expect(restored.history.count).toBe(chain.history.count)
  await restored.close()
  await chain.close()
})
