import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let key: TestKey
let tokens: TokenFixture
let owner: Awaited<ReturnType<typeof member>>
let browser: Browser
let alice: string
let bob: string

usesApp()
beforeAll(async () => {
  owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
  ;[alice, bob] = await tokens.wallets(2)
})

let keys = 0
const freshKey = () => `intent-${++keys}`

/** The dashboard's request, with its idempotency key. */
const once = (key: string) => ({ "idempotency-key": key, prefer: "respond-async" })

const mintOnce = (mint_config: string, key: string, amount = "5", user_pubkey = alice) =>
  browser.mutate("token.mint", { mint_config, user_pubkey, amount }, once(key))

const detail = async (id: string) => (await browser.query("token.operationDetail", { id })).data

const ended = (id: string) =>
  waitFor(async () => {
    const one = await detail(id)
    return ["confirmed", "failed"].includes(one.operation.status) ? one : null
  }, `${id} to end`)

const trailOf = (workspaceId: string, subject: string) => sql`
  select action, actor, actor_name, detail, request_id from audit_entries
  where workspace_id = ${workspaceId} and subject = ${subject} order by seq`

test("a double click mints once: both clicks get the same operation, immediately and later", async () => {
  const config = await tokens.config()
  const intent = freshKey()
  const clicks = await whileLedgerPaused(() => Promise.all(Array.from({ length: 8 }, () => mintOnce(config, intent))))
  const ids = new Set(clicks.map(({ data }) => data.operation_id))
  expect(clicks.map(({ status }) => status)).toEqual(clicks.map(() => 202))
  expect(ids.size).toBe(1)
  const [id] = [...ids] as [string]
  await ended(id)
  const retried = await mintOnce(config, intent)
  expect(retried).toMatchObject({ status: 200, data: { operation_id: id, status: "confirmed" } })
  expect(await tokens.supply(config)).toBe(5n)
  expect((await trailOf(key.workspaceId, id)).length).toBe(1)
})

test("an operation names who asked for it and the people of its wallets", async () => {
  const config = await tokens.config()
  const byMember = await mintOnce(config, freshKey())
  await ended(byMember.data.operation_id)
  const { requested_by, people } = await detail(byMember.data.operation_id)
  expect(requested_by).toEqual({ kind: "user", name: expect.any(String), request_id: expect.any(String) })
  expect(people).toEqual([{ wallet: alice, investor_id: expect.stringMatching(/^inv_/), external_id: null }])
  const byKey = await tokens.mint(config, bob, "2")
  const found = await detail(byKey.json.operation_id)
  expect(found.requested_by).toMatchObject({ kind: "key", request_id: byKey.headers["x-request-id"] })
  expect(found.people).toMatchObject([{ wallet: bob }])
})

test("a second submit with the same content is another mint", async () => {
  const config = await tokens.config()
  const [first, second] = [await mintOnce(config, freshKey()), await mintOnce(config, freshKey())]
  expect(first.data.operation_id).not.toBe(second.data.operation_id)
  await ended(first.data.operation_id)
  await ended(second.data.operation_id)
  expect(await tokens.supply(config)).toBe(10n)
})

test("a key that was used for another request is refused, and belongs to one person in one workspace", async () => {
  const config = await tokens.config()
  const intent = freshKey()
  const first = await mintOnce(config, intent)
  expect((await mintOnce(config, intent, "6")).error.error).toBe("idempotency_key_reused")
  const colleague = await member(app, { role: "developer", account: owner.account })
  const theirs = await colleague.browser.mutate(
    "token.mint",
    { mint_config: config, user_pubkey: alice, amount: "6" },
    once(intent),
  )
  expect(theirs.data.operation_id).not.toBe(first.data.operation_id)
  const overRest = await tokens.mint(config, alice, "7", { headers: { "idempotency-key": intent } })
  expect(overRest.status).toBe(200)
  await ended(theirs.data.operation_id)
  expect(await tokens.supply(config)).toBe(18n)
})

test("a refusal starts nothing: the same key is decided again once the reason is gone", async () => {
  const config = await tokens.config()
  await tokens.post(`/mint-config/${config}/pause`, {})
  const intent = freshKey()
  expect((await mintOnce(config, intent)).error.error).toBe("mint_paused")
  await tokens.post(`/mint-config/${config}/unpause`, {})
  const { data } = await mintOnce(config, intent)
  await ended(data.operation_id)
  expect((await tokens.trace(config)).operations.length).toBe(1)
})

