import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { open } from "#db/client.ts"
import { ourselves } from "#server/embedded/lock.ts"
import { newId } from "#server/lib/ids.ts"
import { createEmptyDatabase, createTestDatabase } from "#test/fixtures/database.ts"

const dataDir = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-`))
let databaseUrl: string

beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).url
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const secret = () => randomBytes(32).toString("base64")
/** One database belongs to one deployment. */
const signer = secret()

type CommandResult = { exitCode: number; stdout: string; stderr: string }

const vouch = (args: string[], environment?: Record<string, string>): Promise<CommandResult> =>
  node(["server/cli.ts", ...args], environment)

const node = (args: string[], environment: Record<string, string> = {}): Promise<CommandResult> =>
  new Promise((resolve) => {
    const env = {
      ...process.env,
      ...{
        DATABASE_URL: databaseUrl,
        VOUCH_DATA_DIR: dataDir,
        VOUCH_SIGNER: signer,
        PORT: "",
        VOUCH_PUBLIC_URL: "",
      },
      // Another server may run on this machine.
      VOUCH_LOCALNET_PORT: "0",
      ...environment,
    }
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? Number(error.code) : 0, stdout, stderr })
    })
  })

const ownerLink = async (environment?: Record<string, string>) => {
  const args = ["account", "create", "--name", newId("acct"), "--plan", "free", "--owner", "a@example.com"]
  const { stdout, stderr } = await vouch([...args, "--json"], environment)
  const { owner_link } = JSON.parse(stdout || stderr) as { owner_link: string }
  return new URL(owner_link).origin
}

test("a link uses the address of the running server, or the default one", async () => {
  expect(await ownerLink()).toBe("http://localhost:3000")
  const file = join(dataDir, "services.json")
  const announce = (holder: object) =>
    writeFileSync(file, JSON.stringify({ ...holder, origin: "https://localhost:4800", embedded: {} }))
  announce(ourselves())
  expect(await ownerLink()).toBe("https://localhost:4800")
  const configured = {
    VOUCH_PUBLIC_URL: "https://vouch.example.com",
    VOUCH_SIGNER: signer,
    VOUCH_DATA_KEY: secret(),
    VOUCH_WEBHOOK_SECRET: `whsec_${secret()}`,
  }
  expect(await ownerLink(configured)).toBe("https://vouch.example.com")
  announce({ pid: process.pid, mark: "an earlier process" })
  expect(await ownerLink({ PORT: "4000" })).toBe("http://localhost:4000")
})

test.each(["\u200b", "Owner\u202egpj.exe", "a\nb"])(
  "%j is refused as a name of an account and of a key",
  async (name) => {
    const customer = ["account", "create", "--plan", "free", "--name", name]
    const key = ["key", "create", "--mode", "test", "--account", "Example", "--name", name]
    const keyOfNew = ["key", "create", "--mode", "test", "--account", name, "--create"]
    for (const args of [customer, key, keyOfNew]) {
      const { exitCode, stdout, stderr } = await vouch(args)
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" })
      expect(stderr).toMatch(/must (not |be |have |contain )/)
    }
  },
)

test("migrate reports what it did, needs no secret, can run twice at once, and waits for a database as long as asked", async () => {
  const { url } = await createTestDatabase()
  const env = { DATABASE_URL: url, VOUCH_PUBLIC_URL: "https://vouch.example.com" }
  const sql = open(url, 1)
  await sql`drop schema public cascade`
  await sql`drop schema drizzle cascade`
  await sql`create schema public`
  const both = await Promise.all([vouch(["migrate", "--json"], env), vouch(["migrate", "--json"], env)])
  expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  const said = both.map(({ stdout }) => JSON.parse(stdout) as { applied: number; total: number })
  expect(Math.min(...said.map(({ applied }) => applied))).toBe(0)
  expect(Math.max(...said.map(({ applied }) => applied))).toBe(said[0]!.total)
  expect((await sql`select to_regclass('workspaces')::text as found`)[0]).toEqual({ found: "workspaces" })
  await sql.end()
  const again = await vouch(["migrate"], env)
  expect(again).toEqual({
    exitCode: 0,
    stdout: `The database was up to date (${said[0]!.total} migrations).\n`,
    stderr: "",
  })

  const unreachable = { DATABASE_URL: "postgres://vouch:hunter2@127.0.0.1:1/vouch" }
  const refused = await vouch(["migrate", "--wait", "1s"], unreachable)
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" })
  expect(refused.stderr).toMatch(
    /^Waiting up to 1 s for the database\nThe database does not respond\. DATABASE_URL: .*ECONNREFUSED.* --wait 60s/,
  )
  expect(refused.stderr).not.toContain("hunter2")
})

test("a server and a command refuse a database from before the first release", async () => {
  const { url } = await createEmptyDatabase()
  const sql = open(url, 1)
  await sql`create schema drizzle`
  await sql`create table drizzle.__drizzle_migrations as select 1 as id, 'x' as hash, 1::bigint as created_at`
  await sql.end()
  const env = { DATABASE_URL: url }
  const sentence = /The database was made by a version before 0\.1\.0, .* Start with an empty database: .*\.\n$/
  for (const args of [["migrate"], ["account", "list"]]) {
    const command = await vouch(args, env)
    expect(command).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringMatching(sentence) })
  }
  const server = await node(["server/main.ts"], env)
  expect(server).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(sentence) })
})

test.each([
  [{ SOLANA_RPC_URL: "devnet" }, "SOLANA_RPC_URL: must be an address such as https://api.devnet.solana.com"],
  [{ VOUCH_RATE_LIMTI: "5" }, "VOUCH_RATE_LIMTI: there is no such setting. Did you mean VOUCH_RATE_LIMIT?"],
  [
    { DATABASE_URL: "postgres://vouch:hunter2@127.0.0.1:1/vouch" },
    "DATABASE_URL: 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1. Nothing listens there: check the host, the port and that the database runs",
  ],
  [
    { DATABASE_URL: "postgres://vouch:hunter2@nowhere.invalid/vouch" },
    /DATABASE_URL: nowhere.invalid:5432: .*nowhere.invalid/,
  ],
  [
    { DATABASE_URL: "postgres://vouch:hunter2@db.example.com/vouch?sslmod=require" },
    /DATABASE_URL: does not know the parameter sslmod. Did you mean sslmode\?/,
  ],
])("a server and a command that cannot start with %j say which setting is wrong", async (environment, sentence) => {
  const [server, command] = [await node(["server/main.ts"], environment), await vouch(["account", "list"], environment)]
  expect(server).toMatchObject({ exitCode: 1, stdout: "" })
  expect(command).toMatchObject({ exitCode: 2, stdout: "" })
  for (const { stderr } of [server, command]) {
    expect(stderr).toMatch(/^Vouch cannot start|^DATABASE_URL: /)
    if (typeof sentence === "string") expect(stderr).toContain(sentence)
    else expect(stderr).toMatch(sentence)
    expect(stderr).not.toContain("hunter2")
  }
})

test("a key goes to the only account, or to the named one; a new account is created only with --create", async () => {
  const env = { DATABASE_URL: (await createTestDatabase()).url }
  const key = ["key", "create", "--mode", "test"]
  const none = await vouch(key, env)
  expect(none).toMatchObject({ exitCode: 2, stdout: "" })
  expect(none.stderr).toContain('There is no account yet. Create one with "vouch account create".')
  const first = await vouch([...key, "--account", "My company", "--create", "--json"], env)
  const { account_id } = JSON.parse(first.stdout)
  const missing = await vouch([...key, "--account", "acme"], env)
  expect(missing).toMatchObject({ exitCode: 2, stdout: "" })
  expect(missing.stderr).toContain('--account: no account is named "acme". Accounts: "My company".')
  expect(JSON.parse((await vouch([...key, "--json"], env)).stdout)).toMatchObject({ account_id })
  await vouch([...key, "--account", "acme", "--create"], env)
  const which = await vouch(key, env)
  expect(which).toMatchObject({ exitCode: 2, stdout: "" })
  expect(which.stderr).toContain("--account: say which account. Accounts: ")
})
