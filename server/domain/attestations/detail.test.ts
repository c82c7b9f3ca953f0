import { webcrypto } from "node:crypto"
import canonicalize from "canonicalize"
import { afterEach, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()
afterEach(() => app.faults({}))

type Event = {
  event: string
  at: string
  detail: string | null
  by: object | null
  request_id: string | null
}

async function enter() {
  const { browser, account, workspaceId } = await member(app)
  const key = await app.key({ account })
  const read = async (path: string, input: object) => {
    const { status, data, error } = await browser.query(path, input)
    if (status !== 200) throw Object.assign(new Error(error.detail), { code: error.error })
    return data
  }
  return {
    browser,
    key,
    account,
    workspaceId,
    read,
    detail: (id: string) => read("attestation.detail", { id }),
  }
}

const names = (timeline: Event[]) =>
  timeline.map(({ event, detail }) => (event === "decided" ? `${event} ${detail}` : event))

const idOf = async (sessionId: string): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`select id from attestations where session_id = ${sessionId}`
  return row!.id
}

test("the timeline shows an attestation from start to burn in order, with who did what and in which request", async () => {
  const { browser, detail } = await enter()
  const wallet = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
  const started = await browser.mutate("kyc.start", { userPubkey: wallet, schemaId: "kyc_individual_v1" })
  const sessionId: string = started.data.session_id
  const id = await idOf(sessionId)
  expect(names((await detail(id)).timeline)).toEqual(["started"])
  expect((await detail(id)).provider).toBe("Built-in sandbox")

  expect((await detail(id)).review_id).toBeNull()
  await app.webhook({ session_id: sessionId, decision: "in_review" })
  expect(names((await detail(id)).timeline)).toEqual(["started", "decided in_review"])
  const [review] = await sql<{ id: string }[]>`select id from reviews where attestation_id = ${id}`
  expect((await detail(id)).review_id).toBe(review!.id)
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  const verified = await waitFor(async () => {
    const record = await detail(id)
    return record.status === "verified" && record
  }, "the attestation to be verified")
  expect(names(verified.timeline)).toEqual(
    expect.arrayContaining(["started", "decided approved", "signed", "confirmed"]),
  )

  const revoked = await browser.mutate("attestation.revoke", { id, reason: "The wallet was lost." })
  const ended = await waitFor(async () => {
    const record = await detail(id)
    return names(record.timeline).includes("burnt") && record
  }, "the credential to be burned")
  const of = (event: string): Event => ended.timeline.find((one: Event) => one.event === event)
  expect(names(ended.timeline).slice(-2)).toEqual(["revoked", "burnt"])
  expect(of("started")).toMatchObject({
    by: { kind: "user", name: "The owner" },
    request_id: started.headers.get("x-request-id"),
  })
  expect(of("revoked")).toMatchObject({
    by: { kind: "user", name: "The owner" },
    request_id: revoked.headers.get("x-request-id"),
    detail: "The wallet was lost.",
  })
  expect(of("confirmed")).toMatchObject({ signature: ended.onchain_tx, slot: ended.slot })
  expect(ended.slot).toBeGreaterThan(0)
  expect(ended.timeline.map((one: Event) => one.at)).toEqual(ended.timeline.map((one: Event) => one.at).toSorted())
})

test("a provider is shown by its label, even after its settings are gone, and an unknown one by its name", async () => {
  const { key, detail } = await enter()
  const { sessionId } = await app.startSession(key)
  const id = await idOf(sessionId)
  for (const [name, label] of [
    ["sandbox", "Built-in sandbox"],
    ["stripe", "Stripe Identity"],
    ["gone", "gone"],
  ] as const) {
    await sql`update attestations set provider = ${name} where id = ${id}`
    expect((await detail(id)).provider).toBe(label)
  }
})

test("a session that a key started is linked to its request in the log", async () => {
  const { key, workspaceId, detail } = await enter()
  const { wallet, sessionId } = await app.startSession(key)
  const id = await idOf(sessionId)
  const log = (requestId: string, of: string) => sql`
    insert into api_requests (workspace_id, id, at, method, path, status, duration_us, key_id, headers, request_body)
    values (${workspaceId}, ${requestId}, now(), 'POST', '/kyc/start', 200, 900, ${key.keyId}, '{}',
      ${JSON.stringify({ userPubkey: of, schemaId: "kyc_individual_v1" })})
    on conflict do nothing`
  const requestId = newId("req")
  // The request log is written about a second later. This wait makes sure that it never comes.
  await waitFor(async () => {
    const gone = await sql`delete from api_requests where workspace_id = ${workspaceId} returning id`
    return gone.length > 0
  }, "the request to be logged")
  await log(newId("req"), "another wallet")
  await log(requestId, wallet)
  const { timeline } = await detail(id)
  expect(timeline[0]).toMatchObject({
    event: "started",
    by: { kind: "key", name: "test" },
    request_id: requestId,
  })
})

