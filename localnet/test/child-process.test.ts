import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { PortInUse, startLocalnetProcess } from "../src/index.ts"
import { rpc } from "./client.ts"

const folder = mkdtempSync(join(tmpdir(), "localnet-"))
const output = openSync(join(folder, "output"), "a")
afterAll(() => {
  closeSync(output)
  rmSync(folder, { recursive: true })
})

test("a network in a child process answers until it is stopped, and keeps its chain", async () => {
  const options = { dataDir: join(folder, "data"), slotMs: 20, allowFaults: true, output }
  const hashes: unknown[] = []
  for (let start = 0; start < 2; start++) {
    const child = await startLocalnetProcess(options)
    hashes.push((await rpc(child.url, "getGenesisHash")).result)
    expect((await rpc(child.url, "localnet_warp", [{ slots: 1 }])).error).toBeUndefined()
    expect(child.pid).not.toBe(process.pid)
    await child.stop()
    await child.exited
    await expect(rpc(child.url, "getHealth")).rejects.toThrow()
  }
  expect(hashes[1]).toBe(hashes[0])
})

test("a port in use and any other failure are different errors, and the output says more", async () => {
  const child = await startLocalnetProcess({ output })
  const port = Number(new URL(child.url).port)
  await expect(startLocalnetProcess({ port, output })).rejects.toThrow(PortInUse)
  await expect(startLocalnetProcess({ slotMs: 0.5, output })).rejects.toThrow("exit code 2")
  expect(readFileSync(join(folder, "output"), "utf8")).toMatch(/--slot-ms must be a whole number from 1\n$/)
  await child.stop()
})
