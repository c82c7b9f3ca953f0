import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import type { IdempotencyClaim } from "#server/domain/requests/context.ts"
import { claimKey, storeAnswer } from "#server/domain/requests/idempotency.ts"
import { newId } from "#server/lib/ids.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { eraseInvestor, eraseWallet } from "./erase.ts"
import { erasers } from "./erasers.ts"

// Answers that are stored and sessions that begin at the moment of an erasure.
usesApp()

/** A request about a wallet that has taken effect, and whose answer is not stored yet. */
async function begun() {
  const key = await app.key()
  const { workspaceId } = key
  const { wallet, sessionId } = await app.startSession(key)
  const [row] = await sql<{ id: string }[]>`select id from attestations where session_id = ${sessionId}`
  const attestation = { id: row!.id, session_id: sessionId }
  const claim: IdempotencyClaim = {
    workspaceId,
    keyId: key.keyId,
    idempotencyKey: newId("evt"),
    fingerprint: Buffer.alloc(32),
    begun: null,
  }
  await sql.begin((sql) => claimKey(sql, claim, attestation.id))
  return {
    workspaceId,
    wallet,
    attestation,
    store: () => storeAnswer(claim, { status: 200, body: '{"external_id":"jane-doe"}' }),
    stored: async () => {
      const [record] = await sql<{ status: number | null; body: Buffer | null }[]>`
        select status, body from idempotency_records
        where workspace_id = ${workspaceId} and idempotency_key = ${claim.idempotencyKey}`
      return record
    },
  }
}

const someoneWaits = () =>
  waitFor(
    async () =>
      (
        await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length > 0,
    "someone to wait for a lock",
  )

const NOTHING = { status: null, body: null }

test("an answer that is stored before the erasure is erased with it", async () => {
  const { workspaceId, wallet, store, stored } = await begun()
  await store()
  expect((await stored())?.status).toBe(200)
  await eraseWallet({ workspaceId, wallet, inForce: "end" })
  expect(await stored()).toEqual(NOTHING)
})

test("an answer that is computed before the erasure and stored after it leaves nothing", async () => {
  const { workspaceId, wallet, store, stored } = await begun()
  await eraseWallet({ workspaceId, wallet, inForce: "end" })
  await store()
  expect(await stored()).toEqual(NOTHING)
})

test("an answer that is stored during the erasure waits for it and leaves nothing", async () => {
  const { workspaceId, wallet, attestation, store, stored } = await begun()
  let storing: Promise<void> | undefined
  await sql.begin(async (erasure) => {
    const of = {
      workspaceId,
      wallets: [wallet],
      attestations: [attestation],
      investorIds: [],
      now: new Date(),
    }
    for (const eraseFrom of erasers) await eraseFrom(erasure, of)
    storing = store()
    await someoneWaits()
  })
  await storing
  expect(await stored()).toEqual(NOTHING)
})

test("a session that begins while its person's erasure waits is erased too", async () => {
  for (const by of ["investor", "wallet"]) {
    const key = await app.key()
    const { workspaceId } = key
    const [known, begun] = [await app.startSession(key), await app.startSession(key)]
    const [person] = await sql<{ id: string }[]>`
      select investor_id as id from attestations where session_id = ${known.sessionId}`
    const investorId = person!.id
    let erasing: Promise<unknown> | undefined
    await sql.begin(async (start) => {
      // Locks the person and gives them the session, like a start.
      await start`select from investors where workspace_id = ${workspaceId} and id = ${investorId} for no key update`
      await start`update attestations set investor_id = ${investorId} where session_id = ${begun.sessionId}`
      const what = { workspaceId, inForce: "end" } as const
      erasing =
        by === "wallet" ? eraseWallet({ ...what, wallet: known.wallet }) : eraseInvestor({ ...what, investorId })
      await someoneWaits()
    })
    await erasing
    const [later] = await sql`
      select a.status, i.erased_at is not null as erased
      from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
      where a.session_id = ${begun.sessionId}`
    // Erasing a person covers the session; erasing a wallet covers its known sessions.
    expect(later).toEqual(by === "wallet" ? { status: "pending", erased: false } : { status: "rejected", erased: true })
  }
})
