import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { newId } from "#server/lib/ids.ts"
import type { TestKey } from "#test/fixtures/app.ts"
import type { Sent } from "#test/fixtures/http.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { MAX_SCHEMAS } from "./change.ts"

usesCustomer()

type More = Partial<Sent> & { by?: TestKey }
const create = (json: unknown, { by = key, ...more }: More = {}) =>
  app.request({ method: "POST", path: "/schemas", key: by.apiKey, json, ...more })
const change = (id: string, json: unknown, { by = key, ...more }: More = {}) =>
  app.request({ method: "PATCH", path: `/schema/${id}`, key: by.apiKey, json, ...more })
const read = (id: string, by = key) => app.request({ method: "GET", path: `/schema/${id}`, key: by.apiKey })
const trailOf = (subject: string) => sql`
  select action, actor, detail from audit_entries where workspace_id = ${key.workspaceId} and subject = ${subject} order by seq`

const residency = { id: "residency_v1", name: "Residency", validity_days: 30 }

test("a key can create, use, list and change a schema", async () => {
  const created_at = expect.stringMatching(/Z$/)
  const made = await create(residency)
  const detail = { ...residency, wallet_proof: false, wallet_proof_setting: null, reminder_days: [30, 7, 1] }
  expect(made).toMatchObject({ status: 200, json: { ...detail, created_at } })
  expect((await read("residency_v1")).json).toEqual(made.json)
  const { json: list } = await app.request({ method: "GET", path: "/schemas", key: key.apiKey })
  expect(list.data[0]).toEqual({ ...residency, wallet_proof: false, created_at: made.json.created_at })
  expect((await app.startSession(key, undefined, "residency_v1")).sessionId).toMatch(/^sess_/)

  const changed = await change("residency_v1", {
    validity_days: 7,
    reminder_days: [1, 5, 1],
    wallet_proof: true,
  })
  expect(changed).toMatchObject({
    status: 200,
    json: {
      ...made.json,
      validity_days: 7,
      reminder_days: [5, 1],
      wallet_proof: true,
      wallet_proof_setting: true,
    },
  })
  expect((await change("residency_v1", {})).json).toEqual(changed.json)
  expect([...(await trailOf("residency_v1"))]).toMatchObject([
    { action: "schema.created", actor: "key" },
    {
      action: "schema.changed",
      actor: "key",
      detail: { before: { validity_days: 30 }, after: { validity_days: 7 } },
    },
  ])
})

test.each([
  [{}, /^id: /],
  [{ id: "ab" }, /^id: /],
  [{ id: "a\u0000bc" }, /^id: /],
  [{ id: 5 }, /^id: /],
  [{ name: "" }, /^name: /],
  [{ name: "a\u0000b" }, /^name: /],
  [{ name: "x".repeat(101) }, /^name: /],
  [{ validity_days: "30" }, /^validity_days: /],
  [{ validity_days: 0 }, /^validity_days: /],
  [{ validity_days: 1e308 }, /^validity_days: /],
  [{ wallet_proof: "yes" }, /^wallet_proof: /],
  [{ reminder_days: 5 }, /^reminder_days: /],
  [{ reminder_days: [0] }, /^reminder_days.0: /],
  [{ reminder_days: [1, 2, 3, 4, 5, 6] }, /^reminder_days: /],
  [{ provider: "sandbox" }, /^provider: unknown field/],
])("%j is 422, creates nothing and changes nothing", async (json, detail) => {
  const isNone = Object.keys(json).length === 0
  const made = await create(isNone ? {} : { id: "other_v1", name: "Other", validity_days: 1, ...json })
  expect(made, made.text).toMatchObject({
    status: 422,
    json: { error: "validation_failed", detail: expect.stringMatching(detail) },
  })
  expect((await read("other_v1")).status).toBe(404)
  if (isNone || "id" in json) return
  const changed = await change("kyc_individual_v1", json)
  expect(changed, changed.text).toMatchObject({
    status: 422,
    json: { detail: expect.stringMatching(detail) },
  })
})

test("an id is unique, and a repeat with the same Idempotency-Key does not conflict with itself", async () => {
  const json = { ...residency, id: "company_v1" }
  const idempotencyKey = newId("evt")
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => create(json)))
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  expect(outcomes.find(({ status }) => status === 409)!.json.error).toBe("schema_exists")

  const own = { ...json, id: "mine_v1" }
  const answers = await Promise.all(Array.from({ length: 6 }, () => create(own, { idempotencyKey })))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers[0]!.status).toBe(200)
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${idempotencyKey}`
  expect((await create(own, { idempotencyKey })).text).toBe(answers[0]!.text)

  const second = newId("evt")
  const first = await change("mine_v1", { validity_days: 5 }, { idempotencyKey: second })
  await change("mine_v1", { validity_days: 6 })
  const replay = await change("mine_v1", { validity_days: 5 }, { idempotencyKey: second })
  expect([replay.text, replay.headers["idempotent-replayed"]]).toEqual([first.text, "true"])
  expect((await read("mine_v1")).json.validity_days).toBe(6)
})

test("another workspace's schema does not exist, in live and in test", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const [live, other] = [await app.key({ account, mode: "live" }), await app.key({ account, mode: "test" })]
  expect((await create({ ...residency, id: "secret_v1" }, { by: live })).status).toBe(200)
  for (const id of ["secret_v1", "never_v1", "a%00b", "..%2Fschemas", "x".repeat(300)]) {
    for (const { status, json } of [await read(id, other), await change(id, { validity_days: 1 }, { by: other })]) {
      expect([id, status, json.error]).toEqual([id, 404, "schema_not_found"])
    }
  }
  expect((await read("secret_v1", live)).json.validity_days).toBe(30)
  // The other workspace can use the same id.
  expect((await create({ ...residency, id: "secret_v1" }, { by: other })).status).toBe(200)
})

test("a key needs schema:write to create and change, and no scope to read", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const reader = await app.key({ account, scopes: ["config:write", "kyc:write"] })
  const writer = await app.key({ account, scopes: ["schema:write"] })
  for (const refused of [
    await create(residency, { by: reader }),
    await change("kyc_individual_v1", {}, { by: reader }),
  ]) {
    expect(refused).toMatchObject({
      status: 403,
      json: { error: "insufficient_scope", detail: expect.stringContaining("schema:write") },
    })
  }
  expect((await read("kyc_individual_v1", reader)).status).toBe(200)
  expect((await create(residency, { by: writer })).status).toBe(200)
})

test("a workspace has at most a hundred schemas, even with simultaneous requests", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const by = await app.key({ account })
  await sql`
    insert into schemas (workspace_id, id, name, validity_days, reminder_days, created_at)
    select ${by.workspaceId}, 'filler_' || n, 'Filler', 1, '{}', now() from generate_series(1, ${MAX_SCHEMAS - 5}::int) n`
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => create({ ...residency, id: `last_${n}` }, { by })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422, 422, 422])
  expect(answers.find(({ status }) => status === 422)!.json.detail).toMatch(/^id: .*maximum of 100 schemas/)
})
