import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, afterEach, expect, test } from "vitest"
import { freePorts } from "#test/fixtures/free-ports.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { readPostmaster } from "./postmaster.ts"
import { signal, startMark } from "./process.ts"
import type { Services, ServicesOptions } from "./services.ts"
import { runningServer, startServices } from "./services.ts"

const log = { info: () => {}, warn: () => {}, error: () => {} }
const root = join(import.meta.dirname, "..", "..")
// Shared by all tests because initdb is slow. No test leaves anything running on it.
const dataDir = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-`))
const localnetPort = await freePorts(2)
let started: Services[] = []
let children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children) child.kill("SIGKILL")
  for (const services of started) await services.stop()
  // Adopts and stops what a killed process left behind.
  await (await startServices(options({ purpose: "cli" }))).stop()
  started = []
  children = []
})

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const options = (changes: Partial<ServicesOptions> = {}): ServicesOptions => ({
  dataDir,
  databaseUrl: undefined,
  rpcUrl: undefined,
  localnetPort,
  localnetSlotMs: 50,
  localnetFaults: false,
  log,
  purpose: "server",
  durable: false,
  ...changes,
})

async function start(changes: Partial<ServicesOptions> = {}): Promise<Services> {
  const services = await startServices(options(changes))
  started.push(services)
  return services
}

test("without configuration both services run, and stopping ends them and releases everything", async () => {
  const services = await start()
  expect(services.embedded).toEqual({ postgres: true, localnet: true })
  expect(services.rpcUrl).toBe(`http://127.0.0.1:${localnetPort}`)
  expect(await answers(services)).toBe(true)
  const [postmaster, localnet] = [postgresPid()!, localnetPid()!]

  await Promise.all([services.stop(), services.stop()])
  expect([startMark(postmaster), startMark(localnet)]).toEqual([undefined, undefined])
  expect(["server.lock", "services.json"].filter((name) => existsSync(join(dataDir, name)))).toEqual([])
})

test("a configured service is not started", async () => {
  const configured = { databaseUrl: "postgres://a:b@db.example/c", rpcUrl: "https://rpc.example" }
  const services = await start(configured)
  expect(services).toMatchObject({ ...configured, embedded: { postgres: false, localnet: false } })
  // Any number of servers may share configured services.
  await expect(start(configured)).resolves.toMatchObject(configured)
})

test("other users cannot open the data directory or its files", async () => {
  await start()
  expect(statSync(dataDir).mode & 0o066).toBe(0)
  expect(statSync(join(dataDir, "services.json")).mode & 0o777).toBe(0o600)
})

test.skipIf(process.platform !== "linux")("a data directory below /proc is refused at once", () => {
  const program = `
    import { startServices } from "#server/embedded/services.ts"
    await startServices(JSON.parse(process.argv[1]))`
  for (const path of ["/proc/x", "/proc/x/y", "/proc"]) {
    // In a child process, which can be killed if this never returns.
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", program, JSON.stringify(options({ dataDir: path }))],
      { cwd: root, encoding: "utf8", timeout: 15_000 },
    )
    expect([status, stderr], path).toEqual([
      1,
      expect.stringContaining(`VOUCH_DATA_DIR: cannot create files in ${path}.`),
    ])
  }
})

test("a data directory is created with its parents, and a file in its place is refused", async () => {
  const path = join(dataDir, "a", "b")
  const configured = { databaseUrl: "postgres://a:b@db.example/c", rpcUrl: "https://rpc.example" }
  await start({ ...configured, dataDir: path })
  expect(statSync(path).mode & 0o777).toBe(0o700)
  writeFileSync(join(path, "file"), "")
  for (const taken of ["file", "file/below"]) {
    await expect(start({ ...configured, dataDir: join(path, taken) })).rejects.toThrow(
      /VOUCH_DATA_DIR.*not a directory/,
    )
  }
})

test("a second server on the same data directory is refused with the pid of the first", async () => {
  const services = await start()
  await expect(start()).rejects.toThrow(new RegExp(`pid ${process.pid}.*VOUCH_DATA_DIR`, "s"))
  expect(await answers(services)).toBe(true)
})

