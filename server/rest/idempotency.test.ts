import { hash } from "node:crypto"
import canonicalize from "canonicalize"
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { open, sql } from "#db/client.ts"
import { createAccount } from "#server/domain/accounts/create.ts"
import { rotateKey } from "#server/domain/accounts/keys/manage.ts"
import {
  fingerprintOf,
  KeyClaimed,
  keyWait,
  REPLAY_SECONDS,
  storeAnswer,
} from "#server/domain/idempotency.ts"
import { newId } from "#server/lib/ids.ts"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/app.ts"
import type { Response, Sent } from "#test/http.ts"
import { snapshot } from "#test/snapshot.ts"

let app: TestApp
let key: TestKey

beforeAll(async () => {
  app = await startTestApp({ VOUCH_ROLE: "web" })
  key = await app.key()
})
afterEach(() => {
  keyWait.ms = 25_000
  vi.restoreAllMocks()
})
afterAll(() => app.stop())

const newKey = () => newId("evt")
const start = (idempotencyKey: string, json: unknown, apiKey = key.apiKey, more: Partial<Sent> = {}) =>
  app.request({ method: "POST", path: "/kyc/start", key: apiKey, idempotencyKey, json, ...more })
const bodyOf = (wallet = newWallet()) => ({ userPubkey: wallet, schemaId: "kyc_individual_v1" })

function expectReplay(replay: Response, first: Response): void {
  expect(replay.status).toBe(first.status)
  expect(replay.text).toBe(first.text)
  expect(replay.headers["idempotent-replayed"]).toBe("true")
  expect(replay.headers["content-type"]).toBe(first.headers["content-type"])
  expect(replay.headers["x-request-id"]).toMatch(/^req_/)
  expect(replay.headers["x-request-id"]).not.toBe(first.headers["x-request-id"])
  expect(first.headers["idempotent-replayed"]).toBeUndefined()
}

test("a replay is byte for byte the first answer, under a request id of its own, and changes nothing", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body)
  expect(first.status).toBe(200)
  const before = await snapshot()
  expectReplay(await start(name, body), first)
  expect(await snapshot()).toEqual(before)
})

test.each([
  ["a field that is missing", 422, { userPubkey: newWallet() }],
  ["a wallet that is none", 422, { userPubkey: "x", schemaId: "kyc_individual_v1" }],
  ["an unknown schema", 422, { userPubkey: newWallet(), schemaId: "none_v1" }],
  ["an unknown field", 422, { ...bodyOf(), extra: "\ud83d" }],
])("an error is stored like any answer: %s", async (_name, status, body) => {
  const name = newKey()
  const first = await start(name, body)
  expect(first.status).toBe(status)
  expectReplay(await start(name, body), first)
})

test("quota_exceeded is stored, and its replay still says when to come back", async () => {
  const poor = await app.key({ mode: "live", plan: "enterprise", quota: 0 })
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body, poor.apiKey)
  expect(first).toMatchObject({ status: 429, json: { error: "quota_exceeded" } })
  await sql`update accounts set included = 10 where id = (select account_id from workspaces where id = ${poor.workspaceId})`
  const replay = await start(name, body, poor.apiKey)
  expectReplay(replay, first)
  expect(Number(replay.headers["retry-after"])).toBeGreaterThan(0)
  expect((await start(newKey(), body, poor.apiKey)).status).toBe(200)
})

test("what is refused before the idempotency step is not stored", async () => {
  const name = newKey()
  const body = bodyOf()
  const broken = await start(name, undefined, key.apiKey, {
    body: "{",
    headers: { "content-type": "application/json" },
  })
  expect(broken.status).toBe(400)
  const untyped = await start(name, undefined, key.apiKey, { body: JSON.stringify(body) })
  expect(untyped.status).toBe(415)
  const right = await start(name, body)
  expect(right.status).toBe(200)
  expect(right.headers["idempotent-replayed"]).toBeUndefined()
})

test("the same key for another body is refused, never stored, and the first answer stays", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body)
  for (const other of [bodyOf(), { ...body, externalId: "x" }, {}, { ...body, userPubkey: "x" }]) {
    const refused = await start(name, other)
    expect(refused).toMatchObject({ status: 422, json: { error: "idempotency_key_reused" } })
    expect(refused.json.detail).toMatch(/^Idempotency-Key: /)
    expect(refused.headers["idempotent-replayed"]).toBeUndefined()
  }
  expectReplay(await start(name, body), first)
})

