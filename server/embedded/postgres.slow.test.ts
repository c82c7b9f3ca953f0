import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { afterAll, afterEach, expect, test } from "vitest"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import type { RunningPostgres } from "./postgres.ts"
import { startPostgres } from "./postgres.ts"
import { postgresAccount } from "./postgres-account.ts"
import { readPostmaster } from "./postmaster.ts"
import { signal } from "./process.ts"
import { socketDirectory, socketUrl } from "./socket.ts"

const log = { info: () => {}, warn: () => {}, error: () => {} }
const isRoot = process.getuid?.() === 0
// Shared by all tests because initdb is slow. Each test starts and stops its own server on it.
const dataDir = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-`))
let started: RunningPostgres[] = []

afterEach(async () => {
  for (const server of started) await server.stop()
  started = []
})

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

async function start(): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir, durable: false, log })
  started.push(server)
  return server
}

async function query(url: string, text: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { ...socketOptions(url), max: 1 })
  try {
    return await sql.unsafe(text)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test("data survives a stop and a start", async () => {
  const first = await start()
  expect(first.adopted).toBe(false)
  await query(first.url, "CREATE TABLE over_stop AS SELECT 42 AS answer")
  await first.stop()
  await first.exited
  expect(first.isRunning()).toBe(false)

  const second = await start()
  expect(await query(second.url, "SELECT answer FROM over_stop")).toEqual([{ answer: 42 }])
})

test("it uses UTF-8, UTC, the builtin locale and page checksums", async () => {
  const { url } = await start()
  const [settings] = await query(
    url,
    `SELECT current_setting('server_encoding') AS encoding, current_setting('timezone') AS timezone,
            current_setting('data_checksums') AS checksums, datlocprovider AS provider, datlocale AS locale
       FROM pg_database WHERE datname = current_database()`,
  )
  expect(settings).toEqual({
    encoding: "UTF8",
    timezone: "UTC",
    checksums: "on",
    provider: "b",
    locale: "C.UTF-8",
  })
})

test("a wrong password is refused", async () => {
  const { url } = await start()
  const wrong = new URL(url)
  wrong.password = "wrong"
  await expect(query(wrong.href, "SELECT 1")).rejects.toMatchObject({ code: "28P01" })
})

test("no other user can read the password or reach the socket", async () => {
  const { url } = await start()
  expect(statSync(join(dataDir, "postgres-password")).mode & 0o777).toBe(0o600)
  expect(statSync(socketOptions(url).host!).mode & 0o777).toBe(0o700)
  expect(await query(url, "SHOW listen_addresses")).toEqual([{ listen_addresses: "" }])
})

test("a killed postmaster starts again with everything that was committed", async () => {
  const first = await start()
  await query(first.url, "CREATE TABLE over_kill AS SELECT 42 AS answer")
  signal(first.pid, "SIGKILL")
  await first.exited

  const second = await start()
  expect(second).toMatchObject({ adopted: false, url: first.url })
  expect(await query(second.url, "SELECT answer FROM over_kill")).toEqual([{ answer: 42 }])
})

test("a postmaster is restarted although a session of the killed one is still busy", async () => {
  const first = await start()
  const busy = query(first.url, "SELECT count(*) FROM generate_series(1, 100000000)").catch(() => {})
  await expect
    .poll(() =>
      query(
        first.url,
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()",
      ),
    )
    .toHaveLength(1)
  signal(first.pid, "SIGKILL")
  await first.exited
  const second = await start()
  expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }])
  await busy
})

test("a Postgres whose starter was killed is adopted by the next process", async () => {
  const starter = await startInAnotherProcess()
  starter.child.kill("SIGKILL")
  await once(starter.child, "exit")

  const server = await start()
  expect(server).toMatchObject({ adopted: true, pid: starter.pid })
  expect(await query(server.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }])
  await server.stop()
  await server.exited
  expect(server.isRunning()).toBe(false)
})

test("a pid file whose pid belongs to an unrelated process does not block the start", async () => {
  const first = await start()
  signal(first.pid, "SIGKILL")
  await first.exited
  const pidFile = join(dataDir, "postgres", "postmaster.pid")
  const lines = readFileSync(pidFile, "utf8").split("\n")
  writeFileSync(pidFile, [process.pid, ...lines.slice(1)].join("\n"))

  const second = await start()
  expect(second.adopted).toBe(false)
  expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }])
})

test.each([
  ["left empty by a crash", ""],
  ["whose pid belongs to an unrelated process", `${process.pid}\n`],
])("a socket lock %s does not block the start", async (_case, content) => {
  const first = await start()
  const { socketDirectory: directory } = readPostmaster(join(dataDir, "postgres"))!
  signal(first.pid, "SIGKILL")
  await first.exited
  const lock = join(directory, ".s.PGSQL.5432.lock")
  writeFileSync(lock, content)
  const longAgo = new Date(Date.now() - 60_000)
  utimesSync(lock, longAgo, longAgo)

  const second = await start()
  expect(await query(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }])
})

test("two processes that start the same data directory at once share one Postgres", async () => {
  await (await start()).stop()
  const [one, other] = await Promise.all([start(), start()])
  expect(one.pid).toBe(other.pid)
  expect([one.adopted, other.adopted].sort()).toEqual([false, true])
})

test("a cluster of another major version is refused with a way out", async () => {
  await (await start()).stop()
  writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "17\n")
  await expect(start()).rejects.toThrow(/created by PostgreSQL 17.*VOUCH_DATA_DIR/)
  writeFileSync(join(dataDir, "postgres", "PG_VERSION"), "18\n")
})

test.runIf(isRoot)("a socket directory that another user created is refused", async () => {
  const account = postgresAccount(join(dataDir, "postgres"), log)
  const directory = socketDirectory(dataDir, account)
  rmSync(directory, { recursive: true })
  mkdirSync(directory)
  try {
    expect(() => socketDirectory(dataDir, account)).toThrow(/belongs to another user/)
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test("a socket's URL works with postgres.js, and other URLs stay unchanged", () => {
  const url = socketUrl("/tmp/vouch-1-2", "s3cret/+", "vouch")
  expect(socketOptions(url)).toEqual({ host: "/tmp/vouch-1-2", port: 5432 })
  expect(new URL(url).password).toBe("s3cret%2F%2B")
  expect(socketOptions("postgres://a:b@db.example:6432/c")).toEqual({})
})

async function startInAnotherProcess(): Promise<{ child: ChildProcess; pid: number }> {
  const program = `
    import { startPostgres } from "#server/embedded/postgres.ts"
    import { socketOptions } from "#test/fixtures/socket-options.ts"
    import postgres from "postgres"
    const log = { info() {}, warn() {}, error() {} }
    const { url, pid } = await startPostgres({ dataDir: process.argv[1], durable: false, log })
    const sql = postgres(url, { ...socketOptions(url), max: 1 })
    await sql\`CREATE TABLE kept AS SELECT 42 AS answer\`
    process.send({ pid })
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, dataDir], {
    cwd: join(import.meta.dirname, "..", ".."),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  const [message] = (await once(child, "message")) as [{ pid: number }]
  return { child, pid: message.pid }
}
