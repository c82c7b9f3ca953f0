import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createKey } from "#domain/accounts"
import { authenticate } from "#server/domain/accounts/keys/authenticate.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds, toTimestamp } from "#server/lib/time.ts"
import { createCallerFactory } from "#server/trpc/trpc.ts"
import { advanceClock, realNow } from "#test/fixtures/clock.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { keyRouter } from "./keys.ts"

// API keys as members manage them in the dashboard.
let owner: Awaited<ReturnType<typeof member>>

usesApp({ environment: { VOUCH_ROLE: "web" } })
beforeAll(async () => {
  owner = await member(app)
})

const create = (input: object = {}, by = owner) =>
  by.browser.mutate("key.create", { name: "Backend", scopes: ["kyc:read"], ...input })
const list = async (by = owner) => (await by.browser.query("key.list")).data.data
const statusWith = async (key: string, path = `/kyc/status/${"1".repeat(31)}2`) =>
  (await app.request({ method: "GET", path, key })).status
const trailOf = (subject: string) => sql`
  select action, actor, actor_name, detail, request_id from audit_entries where subject = ${subject} order by seq`

test("a new key has its scopes and no others, and is listed without its secret", async () => {
  const created = await create({ scopes: ["kyc:read", "kyc:read", "token:read"] })
  const { key_id, api_key } = created.data
  expect(api_key).toMatch(/^vouch_test_/)
  expect(await statusWith(api_key)).not.toBe(403)
  expect(await statusWith(api_key, "/attestations")).toBe(403)
  const keys = await list()
  expect(keys[0]).toMatchObject({
    key_id,
    name: "Backend",
    start: api_key.slice(0, 15),
    scopes: ["kyc:read", "token:read"],
    status: "active",
    expires_at: null,
    created_by: "The owner",
  })
  expect(JSON.stringify(keys)).not.toContain(api_key.slice(15, 25))
  expect(await trailOf(key_id)).toEqual([
    {
      action: "key.created",
      actor: "user",
      actor_name: "The owner",
      detail: { name: "Backend", scopes: ["kyc:read", "token:read"], expires_at: null },
      request_id: created.headers.get("x-request-id"),
    },
  ])
})

test("a key stops working at its expiry, and an expiry in the past is refused", async () => {
  const expires_at = toTimestamp(addSeconds(realNow(), 60))
  const { data } = await create({ expires_at })
  expect(await statusWith(data.api_key)).not.toBe(401)
  await advanceClock({ seconds: 61 })
  expect(await statusWith(data.api_key)).toBe(401)
  expect((await list())[0]).toMatchObject({ status: "expired", expires_at })
  expect((await create({ expires_at })).error).toMatchObject({ error: "validation_failed" })
})

test.each([
  [{ name: "" }, /^name:/],
  [{ name: "a\u0000b" }, /^name:/],
  [{ name: "x".repeat(101) }, /^name:/],
  [{ scopes: [] }, /^scopes:/],
  [{ scopes: ["key:write"] }, /^scopes/],
  [{ scopes: ["everything"] }, /^scopes/],
  [{ expires_at: "tomorrow" }, /^expires_at:/],
])("%j is refused and creates nothing", async (input, message) => {
  const before = (await list()).length
  const { status, error } = await create(input)
  expect({ status, error: error.error }).toEqual({ status: 422, error: "validation_failed" })
  expect(error.detail).toMatch(message)
  expect(await list()).toHaveLength(before)
})

test("rotating gives a new secret, the old one works during the overlap, and the audit log has an entry", async () => {
  const { data: first } = await create()
  const { data: next } = await owner.browser.mutate("key.rotate", { key_id: first.key_id, grace_seconds: 60 })
  expect(next.key_id).toBe(first.key_id)
  expect([await statusWith(first.api_key), await statusWith(next.api_key)]).not.toContain(401)
  await owner.browser.mutate("key.rotate", { key_id: first.key_id, grace_seconds: 0 })
  expect([await statusWith(next.api_key)]).toEqual([401])
  expect(await trailOf(first.key_id)).toMatchObject([
    { action: "key.created" },
    { action: "key.rotated", detail: { name: "Backend", grace_seconds: 60 } },
    { action: "key.rotated", detail: { name: "Backend", grace_seconds: 0 } },
  ])
  for (const grace_seconds of [-1, 0.5, 30 * 86_400 + 1]) {
    const { error } = await owner.browser.mutate("key.rotate", { key_id: first.key_id, grace_seconds })
    expect(error.error).toBe("validation_failed")
  }
})

