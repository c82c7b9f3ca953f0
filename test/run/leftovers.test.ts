import { spawn, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { startPostgres } from "#server/embedded/postgres.ts"
import { signal, startMark } from "#server/embedded/process.ts"
import { clearLeftovers, prefix } from "./leftovers.ts"

// A separate directory, not the one of real runs on this machine.
const folder = mkdtempSync(join(tmpdir(), "vouch-leftovers-"))
chmodSync(folder, 0o711)
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const log = { info: () => {}, warn: () => {}, error: () => {} }

/** Creates the data directory of a run that has ended. */
function leftover(name: string): string {
  const { pid } = spawnSync(process.execPath, ["--version"])
  const dataDir = join(folder, `${prefix}${pid}-${name}`)
  mkdirSync(dataDir, { mode: 0o711 })
  return dataDir
}

test("the Postgres of a killed run is ended, and named if it does not end", async () => {
  const dataDir = leftover("stuck")
  const server = await startPostgres({ dataDir, durable: false, log })
  signal(server.pid, "SIGSTOP")
  const said: string[] = []
  const refused = clearLeftovers({ folder, waitMs: 3000, say: (line) => said.push(line) })
  await expect(refused).rejects.toThrow(
    new RegExp(
      `^Waited 3 s for a server of a killed test run to end: pid ${server.pid}, .*postgres -D .*kill -9 ${server.pid}$`,
    ),
  )
  expect(said).toEqual([expect.stringContaining(`pid ${server.pid}, `)])
  expect(existsSync(dataDir)).toBe(true)
  signal(server.pid, "SIGCONT")
  await clearLeftovers({ folder })
  expect([startMark(server.pid), existsSync(dataDir)]).toEqual([undefined, false])
})

test("a server is ended before its Postgres, because it would start that again", async () => {
  const dataDir = leftover("server")
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" })
  writeFileSync(join(dataDir, "server.lock"), JSON.stringify({ pid: child.pid, mark: startMark(child.pid!) }))
  await clearLeftovers({ folder })
  expect([startMark(child.pid!), existsSync(dataDir)]).toEqual([undefined, false])
})

test("the folder of a run in progress is left alone", async () => {
  const dataDir = join(folder, `${prefix}${process.pid}-own`)
  mkdirSync(dataDir)
  await clearLeftovers({ folder })
  expect(existsSync(dataDir)).toBe(true)
})
