import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { allScopes } from "#shared/scopes.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { member } from "#test/fixtures/people.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { eraseInvestor } from "./erase.ts"

usesCustomer({ key: { plan: "growth" } })

type By = { by?: TestKey; idempotencyKey?: string }

const send = (path: string, { by = key, idempotencyKey }: By = {}) =>
  app.request({
    method: "POST",
    path,
    key: by.apiKey,
    json: {},
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
const eraseWallet = (wallet: string, more: By = {}) => send(`/wallets/${wallet}/erase`, more)
const eraseInvestorOf = (id: string, more: By = {}) => send(`/investor/${id}/erase`, more)

const start = async (wallet: string, externalId?: string, schemaId = "kyc_individual_v1", by = key) => {
  const json = { userPubkey: wallet, schemaId, ...(externalId !== undefined && { externalId }) }
  const answer = await app.request({ method: "POST", path: "/kyc/start", key: by.apiKey, json })
  expect(answer.status).toBe(200)
  return answer.json.session_id as string
}
const verify = async (wallet: Address, externalId?: string) => {
  const sessionId = await start(wallet, externalId)
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(key, wallet, "verified")
  return sessionId
}
const rowsOf = async (wallet: string) =>
  (
    await sql`
      select a.status, a.investor_id, i.external_id as name, i.erased_at is not null as erased,
        a.claims is not null or a.salt is not null or a.external_id is not null as known
      from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
      where a.workspace_id = ${key.workspaceId} and a.wallet = ${wallet} order by a.seq`
  ).map((row) => ({ ...row }))
const investorOf = async (wallet: string): Promise<string> => (await rowsOf(wallet)).at(-1)!.investor_id
const entriesOf = async (...subjects: string[]) =>
  (
    await sql`
      select action, subject, detail, request_id is not null as asked from audit_entries
      where workspace_id = ${key.workspaceId} and subject = any(${subjects}) and action like '%erased' order by seq`
  ).map((row) => ({ ...row }))
/** Waits until the books have no credential of the wallet and no open operation to destroy it. */
const burnt = (wallet: string) =>
  waitFor(async () => {
    const [row] = await sql`
      select attestation_id from credentials where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
    return row !== undefined && row.attestation_id === null
  }, `the credential of ${wallet} to be destroyed`)

test("erasing a verified wallet revokes it, destroys its credential and leaves only its address", async () => {
  const wallet = newWallet()
  await verify(wallet, "jane-4711")
  const { status, json } = await eraseWallet(wallet)
  expect(status).toBe(200)
  expect(json).toEqual({
    erasure_id: expect.stringMatching(/^era_/),
    investor_id: await investorOf(wallet),
    user_pubkeys: [wallet],
    attestations: 1,
    revoked: 1,
    erased_at: expect.any(String),
    vendor_redactions: [],
  })
  expect(await rowsOf(wallet)).toEqual([
    { status: "rejected", investor_id: json.investor_id, name: null, erased: true, known: false },
  ])
  await burnt(wallet)
  // One entry, without personal data.
  expect(await entriesOf(wallet)).toEqual([
    { action: "wallet.erased", subject: wallet, detail: { attestations: 1 }, asked: true },
  ])
  const found = await app.request({ method: "GET", path: `/erasure/${json.erasure_id}`, key: key.apiKey })
  expect(found.json).toEqual(json)
})

test("a repeat, with or without an idempotency key, returns the same and does nothing", async () => {
  const wallet = newWallet()
  await verify(wallet)
  const name = newId("evt")
  const first = await eraseWallet(wallet, { idempotencyKey: name })
  expect((await eraseWallet(wallet, { idempotencyKey: name })).headers["idempotent-replayed"]).toBe("true")
  expect((await eraseWallet(wallet)).json).toEqual(first.json)
  expect((await eraseWallet(wallet, { idempotencyKey: newId("evt") })).json).toEqual(first.json)
  expect((await eraseInvestorOf(first.json.investor_id)).json).toEqual(first.json)
  expect(await entriesOf(wallet)).toHaveLength(1)
})

test("an idempotency key whose answer was lost finds its erasure, whatever has begun since", async () => {
  const wallet = newWallet()
  await verify(wallet)
  const name = newId("evt")
  const first = await eraseWallet(wallet, { idempotencyKey: name })
  await sql`
    update idempotency_records set status = null, body = null
    where workspace_id = ${key.workspaceId} and idempotency_key = ${name}`
  const later = await start(wallet)
  expect((await eraseWallet(wallet, { idempotencyKey: name })).json).toEqual(first.json)
  const { json } = await app.request({ method: "GET", path: `/kyc/session/${later}`, key: key.apiKey })
  expect(json.state).toBe("open")
})

test("many simultaneous requests erase once", async () => {
  const wallet = newWallet()
  await verify(wallet, newId("evt"))
  const id = await investorOf(wallet)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => (n % 2 ? eraseWallet(wallet) : eraseInvestorOf(id))),
  )
  expect(answers.map(({ text }) => text)).toEqual(answers.map(() => answers[0]!.text))
  expect(await entriesOf(wallet, id)).toHaveLength(1)
})

test("a pending attestation ends: its unit is returned, and a late approval is ignored", async () => {
  const own = await app.key()
  const wallet = newWallet()
  const sessionId = await start(wallet, "late", "kyc_individual_v1", own)
  expect((await eraseWallet(wallet, { by: own })).json).toMatchObject({ attestations: 1, revoked: 1 })
  const { json } = await app.request({ method: "GET", path: "/usage", key: own.apiKey })
  expect(json.used).toBe(0)
  const event = { session_id: sessionId, decision: "approved", claims: { country: "US" } }
  expect((await app.webhook(event)).json.outcome).toBe("ignored")
})

test("later events leave nothing, not even their ids", async () => {
  const wallet = newWallet()
  const session_id = await verify(wallet)
  await eraseWallet(wallet)
  for (const decision of ["approved", "rejected", "in_review", "resubmission_requested", "expired"] as const) {
    const occurred_at = new Date(Date.now() + 60_000).toISOString()
    const event = { session_id, decision, occurred_at, reason: "Jane was listed", claims: { country: "KP" } }
    for (let n = 0; n < 2; n++)
      expect((await app.webhook(event, { id: `evt_jane_${decision}` })).json).toEqual({
        received: true,
        outcome: "ignored",
      })
  }
  expect(
    await sql`select from webhook_events e join attestations a on a.id = e.attestation_id where a.wallet = ${wallet}`,
  ).toHaveLength(0)
  expect(await rowsOf(wallet)).toMatchObject([{ status: "rejected", known: false }])
})

test("after a simultaneous erasure and approval, in either order, nothing is verified and nothing is known", async () => {
  for (let n = 0; n < 5; n++) {
    const wallet = newWallet()
    const sessionId = await start(wallet, newId("evt"))
    const event = { session_id: sessionId, decision: "approved", claims: { country: "US" } }
    const [erased] = await Promise.all([eraseWallet(wallet), app.webhook(event)])
    expect(erased.status).toBe(200)
    expect(await rowsOf(wallet)).toMatchObject([{ status: "rejected", erased: true, known: false }])
    await waitFor(async () => {
      const [row] = await sql`
        select count(*)::int as count from operations
        where workspace_id = ${key.workspaceId} and wallet = ${wallet} and status in ('queued', 'submitted')`
      return row!.count === 0
    }, "the ledger to be idle")
    const [row] = await sql`
      select attestation_id from credentials where workspace_id = ${key.workspaceId} and wallet = ${wallet}`
    expect(row?.attestation_id ?? null).toBeNull()
  }
})

test("an investor is erased with all wallets, and their external id is free", async () => {
  const name = newId("evt")
  const wallets = [newWallet(), newWallet(), newWallet()].sort()
  for (const wallet of wallets.slice(0, 2)) await verify(wallet, name)
  await start(wallets[2]!, name)
  const id = await investorOf(wallets[0]!)
  const { json } = await eraseInvestorOf(id)
  expect(json).toMatchObject({ investor_id: id, user_pubkeys: wallets, attestations: 3, revoked: 3 })
  for (const wallet of wallets)
    expect(await rowsOf(wallet)).toEqual([
      { status: "rejected", investor_id: id, name: null, erased: true, known: false },
    ])
  expect(await entriesOf(id)).toEqual([
    { action: "investor.erased", subject: id, detail: { attestations: 3, wallets: 3 }, asked: true },
  ])
  for (const wallet of wallets.slice(0, 2)) await burnt(wallet)
})

test("erasing one of several wallets leaves the others unchanged and no longer tied to it", async () => {
  const name = newId("evt")
  const [gone, stays] = [newWallet(), newWallet()]
  await verify(gone, name)
  await verify(stays, name)
  const id = await investorOf(stays)
  const { json } = await eraseWallet(gone)
  expect(json.investor_id).not.toBe(id)
  expect(await rowsOf(gone)).toMatchObject([{ investor_id: json.investor_id, name: null, erased: true }])
  expect(await rowsOf(stays)).toEqual([{ status: "verified", investor_id: id, name, erased: false, known: true }])
})

test("if a wallet changed its owner, erasing the first person erases only their data", async () => {
  const wallet = newWallet()
  const first = await start(wallet, "first-owner")
  await app.webhook({ session_id: first, decision: "rejected" })
  const [{ investor_id: id }] = (await rowsOf(wallet)) as [{ investor_id: string }]
  await verify(wallet, "second-owner")
  expect((await eraseInvestorOf(id)).json).toMatchObject({ user_pubkeys: [], attestations: 1, revoked: 0 })
  expect(await rowsOf(wallet)).toMatchObject([
    { erased: true, known: false },
    { status: "verified", name: "second-owner", known: true },
  ])
})

test("a person who begins again after an erasure is a new investor, even with the same external id", async () => {
  const name = newId("evt")
  const wallet = newWallet()
  await verify(wallet, name)
  const { json: first } = await eraseWallet(wallet)
  await start(wallet)
  const again = await investorOf(wallet)
  expect(again).not.toBe(first.investor_id)
  await start(newWallet(), name)
  const { json: second } = await eraseWallet(wallet)
  expect(second).toMatchObject({ investor_id: again, attestations: 1 })
  expect(second.erasure_id).not.toBe(first.erasure_id)
})

test("erasing a merged investor erases the one it was merged into", async () => {
  const wallet = newWallet()
  const name = newId("evt")
  const anonymous = await start(wallet)
  await send(`/kyc/session/${anonymous}/cancel`)
  const before = await investorOf(wallet)
  await start(newWallet(), name)
  await start(wallet, name)
  const id = await investorOf(wallet)
  expect(before).not.toBe(id)
  expect((await eraseInvestorOf(before)).json).toMatchObject({ investor_id: id, attestations: 3 })
})

test("unknown, other workspaces' and invalid subjects are refused", async () => {
  const wallet = newWallet()
  await verify(wallet, "kept")
  const id = await investorOf(wallet)
  const stranger = await app.key()
  const theirs = await eraseWallet(wallet, { by: stranger })
  expect(theirs).toMatchObject({ status: 404, json: { error: "attestation_not_found" } })
  const other = await eraseInvestorOf(id, { by: stranger })
  const unknown = await eraseInvestorOf(newId("inv"), { by: stranger })
  expect((await eraseInvestorOf("%00", { by: stranger })).status).toBeLessThan(500)
  expect(other).toMatchObject({ status: 404, json: { error: "investor_not_found" } })
  expect(unknown.json.detail).toBe(other.json.detail)
  expect(await eraseInvestor({ workspaceId: stranger.workspaceId, investorId: id })).toBeNull()
  const scopes = allScopes.filter((scope) => scope !== "investor:erase")
  const account = { workspaces: { test: key.workspaceId } } as never
  const weak = await app.key({ account, scopes })
  expect((await eraseWallet(wallet, { by: weak })).json.error).toBe("insufficient_scope")
  expect((await eraseWallet("x")).json.error).toBe("invalid_public_key")
  expect(await rowsOf(wallet)).toMatchObject([{ status: "verified", known: true }])
  const { json } = await eraseWallet(wallet)
  const hidden = await app.request({
    method: "GET",
    path: `/erasure/${json.erasure_id}`,
    key: stranger.apiKey,
  })
  expect(hidden).toMatchObject({ status: 404, json: { error: "erasure_not_found" } })
})

test("a viewer cannot erase", async () => {
  const { account } = await member(app)
  const mine = await app.startSession(await app.key({ account }))
  const viewer = (await member(app, { role: "viewer", account })).browser
  expect(await viewer.mutate("erasure.wallet", { pubkey: mine.wallet })).toMatchObject({
    error: { error: "insufficient_scope" },
  })
})

test("a person erased with another person's wallet can be erased by investor id, also repeatedly", async () => {
  const wallet = newWallet()
  const first = newId("evt")
  const session = await start(wallet, first)
  const cancelled = await send(`/kyc/session/${session}/cancel`)
  expect(cancelled.status).toBe(200)
  const gone = await investorOf(wallet)
  await start(wallet, newId("evt"))
  const erased = await eraseWallet(wallet)
  expect(erased.status).toBe(200)
  expect(await sql`select from investors where id = ${gone} and erased_at is not null`).toHaveLength(1)
  const byName = await eraseInvestorOf(gone)
  expect(byName).toMatchObject({ status: 200, json: { erasure_id: expect.any(String) } })
  expect((await eraseInvestorOf(gone)).json).toEqual(byName.json)
})
