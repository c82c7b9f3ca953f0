import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { clean } from "#server/start/retention.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { eraseWallet } from "./erase.ts"

usesCustomer()

const kept = (wallet: string) => sql`
  select claims is not null as claims, salt is not null as salt, commitment is not null as commitment
  from attestations where workspace_id = ${key.workspaceId} and wallet = ${wallet}`

const erase = (wallet: Address, by = key) => eraseWallet({ workspaceId: by.workspaceId, wallet })

const post = (path: string, json: object, headers: Record<string, string> = {}) =>
  app.request({ method: "POST", path, key: key.apiKey, headers, json })
const revoke = (id: unknown, reason: string, headers: Record<string, string> = {}) =>
  post(`/attestation/${id}/revoke`, { reason, public_reason: "not_eligible" }, headers)

/** Every column of the database that contains one of the words, as text or as bytes. */
async function whereFound(...words: string[]): Promise<string[]> {
  const columns = await sql<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column from pg_class c
    join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and n.nspname = 'public' and a.attnum > 0 and not a.attisdropped order by 1, 2`
  const needles = words.flatMap((word) => [word, Buffer.from(word).toString("hex")])
  const found: string[] = []
  for (const { table, column } of columns) {
    const [{ hit }] = (await sql`
      select exists (select from ${sql(table)} t, unnest(${needles}::text[]) needle
        where strpos(t.${sql(column)}::text, needle) > 0) as hit`) as unknown as [{ hit: boolean }]
    if (hit) found.push(`${table}.${column}`)
  }
  return found
}

/** The log is written within a second or so. */
const logged = (wallet: string) =>
  waitFor(async () => {
    const rows = await sql`select from api_requests where strpos(request_body, ${wallet}) > 0`
    return rows.length > 0
  }, "the request to be logged")

test("attestations in force are not erased; ended ones are, and only those of the wallet", async () => {
  const other = await app.verifiedWallet(key)
  const { wallet, status } = await app.verifiedWallet(key)
  const attestationId = status.attestation_id as string
  expect(await erase(wallet)).toEqual({ current: { attestationId, status: "verified" } })
  expect(await kept(wallet)).toEqual([{ claims: true, salt: true, commitment: true }])

  const again = () => revoke(attestationId, "Asked to be forgotten", { "Idempotency-Key": "forget-me" })
  expect((await again()).json.onchain.salt).toEqual(expect.any(String))
  expect(await erase(wallet, await app.key())).toEqual({ erased: 0, erasureId: null })
  const first = await erase(wallet)
  expect(first).toEqual({ erased: 1, erasureId: expect.stringMatching(/^era_/) })
  expect(await kept(wallet)).toEqual([{ claims: false, salt: false, commitment: true }])
  expect(await kept(other.wallet)).toEqual([{ claims: true, salt: true, commitment: true }])
  expect(await erase(wallet)).toEqual({ ...first, erased: 0 })

  const record = await app.request({ method: "GET", path: `/attestation/${attestationId}`, key: key.apiKey })
  expect(record.json).toMatchObject({ revocation_reason: null, external_id: null })
  expect(record.json.onchain).toMatchObject({ salt: null, commitment: expect.any(String) })
  expect((await again()).json).toEqual(record.json)
})

test("an open session prevents its wallet's erasure", async () => {
  const { wallet } = await app.startSession(key, newWallet())
  expect(await erase(wallet)).toMatchObject({ current: { status: "pending" } })
})

test("after an erasure, no column of the database contains anything about the person", async () => {
  const tokens = tokenFixture(app, key)
  const config = await tokens.config()
  const wallet = newWallet()
  const WORD = "jane-doe-4711"
  const start = {
    userPubkey: wallet,
    schemaId: "kyc_individual_v1",
    externalId: `${WORD}-customer`,
    redirectUrl: `https://example.com/people/${WORD}?name=${WORD}`,
  }
  const agent = { "User-Agent": `app-of/${WORD}` }
  const idempotent = { ...agent, "Idempotency-Key": "start-of-the-first" }
  // A rejected attestation, a revoked one, and one that was renewed and revoked.
  const first = await post("/kyc/start", start, idempotent)
  const said = { session_id: first.json.session_id as string, reason: `${WORD} is on a list` }
  await app.webhook({ ...said, decision: "rejected", public_reason: "not_eligible" }, { id: `evt_${WORD}-checked` })
  const second = await post("/kyc/start", start, agent)
  const approval = { session_id: second.json.session_id as string, decision: "approved" }
  await app.webhook({ ...approval, claims: { country: "KP" } }, { id: `evt_${WORD}-approved` })
  const { attestation_id } = await app.waitForStatus(key, wallet, "verified")
  await tokens.mint(config, wallet, "1")
  await revoke(attestation_id, `${WORD}: SAR filed`, { ...agent, "Idempotency-Key": "revoke-the-second" })
  // A refused request, and an operation that was refused after it began.
  const refused = await post(
    "/token/mint",
    { user_pubkey: wallet, mint_config: config, amount: "1" },
    { ...agent, "Idempotency-Key": "mint-refused" },
  )
  expect(refused.status).toBe(403)
  await sql`
    insert into operations (workspace_id, id, kind, status, payload, writes, reads, mint_config, wallet, error_code,
      error_detail, created_at, finished_at)
    values (${key.workspaceId}, ${newId("op")}, 'mint', 'failed', '{"amount":"1"}', '{}', '{}', ${config}, ${wallet},
      'country_not_allowed', ${`${WORD} is from KP`}, now(), now())`
  await sql`
    insert into sandbox_submissions (workspace_id, attestation_id, event_id, decision, claims, occurred_at, next_attempt_at)
    values (${key.workspaceId}, ${attestation_id}, 'evt_x', 'approved', ${Buffer.from(WORD)}, now(), now() + interval '1 day')`
  await logged(wallet)
  await waitFor(
    async () => (await sql`select from api_requests where path like ${`%${attestation_id}/revoke`}`).length > 0,
    "the revocation to be logged",
  )
  const answers = () => sql`
    select idempotency_key, body is not null as answered from idempotency_records
    where workspace_id = ${key.workspaceId} and idempotency_key = any('{start-of-the-first,revoke-the-second,mint-refused}')
    order by 1`
  expect(await answers()).toHaveLength(3)
  expect((await whereFound(WORD)).sort()).toEqual([
    "api_requests.headers",
    "attestations.external_id",
    "attestations.reason",
    "attestations.redirect_url",
    "idempotency_records.body",
    "investors.external_id",
    "operations.error_detail",
    "sandbox_submissions.claims",
    "webhook_events.event_id",
  ])

  // Another person's data, and the same person's at another customer: neither may be erased.
  const other = await app.key()
  const bystander = await app.request({
    ...{ method: "POST", path: "/kyc/start", key: other.apiKey },
    json: { ...start, externalId: "of another customer" },
  })
  expect(await erase(wallet)).toMatchObject({ erased: 2 })

  expect(await whereFound(WORD)).toEqual([`attestations.redirect_url`])
  await sql`update attestations set redirect_url = null where session_id = ${bystander.json.session_id}`
  expect(await whereFound(WORD)).toEqual([])
  expect(await whereFound("of another customer")).toEqual(["attestations.external_id", "investors.external_id"])
  // A key that began something still finds it, without a stored answer. A refusal began nothing.
  expect([...(await answers())]).toEqual([
    { idempotency_key: "revoke-the-second", answered: false },
    { idempotency_key: "start-of-the-first", answered: false },
  ])
  expect((await post("/kyc/start", start, idempotent)).json).toEqual(first.json)
  const [{ claims }] = (await sql`
    select count(claims)::int + count(salt)::int + count(public_reason)::int as claims from attestations
    where workspace_id = ${key.workspaceId} and wallet = ${wallet}`) as unknown as [{ claims: number }]
  expect(claims).toBe(0)
})

