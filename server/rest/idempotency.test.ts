import { hash } from "node:crypto"
import canonicalize from "canonicalize"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { rotateKey } from "#server/domain/accounts/keys/manage.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import { fingerprintOf, REPLAY_SECONDS } from "#server/domain/requests/idempotency.ts"
import { newId } from "#server/lib/ids.ts"
import { plainJson, readJsonObject } from "#server/lib/json.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { bodyOf, newKey, startsOf } from "#test/fixtures/idempotency.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { expectReplay } from "#test/matchers/answers.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

const start = startsOf(() => [app, key])

test("a replay has the bytes of the first answer and its own request id, and changes nothing", async () => {
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body)
  expect(first.status).toBe(200)
  const before = await snapshot()
  expectReplay(await start(name, body), first)
  expect(await snapshot()).toEqual(before)
})

test.each([
  ["a field that is missing", 422, { userPubkey: newWallet() }],
  ["an invalid wallet", 422, { userPubkey: "x", schemaId: "kyc_individual_v1" }],
  ["an unknown schema", 422, { userPubkey: newWallet(), schemaId: "none_v1" }],
  ["an unknown field", 422, { ...bodyOf(), extra: "\ud83d" }],
])("an error is stored like other answers: %s", async (_name, status, body) => {
  const name = newKey()
  const first = await start(name, body)
  expect(first.status).toBe(status)
  expectReplay(await start(name, body), first)
})

test("quota_exceeded is stored, and its replay still says when to retry", async () => {
  const withoutQuota = await app.key({ mode: "live", plan: "enterprise", quota: 0 })
  const [name, body] = [newKey(), bodyOf()]
  const first = await start(name, body, withoutQuota.apiKey)
  expect(first).toMatchObject({ status: 429, json: { error: "quota_exceeded" } })
  await sql`update accounts set included = 10 where id = (select account_id from workspaces where id = ${withoutQuota.workspaceId})`
  const replay = await start(name, body, withoutQuota.apiKey)
  expectReplay(replay, first)
  expect(Number(replay.headers["retry-after"])).toBeGreaterThan(0)
  expect((await start(newKey(), body, withoutQuota.apiKey)).status).toBe(200)
})

test("a refusal before the idempotency step is not stored", async () => {
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

test("the same key with another body is refused and not stored, and the first answer stays", async () => {
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

test("the same key with another path is refused", async () => {
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

test("bodies are equal if their JSON is, whatever their order of fields, white space, escapes and forms of numbers", async () => {
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

test("keys stored before numbers were compared exactly still match their request", () => {
  const body = readJsonObject(Buffer.from('{"schemaId":"s","b":[1.0,1e2,"\u00e9"],"a":{"z":null,"y":true}}'))
  const before = hash("sha256", `POST /kyc/start\n${canonicalize(plainJson(body))}`, "buffer")
  expect(fingerprintOf("POST", "/kyc/start", body)).toEqual(before)
})

test("different halves of surrogate pairs are different requests", async () => {
  const send = (name: string, body: string) =>
    start(name, undefined, key.apiKey, { body, headers: { "content-type": "application/json" } })
  const name = newKey()
  const first = await send(name, '{"userPubkey":"\\ud800"}')
  expect(first.status).toBe(422)
  expectReplay(await send(name, '{"userPubkey":"\\ud800"}'), first)
  expect((await send(name, '{"userPubkey":"\\ud801"}')).json.error).toBe("idempotency_key_reused")
})

test("idempotency keys belong to an API key, which keeps them when it is rotated", async () => {
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

test("a stored answer is replayed for 24 hours, then the key is new", async () => {
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

test("a 5xx is never stored, so the same key succeeds later", async () => {
  const [name, body] = [newKey(), bodyOf()]
  await sql`alter table idempotency_records rename to away`
  const broken = await start(name, body)
  await sql`alter table away rename to idempotency_records`
  expect(broken.status).toBe(500)
  const right = await start(name, body)
  expect(right.status).toBe(200)
  expect(right.headers["idempotent-replayed"]).toBeUndefined()
})

test("endpoints without idempotency ignore the header, valid or not", async () => {
  const usage = (idempotencyKey: string) =>
    app.request({ method: "GET", path: "/usage", key: key.apiKey, idempotencyKey })
  for (const name of ["same", "same", "not usable"]) {
    const response = await usage(name)
    expect(response.status).toBe(200)
    expect(response.headers["idempotent-replayed"]).toBeUndefined()
  }
})