test("the same key for another path is refused", async () => {
  const name = newKey()
  const body = { reason: "x" }
  const revoke = (id: string) =>
    app.request({
      method: "POST",
      path: `/attestation/${id}/revoke`,
      key: key.apiKey,
      idempotencyKey: name,
      json: body,
    })
  const id = newId("att")
  const first = await revoke(id)
  expect(first.status).toBe(404)
  expectReplay(await revoke(id), first)
  expect((await revoke(newId("att"))).json.error).toBe("idempotency_key_reused")
  expect((await start(name, body)).json.error).toBe("idempotency_key_reused")
})

test("bodies are the same when their JSON is: order of fields, white space, escapes and forms of numbers", async () => {
  const wallet = newWallet()
  const send = (name: string, body: string) =>
    start(name, undefined, key.apiKey, { body, headers: { "content-type": "application/json" } })
  const name = newKey()
  const first = await send(name, `{"userPubkey":"${wallet}","schemaId":"kyc_individual_v1"}`)
  const same = [
    `{"schemaId":"kyc_individual_v1","userPubkey":"${wallet}"}`,
    ` { "userPubkey" :\n"${wallet}",\t"schemaId":"kyc_individual_v1" } `,
    `{"userPubkey":"${wallet}","schemaId":"\\u006byc_individual_v1"}`,
  ]
  for (const body of same) expectReplay(await send(name, body), first)

  const numbers = newKey()
  const refused = await send(numbers, '{"a":1,"b":100}')
  expectReplay(await send(numbers, '{"b":1e2,"a":1.0}'), refused)
  expect((await send(numbers, '{"a":"1","b":100}')).json.error).toBe("idempotency_key_reused")
})

test('an amount is compared by its exact value: 1 and 1.0 are one request, 1 and "1" are two', async () => {
  const wallet = newWallet()
  const mint = (name: string, amount: string) =>
    app.request({
      method: "POST",
      path: "/token/mint",
      key: key.apiKey,
      idempotencyKey: name,
      headers: { "content-type": "application/json" },
      body: `{"user_pubkey":"${wallet}","mint_config":"us_real_estate_fund_v1","amount":${amount}}`,
    })
  for (const [sent, same, others] of [
    ["1", ["1.0", "1e0"], ['"1"', "2", "1.000000000000000001"]],
    ["9007199254740993", ["9007199254740993.0"], ["9007199254740992", '"9007199254740993"']],
    ["1e400", ["10e399"], ["1e401", "1e-999999999"]],
  ] as const) {
    const name = newKey()
    const first = await mint(name, sent)
    for (const amount of same) expectReplay(await mint(name, amount), first)
    for (const amount of others)
      expect((await mint(name, amount)).json.error, `${sent} and ${amount}`).toBe("idempotency_key_reused")
  }
})

test("what a key stood for before numbers were compared exactly, it stands for still", () => {
  const body = readJsonObject(Buffer.from('{"schemaId":"s","b":[1.0,1e2,"\u00e9"],"a":{"z":null,"y":true}}'))
  const before = hash("sha256", `POST /kyc/start\n${canonicalize(plainJson(body))}`, "buffer")
  expect(fingerprintOf("POST", "/kyc/start", body)).toEqual(before)
})

test("halves of surrogate pairs are told apart", async () => {
  const send = (name: string, body: string) =>
    start(name, undefined, key.apiKey, { body, headers: { "content-type": "application/json" } })
  const name = newKey()
  const first = await send(name, '{"userPubkey":"\\ud800"}')
  expect(first.status).toBe(422)
  expectReplay(await send(name, '{"userPubkey":"\\ud800"}'), first)
  expect((await send(name, '{"userPubkey":"\\ud801"}')).json.error).toBe("idempotency_key_reused")
})

test("keys belong to the API key: another one's are separate, a rotated one keeps its own", async () => {
  const account = await createAccount({ name: newId("acct"), plan: "free" })
  const [one, other] = [await app.key({ account }), await app.key({ account })]
  const name = newKey()
  const body = bodyOf()
  const first = await start(name, body, one.apiKey)
  const separate = await start(name, bodyOf(), other.apiKey)
  expect(separate.status).toBe(200)
  expect(separate.headers["idempotent-replayed"]).toBeUndefined()
  const rotated = await rotateKey({ keyId: one.keyId, workspaceId: null, graceSeconds: 60 })
  expectReplay(await start(name, body, rotated), first)
  expectReplay(await start(name, body, one.apiKey), first)
})

