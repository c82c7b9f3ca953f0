import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { open } from "#db/client.ts"
import { migrate } from "#db/migrate.ts"
import { isId } from "#server/lib/ids.ts"
import { createEmptyDatabase } from "#test/fixtures/database.ts"
import { previousRelease, unpack } from "#test/fixtures/releases.ts"

// A database of the last release, after this version has migrated it.

let folder: string
let sql: ReturnType<typeof open>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vouch-release-"))
  unpack(previousRelease(), join(folder, "release"))
  const url = await releasedDatabase()
  sql = open(url, 1)
  await sql`insert into accounts (id, name, plan, created_at) values ('acct_1', 'Fund', 'free', now())`
  await sql`
    insert into workspaces (id, account_id, mode, authority, created_at)
    values ('ws_1', 'acct_1', 'live', 'authority', now()), ('ws_2', 'acct_1', 'test', 'authority', now())`
  await sql`insert into accounts (id, name, plan, four_eyes, created_at) values ('acct_2', 'Bank', 'free', true, now())`
  await sql`
    insert into workspaces (id, account_id, mode, authority, created_at)
    values ('ws_3', 'acct_2', 'live', 'authority', now()), ('ws_4', 'acct_2', 'test', 'authority', now())`
  await createKey("key_member", { workspace: "ws_1", actor: "user", by: "user_alice" })
  await createKey("key_operator", { workspace: "ws_1", actor: "operator", by: null })
  await createKey("key_forgotten", { workspace: "ws_1", actor: null, by: null })
  await createKey("key_other", { workspace: "ws_2", actor: "user", by: "user_bob" })
  await createTokens()
  await sql`
    insert into schemas (workspace_id, id, name, validity_days, created_at) values ('ws_1', 'kyc', 'KYC', 365, now())`
  await sql`
    insert into mint_configs (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, created_at)
    values ('ws_1', 'fund', 'Fund', 'F', 0, 'kyc', 'agent', '{}', now())`
  await moved("op_1", "mint", null, "ann", "5", "2025-01-01")
  await moved("op_2", "mint", null, "ann", "5", "2025-02-01")
  await moved("op_3", "transfer", "ann", "bob", "7", "2025-03-01")
  await moved("op_4", "mint", null, "ann", "4", "2025-04-01")
  await holds("ann", "7")
  await holds("bob", "9")
  await holds("cyd", "2")
  await holds("dan", "-3")
  await migrate(url)
})
afterAll(async () => {
  await sql.end()
  rmSync(folder, { recursive: true })
})

/** The address of an empty database of the last release. */
async function releasedDatabase(): Promise<string> {
  const { url } = await createEmptyDatabase()
  const script = `const { migrate } = await import("./db/migrate.ts"); await migrate(${JSON.stringify(url)})`
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: join(folder, "release") })
  return url
}

/** A movement that 0.1.0 has confirmed. */
async function moved(id: string, kind: string, from: string | null, to: string, amount: string, day: string) {
  await sql`
    insert into operations (workspace_id, id, kind, status, mint_config, from_wallet, wallet, payload, writes, reads,
      created_at, finished_at)
    values ('ws_1', ${id}, ${kind}, 'confirmed', 'fund', ${from}, ${to}, ${sql.json({ amount })}, '{}', '{}',
      ${`${day}T00:00:00Z`}, ${`${day}T00:00:05Z`})`
}

/** A balance as 0.1.0 writes it. */
const holds = (wallet: string, balance: string) => sql`
  insert into holdings (workspace_id, mint_config, wallet, balance) values ('ws_1', 'fund', ${wallet}, ${balance})`

const lotsOf = async (wallet: string) =>
  (
    await sql`
    select units, acquired_at, exemption, operation_id from lots
    where workspace_id = 'ws_1' and wallet = ${wallet} order by acquired_at, seq`
  ).map(({ units, acquired_at, operation_id }) => [
    units,
    acquired_at?.toISOString().slice(0, 10) ?? null,
    operation_id,
  ])

type Created = { workspace: string; actor: "user" | "operator" | null; by: string | null }

/** Creates a key with the statements of 0.1.0. */
async function createKey(id: string, { workspace, actor, by }: Created) {
  await sql`
    insert into api_keys (workspace_id, id, name, scopes, expires_at, created_at)
    values (${workspace}, ${id}, ${id}, '{}', null, now())`
  await addSecret(id, workspace, by)
  if (actor === null) return
  await sql`
    insert into audit_entries (account_id, workspace_id, at, actor, actor_id, actor_name, action, subject, detail)
    values ('acct_1', ${workspace}, now(), ${actor}, ${by}, 'Someone', 'key.created', ${id}, '{}')`
}

