import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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
  const release = unpack(previousRelease(), join(folder, "release"))
  const { url } = await createEmptyDatabase()
  const script = `const { migrate } = await import("./db/migrate.ts"); await migrate(${JSON.stringify(url)})`
  execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: release })
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
  await migrate(url)
})
afterAll(async () => {
  await sql.end()
  rmSync(folder, { recursive: true })
})

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