test("a stored answer is replayed for 24 hours, and then the key is new", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body)
  const grow = (seconds: number) =>
    sql`update idempotency_records set created_at = created_at - ${seconds} * interval '1 second' where idempotency_key = ${name}`
  await grow(REPLAY_SECONDS - 60)
  expectReplay(await start(name, body), first)
  await grow(60)
  const other = await start(name, bodyOf())
  expect(other.status).toBe(200)
  expect(other.headers["idempotent-replayed"]).toBeUndefined()
  expect(REPLAY_SECONDS).toBe(24 * 3600)
})

test("an answer of 5xx is never stored: the same key then succeeds", async () => {
  const [name, body] = [newKey(), bodyOf()]
  await sql`alter table idempotency_records rename to away`
  const broken = await start(name, body)
  await sql`alter table away rename to idempotency_records`
  expect(broken.status).toBe(500)
  const right = await start(name, body)
  expect(right.status).toBe(200)
  expect(right.headers["idempotent-replayed"]).toBeUndefined()
})

test("endpoints that take no key ignore the header, usable or not", async () => {
  const usage = (idempotencyKey: string) =>
    app.request({ method: "GET", path: "/usage", key: key.apiKey, idempotencyKey })
  for (const name of ["same", "same", "not usable"]) {
    const response = await usage(name)
    expect(response.status).toBe(200)
    expect(response.headers["idempotent-replayed"]).toBeUndefined()
  }
})

test("200 requests with one key at once: one session, 199 replays, all bytes equal", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const answers = await Promise.all(Array.from({ length: 200 }, () => start(name, body)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(199)
  const rows = await sql`select from attestations where wallet = ${body.userPubkey}`
  expect(rows).toHaveLength(1)
})

test("200 requests with one key and two bodies at once: one of them is done, the other refused", async () => {
  const name = newKey()
  const bodies = [bodyOf(), bodyOf()]
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => start(name, bodies[i % 2])))
  const done = answers.filter(({ status }) => status === 200)
  expect(done).toHaveLength(100)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  const refused = answers.filter(({ json }) => json.error === "idempotency_key_reused")
  expect(refused).toHaveLength(100)
})

/** Another request's claim of a key, held open while `during` runs; then it commits or vanishes. */
async function whileClaimed(
  name: string,
  { commit }: { commit: boolean },
  during: () => Promise<void>,
): Promise<void> {
  const end = new Error("undone")
  // A separate connection: the database would soon end an idle transaction of ours.
  const somebody = open(app.databaseUrl, 1)
  await somebody
    .begin(async (tx) => {
      await tx`
        insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, subject, created_at)
        values (${key.workspaceId}, ${key.keyId}, ${name}, ${Buffer.alloc(32)}, ${newId("sess")}, now())`
      await during()
      if (!commit) throw end
    })
    .catch((error) => {
      if (error !== end) throw error
    })
    .finally(() => somebody.end())
}

const somebodyWaits = () =>
  waitFor(async () => {
    const waiting = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return waiting.length > 0
  }, "a request to wait for the first one")

/** Makes the 25 s that a request waits short. */
const waitBriefly = () => {
  keyWait.ms = 200
}

test("idempotency_in_progress: past the wait it is 409 with Retry-After, and nothing of it is stored", async () => {
  expect(keyWait.ms).toBe(25_000)
  waitBriefly()
  const [name, body] = [newKey(), bodyOf()]
  await whileClaimed(name, { commit: false }, async () => {
    const waited = await start(name, body)
    expect(waited).toMatchObject({ status: 409, json: { error: "idempotency_in_progress" } })
    expect(Number(waited.headers["retry-after"])).toBeGreaterThan(0)
    expect(waited.json.detail).toMatch(/Idempotency-Key/)
  })
  expect((await start(name, body)).status).toBe(200)
  expect(await sql`select from attestations where wallet = ${body.userPubkey}`).toHaveLength(1)
})