test("a key keeps its creator when another member rotates it, and one of the command line has none", async () => {
  const { data } = await create()
  const other = await member(app, { account: owner.account })
  await other.browser.mutate("key.rotate", { key_id: data.key_id, grace_seconds: 0 })
  const { workspaceId } = owner
  const { keyId } = await createKey({ workspaceId, mode: "test", name: "Operator's", scopes: [] })
  const creatorOf = async (id: string) =>
    (await sql`select u.email from api_keys k left join users u on u.id = k.created_by where k.id = ${id}`)[0]!.email
  expect([await creatorOf(data.key_id), await creatorOf(keyId)]).toEqual([owner.email, null])
  const names = new Map((await list()).map((key: Record<string, string>) => [key.key_id, key.created_by]))
  expect([names.get(data.key_id), names.get(keyId)]).toEqual(["The owner", "Command line"])
})

test("revoking ends a key at once, and a second time changes nothing and adds no entry", async () => {
  const { data } = await create()
  for (let i = 0; i < 2; i++) {
    expect((await owner.browser.mutate("key.revoke", { key_id: data.key_id })).status).toBe(200)
    expect(await statusWith(data.api_key)).toBe(401)
  }
  expect((await list())[0].status).toBe("revoked")
  expect(await trailOf(data.key_id)).toMatchObject([{ action: "key.created" }, { action: "key.revoked" }])
  const rotated = await owner.browser.mutate("key.rotate", { key_id: data.key_id, grace_seconds: 0 })
  expect(rotated).toMatchObject({ status: 404, error: { error: "key_not_found" } })
})

test("a key of another workspace answers like one that never existed, and stays unchanged", async () => {
  const { data } = await create()
  const stranger = await member(app)
  const live = await member(app, { account: owner.account, mode: "live" })
  for (const by of [stranger, live]) {
    const answers = []
    for (const key_id of [data.key_id, newId("key"), "nonsense"]) {
      const revoked = await by.browser.mutate("key.revoke", { key_id })
      const rotated = await by.browser.mutate("key.rotate", { key_id, grace_seconds: 0 })
      answers.push([revoked, rotated].map(({ status, error }) => [status, error.error, error.detail]))
    }
    expect(answers[0]![0]![1]).toBe("key_not_found")
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    expect(await list(by)).toEqual([])
  }
  expect(await statusWith(data.api_key)).not.toBe(401)
  expect(await trailOf(data.key_id)).toHaveLength(1)
})

test("a viewer sees the keys and cannot change any, a developer can", async () => {
  const { data } = await create()
  const viewer = await member(app, { account: owner.account, role: "viewer" })
  expect(await list(viewer)).toEqual(await list())
  const before = await list()
  for (const answer of [
    await create({}, viewer),
    await viewer.browser.mutate("key.rotate", { key_id: data.key_id, grace_seconds: 0 }),
    await viewer.browser.mutate("key.revoke", { key_id: data.key_id }),
  ]) {
    expect(answer).toMatchObject({ status: 403, error: { error: "insufficient_scope" } })
  }
  expect(await list()).toEqual(before)
  const developer = await member(app, { account: owner.account, role: "developer" })
  expect((await create({}, developer)).status).toBe(200)
})

test("no member creates or rotates a key that may do more than they may", async () => {
  const { data } = await create({ scopes: ["kyc:read", "token:mint"] })
  const me = (await owner.browser.query("me.get")).data.user
  const caller = createCallerFactory(keyRouter)({
    ...{ requestId: newId("req"), transport: "pages", user: null, idempotency: null, webhook: null },
    ...{ respondAsync: false, answer: { status: 200 } },
    principal: {
      workspaceId: owner.workspaceId,
      mode: "test",
      scopes: new Set(["key:write", "kyc:read"] as const),
      via: { kind: "user", userId: me.id, name: "Limited", role: "developer" },
    },
  })
  const refused = { cause: { code: "insufficient_scope" } }
  await expect(caller.create({ name: "x", scopes: ["kyc:read", "token:mint"] })).rejects.toMatchObject(refused)
  await expect(caller.rotate({ key_id: data.key_id, grace_seconds: 0 })).rejects.toMatchObject(refused)
  expect(await statusWith(data.api_key)).not.toBe(401)
  expect((await caller.create({ name: "x", scopes: ["kyc:read"] })).api_key).toMatch(/^vouch_test_/)
})

test("no key manages keys, whatever its scopes", async () => {
  const { apiKey } = await app.key({ account: owner.account })
  const caller = createCallerFactory(keyRouter)({
    ...{ requestId: newId("req"), transport: "api", user: null, idempotency: null, webhook: null },
    ...{ respondAsync: false, answer: { status: 200 } },
    principal: await authenticate(`Bearer ${apiKey}`),
  })
  const refused = { cause: { code: "insufficient_scope" } }
  await expect(caller.list({})).rejects.toMatchObject(refused)
  await expect(caller.create({ name: "x", scopes: ["kyc:read"] })).rejects.toMatchObject(refused)
})
