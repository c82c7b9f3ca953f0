import { randomBytes } from "node:crypto"
import { beforeAll, expect, test } from "vitest"
import { open } from "#db/client.ts"
import { createEmptyDatabase, createTestDatabase } from "#test/fixtures/database.ts"
import { commandSettings, runCommandHere, runNode } from "#test/fixtures/vouch-command.ts"

const settings = { ...commandSettings(), VOUCH_SIGNER: randomBytes(32).toString("base64") }
let databaseUrl: string

beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).url
})

type Environment = Record<string, string>

const vouch = (args: string[], environment?: Environment) =>
  runCommandHere(args, { ...settings, DATABASE_URL: databaseUrl, ...environment })
const node = (args: string[], environment?: Environment) =>
  runNode(args, { ...settings, DATABASE_URL: databaseUrl, ...environment })
const vouchProcess = (args: string[], environment?: Environment) => node(["server/cli.ts", ...args], environment)

test("migrate reports what it did, needs no secret, can run twice at once, and waits for a database as long as asked", async () => {
  const { url } = await createTestDatabase()
  const env = { DATABASE_URL: url, VOUCH_PUBLIC_URL: "https://vouch.example.com" }
  const sql = open(url, 1)
  await sql`drop schema public cascade`
  await sql`drop schema drizzle cascade`
  await sql`create schema public`
  const both = await Promise.all([1, 2].map(() => vouchProcess(["migrate", "--json"], env)))
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
  const sentence = /The database was created by a version before 0\.1\.0, .* Start with an empty database: .*\.\n$/
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
    /DATABASE_URL: has the unknown parameter sslmod. Did you mean sslmode\?/,
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