test("idempotency_in_progress, when revoking", async () => {
  const { wallet } = await app.startSession(key)
  const [row] = await sql<{ id: string }[]>`select id from attestations where wallet = ${wallet}`
  waitBriefly()
  const name = newKey()
  const revoke = () =>
    app.request({
      method: "POST",
      path: `/attestation/${row!.id}/revoke`,
      key: key.apiKey,
      idempotencyKey: name,
      json: { reason: "x" },
    })
  await whileClaimed(name, { commit: false }, async () => {
    expect(await revoke()).toMatchObject({ status: 409, json: { error: "idempotency_in_progress" } })
  })
  const [after] = await sql`select status from attestations where id = ${row!.id}`
  expect(after!.status).toBe("pending")
  const first = await revoke()
  expect(first.json).toMatchObject({ status: "rejected", revocation_reason: "x" })
  expectReplay(await revoke(), first)
})

test("two at once: the second waits for the first, and when that comes to nothing it does the work itself", async () => {
  const [name, body] = [newKey(), bodyOf()]
  let second: Promise<Response>
  await whileClaimed(name, { commit: false }, async () => {
    second = start(name, body)
    await somebodyWaits()
  })
  expect((await second!).status).toBe(200)
})

test("two at once: the second waits for the first, and finds that the key was for another request", async () => {
  const name = newKey()
  let second: Promise<Response>
  await whileClaimed(name, { commit: true }, async () => {
    second = start(name, bodyOf())
    await somebodyWaits()
  })
  expect((await second!).json.error).toBe("idempotency_key_reused")
})

test("after a crash before its answer was stored, the same key joins the session that was begun", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body)
  const forget = () => sql`
    update idempotency_records set status = null, body = null where idempotency_key = ${name}`
  await forget()
  const joined = await start(name, body)
  expect(joined.status).toBe(200)
  expect(joined.text).toBe(first.text)
  expect(joined.headers["idempotent-replayed"]).toBeUndefined()
  expectReplay(await start(name, body), joined)

  // Even when that session has ended by now: a retry never begins a second one.
  await app.webhook({ session_id: first.json.session_id, decision: "rejected" })
  await forget()
  expect((await start(name, body)).text).toBe(first.text)
  expect(await sql`select from attestations where wallet = ${body.userPubkey}`).toHaveLength(1)

  await forget()
  const many = await Promise.all(Array.from({ length: 50 }, () => start(name, body)))
  expect(new Set(many.map(({ text }) => text))).toEqual(new Set([first.text]))
  expect(await sql`select from attestations where wallet = ${body.userPubkey}`).toHaveLength(1)
})

test("after a crash, a revocation is joined too: it gives the record as it stands", async () => {
  const { wallet } = await app.startSession(key)
  const [row] = await sql<{ id: string }[]>`select id from attestations where wallet = ${wallet}`
  const name = newKey()
  const revoke = () =>
    app.request({
      method: "POST",
      path: `/attestation/${row!.id}/revoke`,
      key: key.apiKey,
      idempotencyKey: name,
      json: { reason: "Sanctions list match" },
    })
  const first = await revoke()
  await sql`update idempotency_records set status = null, body = null where idempotency_key = ${name}`
  expect((await revoke()).text).toBe(first.text)
  expectReplay(await revoke(), first)
})

test("at the last unit of quota, one key sent often at once gets the session that it began, every time", async () => {
  for (let round = 0; round < 10; round++) {
    const last = await app.key({ mode: "live", plan: "enterprise", quota: 1 })
    const [name, body] = [newKey(), bodyOf()]
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(name, body, last.apiKey)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  }
})

test("an answer that began nothing never stands for the session that another request began", async () => {
  const [name, body] = [newKey(), bodyOf()]
  await start(name, body)
  const [record] = await sql<{ fingerprint: Buffer; subject: string }[]>`
    update idempotency_records set status = null, body = null where idempotency_key = ${name}
    returning fingerprint, subject`
  const claim = { workspaceId: key.workspaceId, keyId: key.keyId, idempotencyKey: name, ...record! }
  const refusal = { status: 429, body: "{}" }
  await expect(storeAnswer({ ...claim, begun: null }, refusal)).rejects.toThrow(KeyClaimed)
  await storeAnswer({ ...claim, begun: record!.subject }, refusal)
  expect(await sql`select status from idempotency_records where idempotency_key = ${name}`).toEqual([
    { status: 429 },
  ])
})
