import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

let config: string

usesCustomer()
beforeAll(async () => {
  config = await tokens.config()
})
afterEach(async () => {
  await app.faults({})
  await hold(false)
})
afterAll(async () => expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([]))

const hold = (on: boolean) => app.chain.hold(on)
/** Moves past the last block for which any current blockhash is valid. */
const warp = () => app.chain.pass(250)

async function readOperation(id: string) {
  const [row] = await sql<{ status: string; signature: string | null }[]>`
    select status, signature from operations where workspace_id = ${key.workspaceId} and id = ${id}`
  return row!
}

/** A mint that is signed and saved, but that the network has lost. */
async function signedAndLost(wallet: string) {
  await hold(true)
  const { json } = await tokens.mint(config, wallet, "5", { headers: { Prefer: "respond-async" } })
  const id = json.operation_id as string
  await waitFor(async () => (await readOperation(id)).status === "submitted", "the mint to be signed")
  return { id, signature: (await readOperation(id)).signature }
}

const confirmed = (id: string) =>
  waitFor(async () => (await readOperation(id)).status === "confirmed", "the mint to be confirmed")

test("a mint that was saved and never sent is signed again once its blockhash has expired", async () => {
  const [wallet] = await tokens.wallets(1)
  const { id, signature } = await signedAndLost(wallet!)
  await warp()
  await waitFor(async () => (await readOperation(id)).signature !== signature, "the mint to be signed again")
  await hold(false)
  await confirmed(id)
  expect(await tokens.onChain(config, wallet!)).toBe(5n)
})

test("a mint that landed unseen is found and settled, not repeated", async () => {
  const [wallet] = await tokens.wallets(1)
  const { id, signature } = await signedAndLost(wallet!)
  await app.faults({ land_without_answer: 1 })
  await hold(false)
  // The same bytes are sent repeatedly. One of them lands, but no node reports it.
  await waitFor(async () => {
    await app.faults({})
    const landed = (await tokens.onChain(config, wallet!)) === 5n
    if (!landed) await app.faults({ land_without_answer: 1 })
    return landed
  }, "the mint to land")
  await warp()
  await confirmed(id)
  expect((await readOperation(id)).signature).toBe(signature)
  expect(await tokens.onChain(config, wallet!)).toBe(5n)
})

test("a failing operation does not fail the others in its transaction", async () => {
  const open = await tokens.config({}, { transfer_mode: "holder" })
  const wallets = await tokens.wallets(6)
  for (const wallet of wallets) expect((await tokens.mint(open, wallet, "10")).status).toBe(200)
  // In holder mode only the chain knows balances, so only there the second turns out to be too large.
  const [a, b, c, d, e, f] = wallets
  const answers = await Promise.all([
    tokens.transfer(open, a, b, "3"),
    tokens.transfer(open, c, d, "11"),
    tokens.transfer(open, e, f, "4"),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 200])
  expect(answers[1].json.error).toBe("insufficient_balance")
  const balances = await Promise.all(wallets.map((wallet) => tokens.onChain(open, wallet)))
  expect(balances).toEqual([7n, 13n, 10n, 10n, 6n, 14n])
})

test("an operation that shares a transaction with one that fails is delayed once, not by each that follows", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [poor, other] = await tokens.wallets(2)
  expect((await tokens.mint(config, poor, "1")).status).toBe(200)
  const later = { headers: { Prefer: "respond-async" } }
  const burn = { user_pubkey: poor, mint_config: config, amount: "2", ...grounds, holder_consent: true }
  const id = await whileLedgerPaused(async () => {
    const { operation_id } = (await tokens.mint(config, other, "1", later)).json
    for (let n = 0; n < 5; n++) expect((await tokens.post("/token/burn", burn, later)).status).toBe(202)
    return operation_id as string
  })
  await waitFor(async () => (await tokens.get(`/token/operation/${id}`)).json.status === "confirmed", "the mint")
  const signed = await sql`
    select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`
  expect(signed).toHaveLength(2)
})