test("a killed server's lock is taken over, and its Postgres with it", async () => {
  const killed = await startInAnotherProcess("server")
  const pid = postgresPid()
  killed.kill("SIGKILL")
  await once(killed, "exit")

  const services = await start()
  expect(postgresPid()).toBe(pid)
  expect(await answers(services)).toBe(true)
})

test("a lock whose pid belongs to an unrelated process is taken over", async () => {
  writeFileSync(join(dataDir, "server.lock"), JSON.stringify({ pid: process.ppid, mark: "1" }))
  expect(await answers(await start())).toBe(true)
})

test("a killed Postgres and a killed local network come back at the same addresses", async () => {
  const services = await start()
  const [postmaster, localnet] = [postgresPid()!, localnetPid()!]
  signal(postmaster, "SIGKILL")
  signal(localnet, "SIGKILL")
  await expect.poll(() => postgresPid() !== postmaster && localnetPid() !== localnet).toBe(true)
  await expect.poll(() => answers(services)).toBe(true)
})

test("a command line uses the services of the running server and leaves them running", async () => {
  const server = await start({ origin: "http://localhost:3210" })
  expect(runningServer(dataDir)).toMatchObject({
    pid: process.pid,
    origin: "http://localhost:3210",
    databaseUrl: server.databaseUrl,
  })
  const command = await start({ purpose: "cli" })
  expect(command).toMatchObject({ databaseUrl: server.databaseUrl, rpcUrl: server.rpcUrl })
  await command.stop()
  expect(await answers(server)).toBe(true)
})

test("a command line finds the database that the running server was configured with", async () => {
  await start({ databaseUrl: "postgres://a:b@db.example/c" })
  const command = await start({ purpose: "cli" })
  expect(command.databaseUrl).toBe("postgres://a:b@db.example/c")
})

test("a server that starts while a command line runs takes its services over", async () => {
  const command = await startInAnotherProcess("cli")
  const postmaster = postgresPid()
  const server = await start()
  expect(postgresPid()).toBe(postmaster)

  command.send("stop")
  await once(command, "exit")
  expect(postgresPid()).toBe(postmaster)
  await expect.poll(() => answers(server)).toBe(true)
})

test("a command line keeps the database that a stopping server would have ended", async () => {
  const server = await startInAnotherProcess("server")
  const command = await start({ purpose: "cli", needsChain: false })
  server.send("stop")
  await once(server, "exit")
  const postmaster = postgresPid()!
  expect(startMark(postmaster)).toBeDefined()

  await command.stop()
  expect(startMark(postmaster)).toBeUndefined()
})

test("a taken port is reported with the setting that changes it, and nothing stays behind", async () => {
  const occupant = createServer().listen(localnetPort, "127.0.0.1")
  await once(occupant, "listening")
  await expect(start()).rejects.toThrow(/VOUCH_LOCALNET_PORT/)
  expect(postgresPid()).toBeUndefined()
  expect(existsSync(join(dataDir, "server.lock"))).toBe(false)
  occupant.close()
  await once(occupant, "close")
})

async function answers({ databaseUrl, rpcUrl }: Services): Promise<boolean> {
  const sql = postgres(databaseUrl, { ...socketOptions(databaseUrl), max: 1 })
  try {
    await sql`SELECT 1`
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" })
    const answer = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    })
    return ((await answer.json()) as { result: string }).result === "ok"
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const postgresPid = () => readPostmaster(join(dataDir, "postgres"))?.pid

const localnetPid = () => (JSON.parse(readFileSync(join(dataDir, "localnet.json"), "utf8")) as { pid: number }).pid

/** A separate process that starts the services, ends on request, and can be killed. */
async function startInAnotherProcess(purpose: "server" | "cli"): Promise<ChildProcess> {
  const program = `
    import { startServices } from "#server/embedded/services.ts"
    const log = { info() {}, warn() {}, error() {} }
    const services = await startServices({ ...JSON.parse(process.argv[1]), log })
    process.on("message", () => services.stop().then(() => process.exit()))
    process.send("started")`
  const child = spawn(
    process.execPath,
    ["--input-type=module", "--eval", program, JSON.stringify(options({ purpose }))],
    {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  )
  children.push(child)
  await once(child, "message")
  return child
}
