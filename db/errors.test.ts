import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type postgres from "postgres"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "#test/fixtures/database.ts"
import { openClient, type Types } from "./connection.ts"
import { codes, isDatabaseUnavailable, isEndOfSession, isLocked, isLockOf } from "./errors.ts"

let sql: postgres.Sql<Types>

beforeAll(async () => {
  sql = openClient((await createTestDatabase()).url, { max: 2 })
})
afterAll(() => sql.end({ timeout: 1 }))

/** The database's own error for that condition. */
const raised = (condition: string): Promise<unknown> =>
  sql
    .unsafe(`do $$ begin raise exception using errcode = '${condition}'; end $$`)
    .then(() => null)
    .catch((error: unknown) => error)

test.each(Object.entries(codes))("the database has the same name and code for %s: %s", async (name, code) => {
  expect(await raised(name)).toMatchObject({ code })
})

test.each([
  ["lock_not_available", { unavailable: true, locked: true, ended: false }],
  ["query_canceled", { unavailable: true, locked: true, ended: false }],
  ["deadlock_detected", { unavailable: true, locked: false, ended: false }],
  ["invalid_catalog_name", { unavailable: true, locked: false, ended: false }],
  ["object_not_in_prerequisite_state", { unavailable: true, locked: false, ended: false }],
  ["disk_full", { unavailable: true, locked: false, ended: false }],
  ["read_only_sql_transaction", { unavailable: true, locked: false, ended: true }],
  ["admin_shutdown", { unavailable: true, locked: false, ended: true }],
  ["idle_in_transaction_session_timeout", { unavailable: true, locked: false, ended: true }],
  ["in_failed_sql_transaction", { unavailable: false, locked: false, ended: false }],
  ["unique_violation", { unavailable: false, locked: false, ended: false }],
  ["undefined_column", { unavailable: false, locked: false, ended: false }],
])("%s is classified: %o", async (name, { unavailable, locked, ended }) => {
  const error = await raised(name)
  expect([isDatabaseUnavailable(error), isLocked(error), isEndOfSession(error)]).toEqual([unavailable, locked, ended])
})

test("a lost connection counts as unavailable, and other errors do not", () => {
  for (const code of ["CONNECTION_LOST", "POOL_EXHAUSTED", "ECONNREFUSED"])
    expect(isDatabaseUnavailable({ code })).toBe(true)
  for (const other of [null, undefined, new Error("57P01"), { code: 57 }, { code: "" }])
    expect(isDatabaseUnavailable(other)).toBe(false)
})

test("a missing socket counts as unavailable, a missing file does not", async () => {
  const missing = join(tmpdir(), "vouch-no-such-file")
  const [error] = await once(connect(missing), "error")
  expect(error.code).toBe("ENOENT")
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(isDatabaseUnavailable(await readFile(missing).catch((why: unknown) => why))).toBe(false)
})

test("a lock error names the table", async () => {
  await sql`create table shelves (id int primary key)`
  await sql`insert into shelves values (1)`
  const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holder = sql.begin(async (tx) => {
    await tx`select from shelves for update`
    locked.resolve()
    await over.promise
  })
  await locked.promise
  const error = await sql
    .begin(async (tx) => {
      await tx`set local lock_timeout = 10`
      await tx`update shelves set id = 2`
    })
    .catch((error: unknown) => error)
  over.resolve()
  await holder
  expect([isLockOf(error, "shelves"), isLockOf(error, "other")]).toEqual([true, false])
})