test("revoking leaves one audit line, for a key and for a person; revoking again leaves none", async () => {
  const { key, browser, workspaceId } = await enter()
  const lines = () => sql`
    select actor, actor_name, action, subject, detail, request_id from audit_entries
    where workspace_id = ${workspaceId} and action = 'attestation.revoked' order by seq`
  const first = await app.startSession(key)
  const id = await idOf(first.sessionId)
  const revoke = () =>
    app.request({
      method: "POST",
      path: `/attestation/${id}/revoke`,
      key: key.apiKey,
      json: { reason: "Lost" },
    })
  const response = await revoke()
  const line = { action: "attestation.revoked", detail: { was: "pending" } }
  const byKey = {
    ...line,
    actor: "key",
    actor_name: "test",
    subject: id,
    request_id: response.json.request_id,
  }
  expect(await lines()).toMatchObject([{ ...byKey, request_id: response.headers["x-request-id"] }])
  await revoke()
  expect(await lines()).toHaveLength(1)

  const second = await idOf((await app.startSession(key)).sessionId)
  await browser.mutate("attestation.revoke", { id: second, reason: "Lost" })
  expect((await lines())[1]).toMatchObject({
    ...line,
    actor: "user",
    actor_name: "The owner",
    subject: second,
  })
})

test("starting a session by hand leaves an audit line; joining an open one, or starting with a key, leaves none", async () => {
  const { key, browser, workspaceId } = await enter()
  const { wallet, sessionId } = await app.startSession(key)
  const lines = () => sql`
    select subject, detail from audit_entries where workspace_id = ${workspaceId} and action = 'session.started'`
  const start = (userPubkey: string) => browser.mutate("kyc.start", { userPubkey, schemaId: "kyc_individual_v1" })
  expect((await start(wallet)).data.session_id).toBe(sessionId)
  expect(await lines()).toHaveLength(0)
  const other = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
  const started = await Promise.all([start(other), start(other), start(other)])
  const sessions = new Set(started.map((one) => one.data.session_id))
  expect(sessions.size).toBe(1)
  expect([...(await lines())]).toEqual([
    { subject: await idOf([...sessions][0]), detail: { schema: "kyc_individual_v1" } },
  ])
})

test("a viewer cannot start or revoke, and sees no id of a session or a review", async () => {
  const { key, account, read } = await enter()
  const { wallet, sessionId } = await app.startSession(key)
  const id = await idOf(sessionId)
  const viewer = (await member(app, { role: "viewer", account })).browser
  const start = await viewer.mutate("kyc.start", { userPubkey: wallet, schemaId: "kyc_business_v1" })
  const revoke = await viewer.mutate("attestation.revoke", { id, reason: "x" })
  for (const refused of [start, revoke]) {
    expect(refused).toMatchObject({ status: 403, error: { error: "insufficient_scope" } })
  }
  await app.webhook({ session_id: sessionId, decision: "in_review" })
  expect((await viewer.query("attestation.detail", { id })).data).toMatchObject({
    status: "pending",
    session_id: null,
    review_id: null,
  })
  expect((await read("attestation.detail", { id })).session_id).toBe(sessionId)
})

test("the chain agrees with the record, and the commitment can be computed from the record", async () => {
  const { key, detail, read } = await enter()
  const { wallet, sessionId } = await app.verifiedWallet(key)
  const id = await idOf(sessionId)
  const { record, account, transaction } = await read("attestation.verifyOnChain", { id })
  const shown = await detail(id)
  expect(account).toEqual({
    owner: wallet,
    mint: record.onchain.mint,
    amount: "1",
    frozen: true,
    program: record.onchain.program,
  })
  expect(transaction).toMatchObject({ succeeded: true, slot: shown.slot })
  expect(transaction.signers).toContain(record.onchain.authority)
  expect(transaction.memos).toContain(shown.memo)
  const { attestation_id, schema, user_pubkey, issued_at, expires_at } = record
  const { salt, commitment } = record.onchain
  const text = canonicalize({ attestation_id, schema, user_pubkey, issued_at, expires_at, salt })!
  const digest = await webcrypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  expect(Buffer.from(digest).toString("base64url")).toBe(commitment)
})

test("a credential has one state at a time: held, being removed, or destroyed by a transaction", async () => {
  const { key, browser, detail } = await enter()
  const { sessionId } = await app.verifiedWallet(key)
  const id = await idOf(sessionId)
  expect((await detail(id)).credential).toEqual({ state: "held" })
  await app.faults({ drop: 1 })
  await browser.mutate("attestation.revoke", { id, reason: "x" })
  const revoked = await detail(id)
  expect(revoked).toMatchObject({ status: "revoked", credential: { state: "removing" } })
  await app.faults({})
  const gone = await waitFor(async () => {
    const now = await detail(id)
    return now.credential.state !== "removing" && now
  }, "the credential to be destroyed")
  const burnt = gone.timeline.find((one: Event) => one.event === "burnt")
  expect(gone.credential).toEqual({ state: "destroyed", transaction: burnt.signature })
  expect((await detail(await idOf((await app.startSession(key)).sessionId))).credential).toBeNull()
})

