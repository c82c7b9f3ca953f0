import postgres from "postgres"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { clock } from "#server/lib/time.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { moveClock } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { socketOptions } from "#test/fixtures/socket-options.ts"
import { revokeKey, rotateKey } from "./manage.ts"
import { listKeys } from "./read.ts"

let app: TestApp
/** Looks like another replica to the database. */
let replica: postgres.Sql
let now = Date.now()

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  replica = postgres(app.databaseUrl, { ...socketOptions(app.databaseUrl), max: 2 })
})
// Time moves only when a test moves it.
beforeEach(() => moveClock(() => new Date(now)))
afterAll(async () => {
  await replica.end()
  await app.stop()
})

const statusWith = async (apiKey: string) => {
  const { status, json } = await app.request({ method: "GET", path: "/usage", key: apiKey })
  return status === 200 ? 200 : (json.error as string)
}
// Revokes like the command line.
const revoke = (keyId: string) => revokeKey({ keyId, workspaceId: null })
const rotate = (keyId: string, graceSeconds: number) => rotateKey({ keyId, workspaceId: null, graceSeconds })
const later = (ms: number) => {
  now += ms
}

test("a revoked key stops working immediately, and revoking it again changes nothing", async () => {
  const key = await app.key()
  expect(await statusWith(key.apiKey)).toBe(200)
  await revoke(key.keyId)
  expect(await statusWith(key.apiKey)).toBe("invalid_api_key")
  const revokedAt = async () => (await sql`select revoked_at from api_keys where id = ${key.keyId}`)[0]!.revoked_at
  const first = await revokedAt()
  later(1000)
  await revoke(key.keyId)
  expect(await revokedAt()).toEqual(first)
  await expect(revoke("key_unknown")).rejects.toMatchObject({ code: "key_not_found" })
})

test("members can create at most 500 active keys in a workspace, even with simultaneous requests", async () => {
  const { browser, workspaceId } = await member(app)
  await sql`
    insert into api_keys (workspace_id, id, name, scopes, created_at, revoked_at, expires_at)
    select ${workspaceId}, 'key_' || n, 'one of many', '{}', now(), case when n = 0 then now() end,
      case when n = 1 then ${new Date(now)}::timestamptz end
    from generate_series(0, 500) n`
  const create = () => browser.mutate("key.create", { name: "new", scopes: ["kyc:read"] })
  const answers = await Promise.all(Array.from({ length: 4 }, create))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  const { error } = answers.find(({ status }) => status === 409)!
  expect(error).toMatchObject({
    error: "api_key_limit",
    detail: expect.stringContaining("VOUCH_MAX_API_KEYS"),
  })
  await revoke("key_2")
  expect((await create()).status).toBe(200)
})

test("a revocation is sent to every other replica and received from them", async () => {
  const heard: string[] = []
  await replica.listen("vouch", (payload) => heard.push(payload))
  const own = await app.key()
  await revoke(own.keyId)
  await waitFor(async () => heard.some((payload) => payload.endsWith(" keys")), "the notice to arrive")

  const remote = await app.key()
  expect(await statusWith(remote.apiKey)).toBe(200)
  await replica`update api_keys set revoked_at = now() where id = ${remote.keyId}`
  await replica.notify("vouch", "another-replica keys")
  await waitFor(async () => (await statusWith(remote.apiKey)) === "invalid_api_key", "the key to be refused")
})

test("a revoked key stops working within five seconds even if the notice is lost", async () => {
  const key = await app.key()
  expect(await statusWith(key.apiKey)).toBe(200)
  await replica`update api_keys set revoked_at = now() where id = ${key.keyId}`
  later(4999)
  expect(await statusWith(key.apiKey)).toBe("invalid_api_key")
})

test("constant use of a key does not extend how long it is cached", async () => {
  const key = await app.key()
  expect(await statusWith(key.apiKey)).toBe(200)
  await replica`update api_keys set revoked_at = now() where id = ${key.keyId}`
  for (let i = 0; i < 5; i++) {
    later(999)
    await statusWith(key.apiKey)
  }
  expect(await statusWith(key.apiKey)).toBe("invalid_api_key")
})

