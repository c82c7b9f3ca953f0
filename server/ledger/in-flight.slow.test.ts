import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { Address } from "#shared/address.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { pauseLedger, resumeLedger } from "#test/fixtures/ledger-pause.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"

// Slots are long, so that bytes stay valid on a busy machine: what lands late must land.
usesCustomer({ environment: { VOUCH_LOCALNET_SLOT_MS: "100" }, key: { plan: "growth" } })
beforeAll(async () => {
  await app.verifiedWallet(key) // The credential's mint exists from here on.
})
afterEach(async () => {
  await resumeLedger()
  await app.faults({})
  await hold(false)
})

const hold = (on: boolean) => app.chain.hold(on)
const operationOf = async (sessionId: string) => {
  const [row] = await sql<{ status: string; signature: string | null }[]>`
    select o.status, o.signature from operations o join attestations a on a.operation_id = o.id
    where a.session_id = ${sessionId}`
  return row
}
const attestationOf = async (sessionId: string) => {
  const [row] = await sql<{ id: string; status: string; onchain_tx: string | null }[]>`
    select id, status, onchain_tx from attestations where session_id = ${sessionId}`
  return row!
}
const nothingUnderWay = () =>
  waitFor(async () => {
    const [row] = await sql<{ busy: number }[]>`
      select count(*)::int as busy from operations where status in ('queued', 'submitted')`
    return row!.busy === 0
  }, "the ledger to have nothing left to do")

/** How far an attest has come when its attestation ends. Each returns a function that lets the network work again. */
const stages = {
  "that is queued": async (sessionId: string) => {
    await pauseLedger()
    await app.webhook({ session_id: sessionId, decision: "approved" })
    expect((await operationOf(sessionId))?.status).toBe("queued")
    return () => resumeLedger()
  },
  "that is signed and lost on its way": async (sessionId: string) => {
    await signedAndLost(sessionId)
    return () => hold(false)
  },
  "that has landed unseen": async (sessionId: string) => {
    await signedAndLost(sessionId)
    await app.faults({ land_without_answer: 1 })
    await hold(false)
    return () => app.faults({})
  },
}

async function signedAndLost(sessionId: string): Promise<string> {
  await hold(true)
  await app.webhook({ session_id: sessionId, decision: "approved" })
  await waitFor(async () => (await operationOf(sessionId))?.status === "submitted", "the attest to be signed")
  return (await operationOf(sessionId))!.signature!
}

/** Ways to end an approved attestation. */
const ends = {
  revocation: async (sessionId: string) => {
    const { id } = await attestationOf(sessionId)
    const { status } = await app.request({
      method: "POST",
      path: `/attestation/${id}/revoke`,
      key: key.apiKey,
      json: { reason: "Changed our mind" },
    })
    expect(status).toBe(200)
    return "rejected"
  },
  rejection: async (sessionId: string) => {
    const { json } = await app.webhook({
      session_id: sessionId,
      decision: "rejected",
      occurred_at: new Date(Date.now() + 1000).toISOString(),
    })
    expect(json.outcome).toBe("applied")
    return "rejected"
  },
  expiry: async (sessionId: string) => {
    await advanceClock({ days: 366 })
    await waitFor(async () => (await attestationOf(sessionId)).status === "expired", "the sweep")
    return "expired"
  },
}

describe.each(Object.entries(ends))("a %s", (_end, endIt) => {
  test.each(Object.entries(stages))("ends an attest %s, and the attestation stays ended", async (_stage, reach) => {
    const before = await usedUnits()
    const { wallet, sessionId } = await app.startSession(key)
    const release = await reach(sessionId)
    const expected = await endIt(sessionId)
    await release()
    await nothingUnderWay()
    expect((await attestationOf(sessionId)).status).toBe(expected)
    expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 0, frozen: true })
    await restoreClock()
    expect(await usedUnits()).toBe(before)
    expect(await differences()).toEqual([])
  })
})

