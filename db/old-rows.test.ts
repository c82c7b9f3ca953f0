import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { drizzle } from "drizzle-orm/postgres-js"
import { migrate as migrateWith } from "drizzle-orm/postgres-js/migrator"
import postgres from "postgres"
import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { migrate } from "./migrate.ts"
import { socketOptions } from "./socket.ts"

// What migrations make of rows that were there before them.

const name = `before_${Date.now().toString(36)}`
let admin: postgres.Sql
let sql: postgres.Sql
let url: string

beforeAll(async () => {
  const serverUrl = inject("postgresUrl")
  admin = postgres(serverUrl, { ...socketOptions(serverUrl), max: 1 })
  await admin`create database ${admin(name)}`
  url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
  sql = postgres(url, { ...socketOptions(url), max: 1 })
})
afterAll(async () => {
  await sql.end()
  await admin`drop database ${admin(name)} with (force)`
  await admin.end()
})

/** Brings the database to where it was before a migration. */
async function migrateUpTo(tag: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "migrations-"))
  cpSync(fileURLToPath(new URL("./migrations", import.meta.url)), folder, { recursive: true })
  const file = join(folder, "meta/_journal.json")
  const journal = JSON.parse(readFileSync(file, "utf8"))
  const end = journal.entries.findIndex((entry: { tag: string }) => entry.tag.endsWith(tag))
  expect(end).toBeGreaterThan(0)
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }))
  await migrateWith(drizzle(sql), { migrationsFolder: folder })
  rmSync(folder, { recursive: true })
}

test("reasons in words leave the audit trail, stay with their attestations, and the trail is closed again", async () => {
  await migrateUpTo("_reasons")
  await sql`insert into accounts (id, name, plan, included, created_at) values ('acct_1', 'a', 'free', 500, now())`
  await sql`insert into workspaces (id, account_id, mode, created_at) values ('ws_1', 'acct_1', 'test', now())`
  await sql`
    insert into schemas (workspace_id, id, name, validity_days, created_at)
    values ('ws_1', 'kyc_individual_v1', 'Individual', 365, now())`
  await sql`
    insert into attestations (workspace_id, id, schema_id, wallet, status, period, created_at, session_id, provider,
      reason, revoked_at)
    values ('ws_1', 'att_1', 'kyc_individual_v1', 'w', 'rejected', '2026-01-01', now(), 'sess_1', 'sandbox',
      'OFAC SDN, SAR filed', now())`
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_name, action, subject, detail)
    values
      ('acct_1', 'ws_1', now(), 'operator', 'x', 'attestation.revoked', 'att_1',
        '{"was": "verified", "reason": "OFAC SDN, SAR filed"}'),
      ('acct_1', 'ws_1', now(), 'operator', 'x', 'key.revoked', 'key_1', '{"name": "reason"}')`

  await migrate(url)

  expect([...(await sql`select action, detail from audit_entries order by seq`)]).toEqual([
    { action: "attestation.revoked", detail: { was: "verified" } },
    { action: "key.revoked", detail: { name: "reason" } },
  ])
  expect([...(await sql`select reason, public_reason from attestations`)]).toEqual([
    { reason: "OFAC SDN, SAR filed", public_reason: null },
  ])
  await expect(sql`update audit_entries set detail = '{}'`).rejects.toThrow("append-only")
})
