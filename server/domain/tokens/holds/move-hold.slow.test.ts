import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { read } from "#test/fixtures/holds.ts"
import { investorFixture, newName } from "#test/fixtures/investors.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { enqueueMoveHold } from "./move.ts"

// Another process signs, and is killed.

usesCustomer({ environment: { VOUCH_ROLE: "web" } })
let worker: ShiftedServer | null = null
afterAll(async () => {
  await worker?.kill()
})

const investors = investorFixture(() => ({ app, key }))
const startWorker = (signMs = 0) =>
  startShiftedServer(app, 0, { VOUCH_ROLE: "worker", TEST_SIGN_MS: String(signMs), TEST_SLOWNESS: "15" })

/** Milliseconds after a worker has begun to sign: before it has saved the transaction, before it is sent, and later. */
const KILLED_AFTER_MS = [0, 40, 110, 130, 160, 200, 400]

test("holds move once, whenever the process that moves them is killed", async () => {
  worker = await startWorker()
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const name = newName("investor")
  const [lost, next] = [newWallet(), newWallet()]
  for (const wallet of [lost, next]) await investors.verify(wallet, name)
  expect((await tokens.mint(config, lost, "100")).status).toBe(200)
  const ids: string[] = []
  for (let n = 1; n <= 8; n++) {
    const body = { user_pubkey: lost, mint_config: config, amount: String(n), ...grounds }
    ids.push((await tokens.post("/token/holds", body)).json.hold_id)
  }
  await worker.kill()
  const moves: string[] = []
  for (const holdId of ids) {
    const about = { holdId, to: next as Address, recoveryId: newId("req") }
    moves.push((await sql.begin((sql) => enqueueMoveHold(sql, key.workspaceId, about)))!)
  }
  const unfinished = async () =>
    (await sql`select from operations where id = any(${moves}) and status in ('queued', 'submitted')`).length
  for (const ms of KILLED_AFTER_MS) {
    worker = await startWorker(100)
    await worker.heard("signing")
    await new Promise((resolve) => setTimeout(resolve, ms))
    await worker.kill()
    expect(await differences()).toEqual([])
  }
  // Each kill came while holds were left to move.
  expect(await unfinished()).toBeGreaterThan(0)
  worker = await startWorker()
  await waitFor(async () => (await unfinished()) === 0, "every hold to move")

  const rows = await sql<{ id: string; status: string; landed: number }[]>`
    select o.id, o.status, (select count(*)::int from transactions t
      where t.layout @> jsonb_build_array(jsonb_build_array(o.id)) and t.status = 'confirmed') as landed
    from operations o where o.id = any(${moves})`
  expect(rows.map(({ status, landed }) => [status, landed])).toEqual(Array(8).fill(["confirmed", 1]))
  const records = await Promise.all(ids.map(read))
  expect(records.map((one) => [one.user_pubkey, one.state, one.remaining])).toEqual(
    ids.map((_id, i) => [next, "active", String(i + 1)]),
  )
  const [account, ...others] = new Set(records.map((one) => one.onchain_account as string))
  expect(others).toEqual([])
  const address = new PublicKey(account!)
  const info = await app.connection.getAccountInfo(address, "confirmed")
  expect(unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)).toMatchObject({ amount: 36n, isFrozen: true })
  expect(await tokens.onChain(config, lost)).toBe(64n)
  expect(await differences()).toEqual([])
})