const addSecret = (id: string, workspace: string, by: string | null) => sql`
  insert into key_secrets (hash, workspace_id, key_id, start, created_at, shown_to)
  values (decode(md5(random()::text), 'hex'), ${workspace}, ${id}, 'vouch', now(), ${by})`

/** A token in each mode of 0.1.0: a mint of 10 and a transfer of 4, one of them archived, and a mint that failed. */
async function createTokens() {
  await sql`
    insert into schemas (workspace_id, id, name, validity_days, created_at)
    values ('ws_2', 'kyc', 'KYC', 365, now()) on conflict do nothing`
  for (const [id, mode] of [
    ["agent_fund", "agent"],
    ["holder_fund", "holder"],
  ] as const)
    await sql`
      insert into mint_configs (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, created_at)
      values ('ws_2', ${id}, ${id}, 'FUND', 0, 'kyc', ${mode}, '{}', '2026-01-01T00:00:00Z')`
  await operate("op_1", "archived_operations", { kind: "mint", to: "alice", amount: 10 })
  await operate("op_2", "operations", { kind: "transfer", to: "bob", from: "alice", amount: 4 })
  await operate("op_3", "operations", { kind: "mint", to: "bob", amount: 7, status: "failed" })
  await sql`
    insert into holdings (workspace_id, mint_config, wallet, balance)
    values ('ws_2', 'agent_fund', 'alice', 6), ('ws_2', 'agent_fund', 'bob', 4), ('ws_2', 'agent_fund', 'carol', 0),
      ('ws_2', 'holder_fund', 'dave', 3)`
}

type Operated = { kind: string; to: string; from?: string; amount: number; status?: string }

/** An operation that 0.1.0 has ended, and its transaction. */
async function operate(id: string, table: string, about: Operated) {
  const { kind, to, from = null, amount, status = "confirmed" } = about
  const payload = { mint_config: "agent_fund", wallet: to, from_wallet: from, amount: String(amount) }
  await sql`
    insert into ${sql(table)} (workspace_id, id, seq, kind, status, payload, writes, reads, mint_config, wallet, from_wallet,
      signature, created_at, finished_at) overriding system value
    values ('ws_2', ${id}, ${Number(id.slice(3))}, ${kind}, ${status}, ${sql.json(payload)}, '{}', '{}', 'agent_fund', ${to}, ${from},
      ${`signature of ${id}`}, now(), now())`
}

const creatorOf = async (id: string) => (await sql`select created_by from api_keys where id = ${id}`)[0]!.created_by

test("a key's creator is read from the audit log, and unknown without a member in it", async () => {
  expect(await creatorOf("key_member")).toBe("user_alice")
  expect(await creatorOf("key_other")).toBe("user_bob")
  expect(await creatorOf("key_operator")).toBeNull()
  expect(await creatorOf("key_forgotten")).toBeNull()
})

test("four eyes become a policy of both workspaces, and 0.1.0 still finds its setting", async () => {
  const policies = await sql`
    select workspace_id, id, version, actions, mint_config, min_amount, approvals, roles, expires_in_hours
    from approval_policies order by workspace_id`
  const policy = {
    version: 1,
    actions: ["attestation_revoke", "erase", "review_decision", "session_cancel"],
    ...{ mint_config: null, min_amount: null, approvals: 1, roles: ["compliance", "owner"], expires_in_hours: 72 },
  }
  expect(policies).toMatchObject(["ws_3", "ws_4"].map((workspace_id) => ({ workspace_id, ...policy })))
  for (const { id } of policies) expect(isId("apol", id)).toBe(true)
  expect(await sql`select four_eyes from accounts order by id`).toEqual([{ four_eyes: false }, { four_eyes: true }])
})

test("keys that 0.1.0 creates and rotates during an upgrade keep their creator", async () => {
  await createKey("key_late", { workspace: "ws_1", actor: "user", by: "user_alice" })
  expect(await creatorOf("key_late")).toBe("user_alice")
  await addSecret("key_late", "ws_1", "user_bob")
  expect(await creatorOf("key_late")).toBe("user_alice")
  // The command line's key does not become that of the member who rotates it.
  await addSecret("key_operator", "ws_1", "user_bob")
  expect(await creatorOf("key_operator")).toBeNull()
})

const booksOf = (config: string, wallet: string) => sql`
  select seq::int, delta::int, balance::int, operation_id, landed_at is not null as is_dated from postings
  where workspace_id = 'ws_2' and mint_config = ${config} and wallet = ${wallet} order by seq`

