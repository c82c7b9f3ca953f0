import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { open } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { createEmptyDatabase, createTestDatabase } from "#test/fixtures/database.ts"
import { git, lastTag } from "#test/fixtures/releases.ts"

const root = join(import.meta.dirname, "..")

let url: string
let sql: ReturnType<typeof open>

beforeEach(async () => {
  url = (await createTestDatabase()).url
  sql = open(url, 1)
})
afterEach(() => sql.end())

const bodyOf = async (name: string): Promise<string> =>
  (await sql<{ body: string }[]>`select prosrc as body from pg_proc where proname = ${name}`)[0]!.body

/** Replaces the body of a function, as another version with a different file would. */
async function changeFunction(name: string, file: string): Promise<void> {
  await sql.unsafe(`create or replace function ${name}() returns trigger language plpgsql as 'begin return null; end'`)
  await sql`update drizzle.functions set hash = 'other' where file = ${file}`
}

test("an empty database gets everything, and a second run changes nothing", async () => {
  const empty = await createEmptyDatabase()
  const first = await migrate(empty.url)
  expect(first.applied).toBe(first.total)
  expect(first.functions).toBeGreaterThan(1)
  expect(await migrate(empty.url)).toEqual({ applied: 0, functions: 0, total: first.total })
})

const hasWordIndex = async (client: ReturnType<typeof open>): Promise<boolean> =>
  (await client`select from pg_indexes where indexname = 'investors_external_id_words'`).length > 0

test("words of external ids have an index, also where pg_trgm is in another schema", async () => {
  expect(await hasWordIndex(sql)).toBe(true)
  const empty = await createEmptyDatabase()
  const own = open(empty.url, 1)
  try {
    await own`create schema extensions`
    await own`create extension pg_trgm schema extensions`
    await migrate(empty.url)
    expect(await hasWordIndex(own)).toBe(true)
  } finally {
    await own.end()
  }
})

test("a role that may create no extension migrates all the same, without that index", async () => {
  const empty = await createEmptyDatabase()
  const own = open(empty.url, 1)
  const name = new URL(empty.url).pathname.slice(1)
  try {
    await own.unsafe(`create role "${name}" login password 'secret'`)
    await own.unsafe(`alter schema public owner to "${name}"; create schema drizzle authorization "${name}"`)
    const limited = new URL(empty.url)
    limited.username = name
    limited.password = "secret"
    const { applied, total } = await migrate(limited.href)
    expect(applied).toBe(total)
    expect(await hasWordIndex(own)).toBe(false)
    const search = own`select id from investors where lower(external_id) like '%emma%'`
    expect(await search).toEqual([])
  } finally {
    await own.end()
    await empty.drop()
    await sql.unsafe(`drop role if exists "${name}"`)
  }
})

test("only a changed function file is applied again", async () => {
  const body = await bodyOf("refuse_change")
  await changeFunction("refuse_change", "audit-trail.sql")
  expect(await bodyOf("refuse_change")).not.toBe(body)
  expect(await migrate(url)).toMatchObject({ applied: 0, functions: 1 })
  expect(await bodyOf("refuse_change")).toBe(body)
})

test("a function that cannot be applied leaves the database unchanged", async () => {
  await changeFunction("refuse_change", "audit-trail.sql")
  const body = await bodyOf("refuse_change")
  await sql`drop function event_time`
  await sql`create function event_time(timestamptz) returns int language sql as 'select 1'`
  await sql`update drizzle.functions set hash = 'other' where file = 'events.sql'`
  await expect(migrate(url)).rejects.toThrow("cannot change return type")
  expect(await bodyOf("refuse_change")).toBe(body)
})

test("an older version leaves the functions of a newer one alone", async () => {
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.now() + 1e9})`
  await changeFunction("refuse_change", "audit-trail.sql")
  const body = await bodyOf("refuse_change")
  expect(await migrate(url)).toMatchObject({ applied: 0, functions: 0 })
  expect(await bodyOf("refuse_change")).toBe(body)
})

test("a database from before the first release is refused and stays unchanged", async () => {
  const empty = await createEmptyDatabase()
  const earlier = open(empty.url, 1)
  await earlier.unsafe(`
    create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('of 0057_change_counts.sql', 1795624688514)`)
  await expect(migrate(empty.url)).rejects.toThrow(
    /^The database was created by a version before 0\.1\.0, .*Start with an empty database/,
  )
  expect([...(await earlier`select relname from pg_class where relkind = 'r' and relnamespace >= 16384`)]).toEqual([
    { relname: "__drizzle_migrations" },
  ])
  expect((await earlier`select count(*)::int as n from drizzle.__drizzle_migrations`)[0]).toEqual({ n: 1 })
  await earlier.end()
})

test("the migrations create everything that db/schema declares", () => {
  const copy = mkdtempSync(join(tmpdir(), "vouch-migrations-"))
  try {
    cpSync(join(root, "db/migrations"), copy, { recursive: true })
    const from = ["--dialect", "postgresql", "--schema", "./db/schema/index.ts", "--out", relative(root, copy)]
    const said = execFileSync(join(root, "node_modules/.bin/drizzle-kit"), ["generate", ...from], {
      cwd: root,
    })
    expect(said.toString()).toContain("No schema changes")
  } finally {
    rmSync(copy, { recursive: true })
  }
}, 60_000)

const tag = lastTag()

// Otherwise, a process of the last release that restarts during an upgrade would restore its own functions.
test.skipIf(tag === null)("functions that differ from the last release come with a migration", () => {
  const changed = git(["diff", "--name-only", tag!, "--", "db/functions"]).toString()
  const added = git(["diff", "--name-only", "--diff-filter=A", tag!, "--", "db/migrations/*.sql"]).toString()
  if (changed !== "") expect(added, "npm run db:generate -- --custom --name <what changed>").not.toBe("")
})
