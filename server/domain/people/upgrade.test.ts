import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import postgres from "postgres"
import { expect, inject, test } from "vitest"
import { socketOptions } from "#db/socket.ts"

const folder = new URL("../../../db/migrations/", import.meta.url)

/** An empty database of this run's server. */
async function emptyDatabase(): Promise<postgres.Sql> {
  const url = new URL(inject("postgresUrl"))
  const admin = postgres(url.href, { ...socketOptions(url.href), max: 1 })
  url.pathname = `/upgrade_${randomBytes(6).toString("hex")}`
  await admin`create database ${admin(url.pathname.slice(1))}`
  await admin.end()
  return postgres(url.href, { ...socketOptions(url.href), max: 1, onnotice: () => {} })
}

test("a database of before knows who saw which secret, has no reset in clear, and takes nobody's word for an address", async () => {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
  const people = files.findIndex((name) => name.endsWith("_people.sql"))
  const sql = await emptyDatabase()
  const apply = async (names: string[]) => {
    for (const name of names) await sql.unsafe(readFileSync(new URL(name, folder), "utf8"))
  }
  try {
    await apply(files.slice(0, people))
    await sql`insert into accounts values ('acct_1', 'A', 'free', 500, now())`
    await sql`insert into workspaces (id, account_id, mode, created_at) values ('ws_1', 'acct_1', 'test', now())`
    await sql`insert into users (id, name, email, email_verified, created_at, updated_at) values ('u', 'Eve', 'e@x.com', true, now(), now())`
    await sql`
      insert into api_keys (workspace_id, id, name, scopes, created_at)
      select 'ws_1', id, id, '{}', now() from unnest(array['key_hers', 'key_cli', 'key_rotated']) id`
    await sql`
      insert into key_secrets (hash, workspace_id, key_id, start, created_at)
      select (key_id || minute)::bytea, 'ws_1', key_id, 'vouch', now() - minute * interval '1 minute'
      from (values ('key_hers', 9), ('key_cli', 9), ('key_rotated', 9), ('key_rotated', 5)) s (key_id, minute)`
    // An entry is written a moment after what it describes.
    await sql`
      insert into audit_entries (account_id, workspace_id, at, actor, actor_id, actor_name, action, subject, detail)
      select 'acct_1', 'ws_1', now() - minute * interval '1 minute' + interval '1 second', actor, id, 'x', action, key_id, '{}'
      from (values ('key_hers', 9, 'user', 'u', 'key.created'), ('key_cli', 9, 'operator', null, 'key.created'),
        ('key_rotated', 9, 'operator', null, 'key.created'), ('key_rotated', 5, 'user', 'u', 'key.rotated'))
        e (key_id, minute, actor, id, action)`
    await sql`
      insert into user_verifications (id, identifier, value, expires_at, created_at, updated_at)
      values ('1', 'reset-password:clear', 'u', now(), now(), now()), ('2', '2fa-x', 'u', now(), now(), now())`

    await apply(files.slice(people))
    const seen =
      await sql`select convert_from(hash, 'utf8') as secret, shown_to from key_secrets order by secret`
    expect(seen.map(({ secret, shown_to }) => [secret, shown_to])).toEqual([
      ["key_cli9", null],
      ["key_hers9", "u"],
      ["key_rotated5", "u"],
      ["key_rotated9", null],
    ])
    expect((await sql`select identifier from user_verifications`).map((row) => row.identifier)).toEqual([
      "2fa-x",
    ])
    expect(await sql`select email_verified from users`).toEqual([{ email_verified: false }])
  } finally {
    await sql.end()
  }
})