test("a rotated key keeps its id, and the old secret works until the grace period ends", async () => {
  const key = await app.key()
  expect(await statusWith(key.apiKey)).toBe(200)
  const next = await rotate(key.keyId, 60)
  expect(next).not.toBe(key.apiKey)
  later(59_000)
  expect([await statusWith(key.apiKey), await statusWith(next)]).toEqual([200, 200])
  later(1000)
  expect([await statusWith(key.apiKey), await statusWith(next)]).toEqual(["invalid_api_key", 200])
  const last = await rotate(key.keyId, 0)
  expect([await statusWith(next), await statusWith(last)]).toEqual(["invalid_api_key", 200])
  const secrets = await sql`select from key_secrets where key_id = ${key.keyId}`
  expect(secrets.length).toBeLessThanOrEqual(2)
  await revoke(key.keyId)
  expect(await statusWith(last)).toBe("invalid_api_key")
  await expect(rotate(key.keyId, 60)).rejects.toMatchObject({ code: "key_not_found" })
})

test("rotating twice does not lengthen the first grace period", async () => {
  const key = await app.key()
  const second = await rotate(key.keyId, 10)
  const third = await rotate(key.keyId, 3600)
  later(10_000)
  expect([await statusWith(key.apiKey), await statusWith(second), await statusWith(third)]).toEqual([
    "invalid_api_key",
    200,
    200,
  ])
})

test("a key expires on time even if it was just looked up", async () => {
  const key = await app.key({ expiresAt: new Date(clock.now().getTime() + 2000) })
  expect(await statusWith(key.apiKey)).toBe(200)
  later(1999)
  expect(await statusWith(key.apiKey)).toBe(200)
  later(1)
  expect(await statusWith(key.apiKey)).toBe("expired_api_key")
})

test("last_used_at is written on first use, and then at most once a minute", async () => {
  const key = await app.key()
  const read = async () =>
    (await sql`select last_used_at from api_keys where id = ${key.keyId}`)[0]!.last_used_at as Date
  const used = () => waitFor(read, "the use to be noted")
  expect(await read()).toBeNull()
  await statusWith(key.apiKey)
  const first = await used()
  later(59_000)
  await statusWith(key.apiKey)
  later(1001)
  await statusWith(key.apiKey)
  const second = await waitFor(async () => {
    const at = await read()
    return at > first && at
  }, "the next minute's use to be noted")
  expect(second.getTime() - first.getTime()).toBeGreaterThanOrEqual(60_000)
})

test("the checksum refuses a mistyped key without a database query", async () => {
  const key = await app.key()
  const mistyped = swap(key.apiKey)
  await sql`alter table key_secrets rename to hidden`
  const refused = await statusWith(mistyped)
  const asking = await statusWith(key.apiKey)
  await sql`alter table hidden rename to key_secrets`
  // The table is missing, so a lookup would fail.
  expect(refused).toBe("invalid_api_key")
  expect(asking).toBe("internal_error")
})

/** Two adjacent characters swapped: the most common typo after a wrong character. */
function swap(apiKey: string): string {
  const at = [...apiKey].findIndex((letter, i) => i > 12 && letter !== apiKey[i + 1])
  return apiKey.slice(0, at) + apiKey[at + 1] + apiKey[at] + apiKey.slice(at + 2)
}

test("no table contains the secret, only its hash and its first characters", async () => {
  const keys: TestKey[] = [await app.key(), await app.key({ mode: "live" })]
  const secrets = [...keys.map(({ apiKey }) => apiKey), await rotate(keys[0]!.keyId, 60)]
  for (const secret of secrets) expect(await statusWith(secret)).toBe(200)
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where relkind = 'r' and nspname = 'public'`
  for (const { name } of tables) {
    const rows = await sql<{ text: string }[]>`select t::text as text from ${sql(name)} t`
    for (const secret of secrets) {
      const tail = secret.slice("vouch_live_".length + 4)
      expect(
        rows.some(({ text }) => text.includes(tail)),
        name,
      ).toBe(false)
      expect(
        rows.some(({ text }) => text.includes(Buffer.from(tail).toString("hex"))),
        name,
      ).toBe(false)
    }
  }
  const listed = JSON.stringify(await listKeys())
  for (const secret of secrets) expect(listed).not.toContain(secret.slice(0, 20))
})

test("a key can read its own name and scopes, whatever its scopes, and nothing else", async () => {
  const key = await app.key({ scopes: ["token:read"], expiresAt: new Date(now + 3_600_000) })
  const get = (apiKey: string) => app.request({ method: "GET", path: "/key", key: apiKey })
  expect(await get(key.apiKey)).toMatchObject({
    status: 200,
    json: {
      key_id: key.keyId,
      name: "test",
      account: expect.stringMatching(/^Account /),
      workspace_id: key.workspaceId,
      mode: "test",
      scopes: ["token:read"],
      expires_at: expect.any(String),
    },
  })
  const wrong = key.apiKey.slice(0, -1) + (key.apiKey.endsWith("x") ? "y" : "x")
  expect((await get(wrong)).status).toBe(401)
})