async function usedUnits(): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    select coalesce(sum(used), 0)::int as used from usage_periods where workspace_id = ${key.workspaceId}`
  return row!.used
}

test("a verified wallet whose attestation is revoked loses its credential, and can be verified again", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  await app.request({
    method: "POST",
    path: `/attestation/${status.attestation_id}/revoke`,
    key: key.apiKey,
    json: { reason: "Sanctions" },
  })
  await waitFor(async () => (await credentialOf(app, key, wallet)).amount === 0, "the burn")
  const again = await app.verifiedWallet(key, wallet)
  expect(again.status.attestation_id).not.toBe(status.attestation_id)
  expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 1, frozen: true })
})

test("a verified attestation loses its credential when it expires", async () => {
  const { wallet, sessionId } = await app.verifiedWallet(key)
  await advanceClock({ days: 366 })
  await waitFor(async () => (await attestationOf(sessionId)).status === "expired", "the sweep")
  await waitFor(async () => (await credentialOf(app, key, wallet)).amount === 0, "the burn")
  await nothingUnderWay()
  await restoreClock()
  expect(await differences()).toEqual([])
})

test("a renewal replaces the credential in one transaction, and the old attestation is superseded", async () => {
  const { wallet, sessionId, status } = await app.verifiedWallet(key)
  const renewal = await app.startSession(key, wallet)
  expect(renewal.sessionId).not.toBe(sessionId)
  expect((await app.waitForStatus(key, wallet, "verified")).attestation_id).toBe(status.attestation_id)
  await app.webhook({ session_id: renewal.sessionId, decision: "approved" })
  await waitFor(async () => (await attestationOf(renewal.sessionId)).status === "verified", "the renewal")
  const [old] = await sql<{ status: string; reason: string }[]>`
    select status, reason from attestations where session_id = ${sessionId}`
  expect(old).toEqual({ status: "expired", reason: "superseded" })
  expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 1, frozen: true })
  await nothingUnderWay()
  expect(await differences()).toEqual([])
})

test("a renewal that is revoked before it lands leaves the wallet verified by the old attestation", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  const renewal = await app.startSession(key, wallet)
  await signedAndLost(renewal.sessionId)
  await ends.revocation(renewal.sessionId)
  await hold(false)
  await nothingUnderWay()
  expect((await app.waitForStatus(key, wallet, "verified")).attestation_id).toBe(status.attestation_id)
  expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 1, frozen: true })
  expect(await differences()).toEqual([])
})

test("a lost transaction is signed again once its blockhash has expired, and lands once", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const first = await signedAndLost(sessionId)
  await app.chain.pass(250)
  await waitFor(async () => (await operationOf(sessionId))?.signature !== first, "the attest to be signed again")
  await hold(false)
  await app.waitForStatus(key, wallet, "verified")
  const transactions = await sql<{ status: string }[]>`
    select t.status from transactions t, operations o
    where t.layout @> jsonb_build_array(jsonb_build_array(o.id)) and o.id = (select operation_id from attestations where session_id = ${sessionId})
    order by t.created_at`
  expect(transactions.filter(({ status }) => status === "confirmed")).toHaveLength(1)
  expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 1, frozen: true })
  expect(await differences()).toEqual([])
})

test("a transaction that landed unseen is found and settled, not repeated", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const signature = await signedAndLost(sessionId)
  await app.faults({ land_without_answer: 1 })
  await hold(false)
  await waitFor(async () => (await credentialOfQuietly(wallet)) === 1, "the attest to land")
  // There is no status for longer than its blockhash is valid, so only the history shows what happened to it.
  await app.faults({})
  await app.chain.pass(250)
  const status = await app.waitForStatus(key, wallet, "verified")
  expect(status.onchain_tx).toBe(signature)
  expect(await differences()).toEqual([])
})

/** Restores the network for a moment to read the credential: answers are cut off while it fails. */
async function credentialOfQuietly(wallet: Address): Promise<number> {
  await app.faults({})
  const { amount } = await credentialOf(app, key, wallet)
  if (amount === 0) await app.faults({ land_without_answer: 1 })
  return amount
}

test("everyone is verified although three calls of ten fail, in every way that a network can fail", async () => {
  await app.faults({
    drop: 0.1,
    too_many_requests: 0.1,
    land_without_answer: 0.1,
    delay: { p: 0.1, ms: 100 },
  })
  const sessions = await Promise.all(Array.from({ length: 40 }, () => app.startSession(key)))
  await Promise.all(sessions.map(({ sessionId }) => app.webhook({ session_id: sessionId, decision: "approved" })))
  await Promise.all(sessions.map(({ wallet }) => app.waitForStatus(key, wallet, "verified")))
  await app.faults({})
  for (const { wallet } of sessions) expect((await credentialOf(app, key, wallet)).amount).toBe(1)
  expect(await differences()).toEqual([])
})