test("a renewal leaves the wallet one unit, and each attestation says which of them it belongs to", async () => {
  const { key, detail, read } = await enter()
  const first = await app.verifiedWallet(key)
  const second = await app.startSession(key, first.wallet)
  await app.webhook({ session_id: second.sessionId, decision: "approved" })
  const [old, renewed] = [await idOf(first.sessionId), await idOf(second.sessionId)]
  await waitFor(async () => (await detail(renewed)).status === "verified", "the renewal to be verified")
  expect(await detail(old)).toMatchObject({ status: "expired", credential: { state: "replaced" } })
  expect((await detail(renewed)).credential).toEqual({ state: "held" })
  const of = async (id: string) => {
    const { unit, account } = await read("attestation.verifyOnChain", { id })
    return [unit, account.amount]
  }
  expect(await of(old)).toEqual(["another", "1"])
  expect(await of(renewed)).toEqual(["this", "1"])
})

test("the chain shows that a credential is burned; an attestation that is not issued yet, or an unreachable chain, gives an error", async () => {
  const { key, browser, read } = await enter()
  const pending = await idOf((await app.startSession(key)).sessionId)
  const { sessionId } = await app.verifiedWallet(key)
  const id = await idOf(sessionId)
  await expect(read("attestation.verifyOnChain", { id: pending })).rejects.toMatchObject({
    code: "validation_failed",
  })
  await browser.mutate("attestation.revoke", { id, reason: "x" })
  await waitFor(async () => {
    const { account, unit } = await read("attestation.verifyOnChain", { id })
    // At no moment do chain and record contradict each other.
    expect([unit, account.amount]).not.toEqual(["none", "1"])
    expect([unit, account.amount]).not.toEqual(["this", "0"])
    return unit === "none" && account.amount === "0"
  }, "the credential to be burned")
  await app.faults({ too_many_requests: 1 })
  await expect(read("attestation.verifyOnChain", { id })).rejects.toMatchObject({ code: "chain_unavailable" })
  await app.faults({})
})

test("a workspace's transaction is shown with its instructions and exact bytes; another workspace's is not", async () => {
  const { key, read, detail } = await enter()
  const { sessionId } = await app.verifiedWallet(key)
  const { onchain_tx, memo, onchain } = await detail(await idOf(sessionId))
  const view = await read("transaction.get", { signature: onchain_tx })
  expect(view).toMatchObject({
    status: "confirmed",
    on_chain: true,
    error: null,
    cluster: "localnet",
    explorer: null,
  })
  expect(view.logs.length).toBeGreaterThan(0)
  const steps = view.instructions.slice(-5)
  expect(steps.map((one: { name: string }) => one.name)).toEqual([
    "CreateIdempotent",
    "ThawAccount",
    "Memo",
    "MintTo",
    "FreezeAccount",
  ])
  expect(steps[2].memo).toBe(memo)
  expect(steps[3]).toMatchObject({ amount: "1", program_name: "Token-2022" })
  expect(steps[3].accounts.map((one: { address: string }) => one.address)).toContain(onchain.token_account)
  const [saved] = await sql<{ wire: Buffer }[]>`select wire from transactions where signature = ${onchain_tx}`
  expect(view.wire).toBe(saved!.wire.toString("base64"))
  const stranger = await enter()
  await expect(stranger.read("transaction.get", { signature: onchain_tx })).rejects.toMatchObject({
    code: "operation_not_found",
  })
})

test("if the chain does not answer, the saved bytes still show what was signed", async () => {
  const { key, read, detail } = await enter()
  const { sessionId } = await app.verifiedWallet(key)
  const { onchain_tx, memo } = await detail(await idOf(sessionId))
  await app.faults({ too_many_requests: 1 })
  const view = await read("transaction.get", { signature: onchain_tx })
  await app.faults({})
  expect(view).toMatchObject({ status: "confirmed", on_chain: false, logs: null })
  expect(view.instructions.map((one: { memo: string | null }) => one.memo)).toContain(memo)
  expect(view.slot).toBeGreaterThan(0)

  await sql`update transactions set wire = null where signature = ${onchain_tx}`
  await app.faults({ too_many_requests: 1 })
  const later = await read("transaction.get", { signature: onchain_tx })
  await app.faults({})
  expect(later).toMatchObject({ status: "confirmed", on_chain: false, wire: null, instructions: [] })
})

test("another workspace's attestation is not found by any request", async () => {
  const { key } = await enter()
  const id = await idOf((await app.startSession(key)).sessionId)
  const stranger = await enter()
  for (const path of ["attestation.detail", "attestation.verifyOnChain"]) {
    for (const unknown of [id, newId("att"), "att_x", "x"]) {
      await expect(stranger.read(path, { id: unknown })).rejects.toMatchObject({
        code: "attestation_not_found",
      })
    }
  }
})
