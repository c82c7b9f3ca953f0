import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { clean } from "#server/start/retention.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_ROLE: "web" } })

test("ended rows are deleted, in any number and by the database's clock; working ones stay", async () => {
  const { browser, account } = await member(app)
  const { id } = (await browser.query("me.get")).data.user
  await browser.mutate("member.invite", { role: "viewer" })
  await sql`
    insert into user_sessions (id, token, user_id, expires_at, created_at, updated_at)
    select 'old ' || n, 'old ' || n, ${id}, now() - interval '1 second', now(), now() from generate_series(1, 11000) n`
  await sql`
    insert into user_verifications (id, identifier, value, expires_at, created_at, updated_at)
    select kind || n, kind || n, 'x', now() + ends::interval, now(), now()
    from (values ('old', '-1 second'), ('young', '1 minute')) v (kind, ends), generate_series(1, 6000) n
    where kind = 'old' or n = 1`
  await sql`
    insert into user_links (user_id, kind, token_hash, created_at, expires_at)
    values (${id}, 'reset', 'old', now(), now() - interval '1 second'), (${id}, 'confirm', 'young', now(), now() + interval '1 hour')`
  await sql`delete from auth_rate_limits`
  await sql`
    insert into auth_rate_limits (id, key, count, last_request)
    select age || 's', age || 's', 1, (extract(epoch from now()) - age) * 1000 from unnest(array[10, 3500, 3700, 90000]) age`
  await sql`
    insert into invitations (account_id, id, token_hash, role, created_at, expires_at, used_at)
    select ${account.id}, id, id::bytea, 'viewer', now(), now() + ends::interval, now() + used::interval
    from (values ('used long ago', '3 days', '-31 days'), ('expired long ago', '-31 days', null),
      ('used lately', '3 days', '-29 days'), ('expired lately', '-29 days', null)) v (id, ends, used)`
  // A process whose clock is a year ahead.
  await advanceClock({ days: 365 })
  await clean()
  await restoreClock()

  expect((await browser.query("me.get")).status).toBe(200)
  expect(await sql`select from user_sessions where id like 'old%'`).toHaveLength(0)
  expect((await sql`select id from user_verifications`).map((row) => row.id)).toEqual(["young1"])
  expect((await sql`select kind from user_links`).map((row) => row.kind)).toEqual(["confirm"])
  expect((await sql`select id from auth_rate_limits`).map((row) => row.id).sort()).toEqual(["10s", "3500s"])
  const ids = (await sql<{ id: string }[]>`select id from invitations where invited_by is null`).map(({ id }) => id)
  expect(ids.filter((id) => /ago|lately/.test(id)).sort()).toEqual(["expired lately", "used lately"])
  expect((await browser.query("member.list")).data.invitations).toHaveLength(1)
})