test("the books of existing tokens begin with their operations, and postings add up to the holdings", async () => {
  expect(await booksOf("agent_fund", "alice")).toEqual([
    { seq: 1, delta: 10, balance: 10, operation_id: "op_1", is_dated: false },
    { seq: 2, delta: -4, balance: 6, operation_id: "op_2", is_dated: false },
  ])
  expect(await booksOf("agent_fund", "bob")).toEqual([
    { seq: 1, delta: 4, balance: 4, operation_id: "op_2", is_dated: false },
  ])
  expect(await booksOf("agent_fund", "carol")).toEqual([])
  // What holders moved themselves has no operation.
  expect(await booksOf("holder_fund", "dave")).toEqual([
    { seq: 1, delta: 3, balance: 3, operation_id: null, is_dated: true },
  ])
  // What they moved before is not known, so it is not read either.
  const periods = await sql`select mint_config, until, lost_at = since as is_lost from holder_periods`
  expect(periods).toEqual([{ mint_config: "holder_fund", until: null, is_lost: true }])
})

test("what 0.1.0 settles during an upgrade is posted, and a dated posting never changes", async () => {
  const where = sql`where workspace_id = 'ws_2' and mint_config = 'agent_fund' and wallet = 'carol'`
  await sql`update holdings set incoming = 5 ${where}`
  expect(await booksOf("agent_fund", "carol")).toEqual([])
  await sql`update holdings set balance = balance + 5, incoming = 0 ${where}`
  await sql`update holdings set balance = balance - 2 ${where}`
  const posted = { operation_id: null, is_dated: true }
  expect(await booksOf("agent_fund", "carol")).toEqual([
    { seq: 1, delta: 5, balance: 5, ...posted },
    { seq: 2, delta: -2, balance: 3, ...posted },
  ])
  await expect(sql`update postings set landed_at = now() ${where}`).rejects.toThrow("append-only")
  await expect(sql`delete from postings ${where}`).rejects.toThrow("append-only")
  await expect(sql`truncate postings`).rejects.toThrow("append-only")
  const bob = sql`where workspace_id = 'ws_2' and mint_config = 'agent_fund' and wallet = 'bob'`
  await expect(sql`update postings set delta = 5 ${bob}`).rejects.toThrow("append-only")
  await sql`update postings set slot = 7, landed_at = now() ${bob}`
  await expect(sql`update postings set slot = 8 ${bob}`).rejects.toThrow("append-only")
})

test("balances become lots, with the dates that first-in first-out gives them", async () => {
  expect(await lotsOf("ann")).toEqual([
    ["3", "2025-02-01", "op_2"],
    ["4", "2025-04-01", "op_4"],
  ])
  // What came in past Vouch has the date of the wallet's oldest operation.
  expect(await lotsOf("bob")).toEqual([
    ["7", "2025-03-01", "op_3"],
    ["2", "2025-03-01", null],
  ])
  expect(await lotsOf("cyd")).toEqual([["2", null, null]])
  expect(await lotsOf("dan")).toEqual([])
  const ids = await sql`select id from lots`
  for (const { id } of ids) expect(isId("lot", id)).toBe(true)
})

test("lots follow what 0.1.0 changes during an upgrade", async () => {
  const today = new Date().toISOString().slice(0, 10)
  const set = (wallet: string, balance: string) =>
    sql`update holdings set balance = ${balance} where workspace_id = 'ws_1' and wallet = ${wallet}`
  await set("ann", "12")
  expect(await lotsOf("ann")).toEqual([
    ["3", "2025-02-01", "op_2"],
    ["4", "2025-04-01", "op_4"],
    ["5", today, null],
  ])
  await set("ann", "8")
  expect(await lotsOf("ann")).toEqual([
    ["3", "2025-04-01", "op_4"],
    ["5", today, null],
  ])
  await set("ann", "-4")
  expect(await lotsOf("ann")).toEqual([])
  await holds("eve", "6")
  expect(await lotsOf("eve")).toEqual([["6", today, null]])
  const rows = await sql`select wallet from holdings where lotted <> greatest(balance, 0)`
  expect(rows).toEqual([])
})

test("requests continue while a long transaction, such as a backup's, keeps a migration waiting", async () => {
  const url = await releasedDatabase()
  const [backup, requests] = [open(url, 1), open(url, 1)]
  try {
    let migrated: Promise<unknown> | undefined
    await backup.begin(async (tx) => {
      await tx`select from attestations`
      migrated = migrate(url)
      // Longer than the migration waits for the table.
      for (let n = 0; n < 30; n++) {
        await requests`insert into accounts (id, name, plan, created_at) values (${`acct_${n}`}, ${`Fund ${n}`}, 'free', now())`
        await requests`delete from attestations where id = 'att_none'`
        await sleep(50)
      }
    })
    expect(await migrated).toMatchObject({ applied: expect.any(Number) })
    await requests`select opened_at from attestations`
  } finally {
    await Promise.all([backup.end(), requests.end()])
  }
})
