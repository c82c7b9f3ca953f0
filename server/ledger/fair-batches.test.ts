import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { BATCH } from "./queue.ts"

usesApp()

test("a workspace that floods the queue delays another by a batch or two, not by its whole flood", async () => {
  const [flooding, waiting] = [await app.key(), await app.key()]
  const [flood, other] = [tokenFixture(app, flooding), tokenFixture(app, waiting)]
  const [floodConfig, otherConfig] = [await flood.config(), await other.config()]
  const [[many], [one]] = [await flood.wallets(1), await other.wallets(1)]
  const async = { headers: { Prefer: "respond-async" } }
  const { json } = await whileLedgerPaused(async () => {
    await Promise.all(Array.from({ length: 400 }, () => flood.mint(floodConfig, many!, "1", async)))
    return other.mint(otherConfig, one!, "1", async)
  })
  const stand = async () => (await other.get(`/token/operation/${json.operation_id}`)).json.status
  await waitFor(async () => (await stand()) === "confirmed", "the other workspace's mint")
  const [row] = await sql<{ ahead: number }[]>`
    with mine as (
      select t.created_at as signed from operations o join transactions t on t.signature = o.signature
      where o.workspace_id = ${waiting.workspaceId} and o.id = ${json.operation_id}
    )
    select count(*)::int as ahead from mine, operations o join transactions t on t.signature = o.signature
    where o.workspace_id = ${flooding.workspaceId} and o.kind = 'mint' and t.created_at < mine.signed`
  expect(row!.ahead).toBeLessThanOrEqual(3 * BATCH.most)
})

test("a flood of mints delays a revocation and a freeze by a batch or two", async () => {
  const key = await app.key()
  const tokens = tokenFixture(app, key)
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [many, revoked] = await tokens.wallets(2)
  expect((await tokens.mint(config, revoked!, "1")).json.status).toBe("confirmed")
  const { attestation_id } = (await tokens.get(`/kyc/status/${revoked}`)).json
  const async = { headers: { Prefer: "respond-async" } }
  await whileLedgerPaused(async () => {
    // Mints to the wallet that is frozen write its account. The freeze does not wait for them either.
    for (const wallet of [revoked!, many!])
      await Promise.all(Array.from({ length: 200 }, () => tokens.mint(config, wallet, "1", async)))
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  })
  const urgent = () => sql<{ kind: string; status: string; ahead: number }[]>`
    select o.kind, o.status, (select count(*)::int from operations m join transactions mt on mt.signature = m.signature
      where m.workspace_id = o.workspace_id and m.kind = 'mint' and m.seq < o.seq and mt.created_at < t.created_at) as ahead
    from operations o join transactions t on t.signature = o.signature
    where o.workspace_id = ${key.workspaceId} and o.kind in ('revoke', 'align_account')`
  await waitFor(async () => {
    const rows = await urgent()
    return rows.length === 2 && rows.every(({ status }) => status === "confirmed")
  }, "the revocation and the freeze")
  // The first mint, and at most two batches.
  for (const { ahead } of await urgent()) expect(ahead).toBeLessThanOrEqual(1 + 2 * BATCH.most)
})