test("of an erased wallet only its address stays, where the ledger, the quota and the audit log need it", async () => {
  const tokens = tokenFixture(app, key)
  const config = await tokens.config()
  const { wallet, status } = await app.verifiedWallet(key)
  await tokens.mint(config, wallet, "1")
  await logged(wallet)
  await revoke(status.attestation_id, "x", { "Idempotency-Key": newId("key") })
  await waitFor(
    async () => (await sql`select from api_requests where path like ${`%${status.attestation_id}/revoke`}`).length > 0,
    "the revocation to be logged",
  )
  await erase(wallet)
  expect(await whereFound(wallet)).toEqual([
    "attestations.wallet",
    "audit_entries.detail",
    "audit_entries.subject",
    "credentials.wallet",
    "erasures.wallets",
    "events.data",
    "holdings.wallet",
    "lots.wallet",
    "operations.reads",
    "operations.wallet",
    "postings.wallet",
  ])
})

test("idempotency keys, which a client chooses, are deleted within a day", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  await post(
    "/kyc/start",
    { userPubkey: wallet, schemaId: "kyc_individual_v1" },
    { "Idempotency-Key": "jane-doe-by-key" },
  )
  await app.webhook({ session_id: sessionId, decision: "rejected" })
  await erase(wallet)
  // The cleanup uses the database's time, which tests cannot move, so make the record a day older.
  await sql`update idempotency_records set created_at = created_at - interval '1 day'`
  await clean()
  expect(await whereFound("jane-doe-by-key")).not.toContain("idempotency_records.idempotency_key")
})
