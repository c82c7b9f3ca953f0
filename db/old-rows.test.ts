import { randomBytes } from "node:crypto"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { drizzle } from "drizzle-orm/postgres-js"
import { migrate as migrateWith } from "drizzle-orm/postgres-js/migrator"
import postgres from "postgres"
import { afterEach, beforeEach, expect, inject, test } from "vitest"
import { migrate } from "./migrate.ts"
import { socketOptions } from "./socket.ts"

// What migrations make of rows that were there before them.

let name: string
let admin: postgres.Sql
let sql: postgres.Sql
let url: string

beforeEach(async () => {
  const serverUrl = inject("postgresUrl")
  name = `before_${randomBytes(6).toString("hex")}`
  admin = postgres(serverUrl, { ...socketOptions(serverUrl), max: 1 })
  await admin`create database ${admin(name)}`
  url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
  sql = postgres(url, { ...socketOptions(url), max: 1 })
})
afterEach(async () => {
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

async function insertWorkspaces(): Promise<void> {
  await sql`insert into accounts (id, name, plan, included, created_at) values ('acct_1', 'a', 'free', 500, now())`
  await sql`
    insert into workspaces (id, account_id, mode, created_at)
    values ('ws_1', 'acct_1', 'test', now()), ('ws_2', 'acct_1', 'live', now())`
  await sql`
    insert into schemas (workspace_id, id, name, validity_days, created_at)
    select id, 'kyc_individual_v1', 'Individual', 365, now() from workspaces`
}

test("reasons in words leave the audit log, stay with their attestations, and the audit log is closed again", async () => {
  await migrateUpTo("_reasons")
  await insertWorkspaces()
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

test("every attestation gets its investor: by the customer's own id, else by its wallet, in each workspace apart", async () => {
  await migrateUpTo("_investors")
  await insertWorkspaces()
  const rows: [workspace: string, wallet: string, externalId: string | null][] = [
    ["ws_1", "alone", null],
    ["ws_1", "alone", null],
    ["ws_1", "ann-1", "ann"],
    ["ws_1", "ann-2", "ann"],
    // Named once: what it did before and after is theirs.
    ["ws_1", "ann-3", null],
    ["ws_1", "ann-3", "ann"],
    ["ws_1", "ann-3", null],
    // Named twice: what has no name is the last one's.
    ["ws_1", "moved", "ben"],
    ["ws_1", "moved", null],
    ["ws_1", "moved", "cleo"],
    ["ws_2", "ann-1", "ann"],
    ["ws_2", "alone", null],
  ]
  for (const [n, [workspace, wallet, externalId]] of rows.entries()) {
    await sql`
      insert into attestations (workspace_id, id, schema_id, wallet, external_id, status, period, created_at, session_id,
        provider)
      values (${workspace}, ${`att_${n}`}, 'kyc_individual_v1', ${wallet}, ${externalId}, 'expired', '2026-01-01',
        ${new Date(Date.UTC(2026, 0, 1, n)).toISOString()}, ${`sess_${n}`}, 'sandbox')`
  }

  await migrate(url)

  const owned = await sql<
    { workspace_id: string; seq: string; investor_id: string; of: string; at: string }[]
  >`
    select a.workspace_id, a.seq, a.investor_id, coalesce(i.external_id, 'wallet ' || i.wallet) as of, i.created_at at time zone 'UTC' as at
    from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id order by a.seq`
  expect(owned.map((row) => row.of)).toEqual([
    ...["wallet alone", "wallet alone", "ann", "ann", "ann", "ann", "ann", "ben", "cleo", "cleo"],
    ...["ann", "wallet alone"],
  ])
  expect(new Set(owned.map((row) => row.investor_id)).size).toBe(6)
  for (const { investor_id } of owned) expect(investor_id).toMatch(/^inv_[1-9A-HJ-NP-Za-km-z]{16,22}$/)
  // Since when each is known.
  expect(owned[3]!.at).toBe("2026-01-01 02:00:00")
  const [{ n }] = (await sql`select count(*)::int as n from investors`) as unknown as [{ n: number }]
  expect(n).toBe(6)
})

test("a month that has begun counts what is used as started, and an older process goes on beside it", async () => {
  await migrateUpTo("_session_starts")
  await insertWorkspaces()
  await sql`insert into usage_periods (workspace_id, period, used) values ('ws_1', '2026-01-01', 400)`

  await migrate(url)

  // As it writes a month that is new.
  await sql`insert into usage_periods (workspace_id, period, used) values ('ws_2', '2026-01-01', 1)`
  expect([...(await sql`select used, started::int from usage_periods order by workspace_id`)]).toEqual([
    { used: 400, started: 400 },
    { used: 1, started: 0 },
  ])
})