test("a transfer happens once too, and the audit log says who started both", async () => {
  const config = await tokens.config()
  const minted = await mintOnce(config, freshKey(), "10")
  await ended(minted.data.operation_id)
  const input = { mint_config: config, from_pubkey: alice, to_pubkey: bob, amount: "4.0" }
  const intent = once(freshKey())
  const wrong = await browser.mutate("token.transfer", input, intent)
  expect(wrong.error.error).toBe("invalid_amount")
  const clicks = await Promise.all(
    [1, 2].map(() => browser.mutate("token.transfer", { ...input, amount: "4" }, intent)),
  )
  const [id] = clicks.map(({ data }) => data.operation_id) as [string]
  expect(clicks[1]!.data.operation_id).toBe(id)
  await ended(id)
  expect(await tokens.onChain(config, bob)).toBe(4n)
  const detail = { mint_config: config }
  expect(await trailOf(key.workspaceId, minted.data.operation_id)).toMatchObject([
    {
      action: "token.mint_requested",
      actor: "user",
      actor_name: "The owner",
      detail: { ...detail, amount: "10" },
    },
  ])
  expect(await trailOf(key.workspaceId, id)).toMatchObject([
    {
      action: "token.transfer_requested",
      request_id: expect.stringMatching(/^req_/),
      detail: { ...detail, amount: "4" },
    },
  ])
})

test("a request without respond-async waits for the chain, with a key and without", async () => {
  const config = await tokens.config()
  const input = { mint_config: config, user_pubkey: alice, amount: "1" }
  for (const headers of [{}, { "idempotency-key": freshKey() }]) {
    const { status, data } = await browser.mutate("token.mint", input, headers)
    expect([status, data.status]).toEqual([200, "confirmed"])
  }
})

test("an operation that failed after it started is shown by its record, to the first click and the next", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const intent = freshKey()
  let id = ""
  await whileLedgerPaused(async () => {
    id = (await mintOnce(config, intent, "5", wallet)).data.operation_id
    const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  })
  await ended(id)
  expect(await mintOnce(config, intent, "5", wallet)).toMatchObject({
    status: 200,
    data: { operation_id: id, status: "failed", error: { error: "wallet_not_verified" } },
  })
})

test("a session is started once for its key, and another person's key is refused", async () => {
  const intent = once(freshKey())
  const input = { userPubkey: newWallet(), schemaId: "kyc_individual_v1" }
  const starts = await Promise.all([1, 2, 3].map(() => browser.mutate("kyc.start", input, intent)))
  expect(starts.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(starts.map(({ data }) => data.session_id)).size).toBe(1)
  const other = await browser.mutate("kyc.start", { ...input, userPubkey: newWallet() }, intent)
  expect(other).toMatchObject({ status: 422, error: { error: "idempotency_key_reused" } })
})

test("an invalid key is refused as over REST, and ignored where none is used", async () => {
  const config = await tokens.config()
  expect(await mintOnce(config, "not usable")).toMatchObject({
    status: 400,
    error: { error: "invalid_idempotency_key" },
  })
  expect((await tokens.trace(config)).operations).toEqual([])
  const saved = await browser.mutate(
    "mintConfig.check",
    { config: {}, is_new: true },
    { "idempotency-key": "not usable" },
  )
  expect(saved.error?.error).not.toBe("invalid_idempotency_key")
})

test("a refused request is in no audit log, whether from a person or a key", async () => {
  const config = await tokens.config({ max_supply: "5" })
  await tokens.mint(config, alice, 5)
  const count = async () => (await sql`select from audit_entries where workspace_id = ${key.workspaceId}`).length
  const before = await count()
  expect((await mintOnce(config, freshKey())).error.error).toBe("supply_cap_exceeded")
  expect((await tokens.mint(config, alice, 5)).json.error).toBe("supply_cap_exceeded")
  expect(await count()).toBe(before)
})

test("an operation's detail names its transaction", async () => {
  const config = await tokens.config()
  const { data } = await mintOnce(config, freshKey())
  const { operation, transaction, ...more } = await ended(data.operation_id)
  expect(operation).toEqual((await tokens.get(`/token/operation/${data.operation_id}`)).json)
  expect(more).toEqual({
    finished_at: operation.confirmed_at,
    refusals: 0,
    redo: false,
    last_refusal: null,
    cluster: "localnet",
    explorer: null,
    requested_by: expect.any(Object),
    people: expect.any(Array),
  })
  expect(transaction).toMatchObject({ signature: operation.onchain_tx, status: "confirmed", operations: 1 })
  const [carrier] = await sql<{ slot: bigint }[]>`
    select slot from transactions where signature = ${transaction.signature}`
  expect(transaction.slot).toBe(Number(carrier!.slot))
})

test("an operation in progress shows what was signed before it lands", async () => {
  const config = await tokens.config()
  await app.faults({ delay: { p: 1, ms: 1000 } })
  const { data } = await mintOnce(config, freshKey())
  const sent = await waitFor(async () => {
    const one = await detail(data.operation_id)
    return one.operation.status === "submitted" ? one : null
  }, "the operation to be signed")
  await app.faults({})
  expect(sent.operation.onchain_tx).toBeNull()
  expect(sent.transaction).toMatchObject({ status: "saved", slot: null, settled_at: null })
  const landed = await ended(data.operation_id)
  expect(landed.transaction.signature).toBe(sent.transaction.signature)
})

test("another workspace's operation does not exist", async () => {
  const config = await tokens.config()
  const { data } = await mintOnce(config, freshKey())
  const stranger = await member(app)
  for (const id of [data.operation_id, "op_x", config]) {
    const { error } = await stranger.browser.query("token.operationDetail", { id })
    expect(error.error).toBe("operation_not_found")
  }
})
