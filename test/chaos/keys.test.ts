import { getPermanentDelegate, TOKEN_2022_PROGRAM_ID, unpackMint } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { theOperator } from "#server/domain/audit-log/record.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { readAuthority, setAuthority } from "#server/domain/signers/authority.ts"
import { feePayerPurpose } from "#server/solana/keys.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type ShiftedServer, startShiftedServer } from "#test/fixtures/shifted.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { differences } from "#test/matchers/credential.ts"

// Workers are killed while a workspace's authority or the fee payer is replaced. This process runs no worker.

const CONFIGS = 8

let app: TestApp
let key: TestKey
let tokens: TokenFixture
let wallet: string
const configs: string[] = []
const servers: ShiftedServer[] = []

beforeAll(async () => {
  // Transactions that wait for another worker must not expire before it starts.
  app = await startTestApp({ VOUCH_ROLE: "web", VOUCH_LOCALNET_SLOT_MS: "100" })
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  const first = await worker()
  ;[wallet] = (await tokens.wallets(1)) as [string]
  for (let n = 0; n < CONFIGS; n++) configs.push(await tokens.config())
  await first.stop()
})
afterEach(async () => {
  await app.chain.hold(false)
  for (const one of servers.splice(0)) await one.kill()
})
afterAll(() => app.stop())

async function worker(changes: Record<string, string> = {}): Promise<ShiftedServer> {
  const started = await startShiftedServer(app, 0, { VOUCH_ROLE: "worker", ...changes })
  servers.push(started)
  return started
}

const mintEach = () =>
  Promise.all(
    configs.map(async (config) => {
      const answer = await tokens.mint(config, wallet, "1", { headers: { prefer: "respond-async" } })
      expect(answer.status).toBe(202)
      return answer.json.operation_id as string
    }),
  )
const set = (uri: string) => setAuthority(key.workspaceId, uri, theOperator)
const moves = async (status: string) =>
  (await sql`select from operations where kind like 'move_%' and status = ${status}`).length
const confirmed = async (ids: string[]) =>
  (await sql`select from operations where id = any(${ids}) and status = 'confirmed'`).length === ids.length

/** Checks that the new key controls all mints, that each operation landed once, and that nothing failed. */
async function expectMoved(address: string, ids: string[], units: bigint): Promise<void> {
  const isThere = async () => {
    const { moved, mints } = (await readAuthority(key.workspaceId))!
    return moved === mints && (await confirmed(ids))
  }
  await waitFor(isThere, "everything to be done")
  const mints = await sql<{ mint: string }[]>`
    select mint from mint_configs where workspace_id = ${key.workspaceId} and mint is not null
    union all select credential_mint from schemas
    where workspace_id = ${key.workspaceId} and credential_mint is not null`
  expect(mints.length).toBeGreaterThan(CONFIGS)
  for (const { mint: text } of mints) {
    const info = await app.connection.getAccountInfo(new PublicKey(text), "confirmed")
    const mint = unpackMint(new PublicKey(text), info, TOKEN_2022_PROGRAM_ID)
    const keys = [mint.mintAuthority, mint.freezeAuthority, getPermanentDelegate(mint)?.delegate]
    expect(keys.map((one) => one?.toBase58())).toEqual([address, address, address])
  }
  for (const config of configs) expect(await tokens.onChain(config, wallet)).toBe(units)
  expect(await sql`select from transactions where status = 'failed'`).toHaveLength(0)
  expect(await differences()).toEqual([])
}

test("when a worker is killed while mints move to a new authority, another worker moves the rest", async () => {
  const first = await worker({ TEST_SIGN_MS: "150" })
  const before = await mintEach()
  const address = await set("derived:2")
  const after = await mintEach()
  await waitFor(async () => (await moves("confirmed")) > 0, "the first mint to move")
  await first.kill()
  const { moved, mints } = (await readAuthority(key.workspaceId))!
  expect(moved).toBeLessThan(mints)
  await worker()
  await expectMoved(address, [...before, ...after], 2n)
})

test("another worker sends moves that were saved but never sent, and the mints get the intended authority", async () => {
  const first = await worker()
  await app.chain.hold(true)
  const address = await set("derived:3")
  const ids = await mintEach()
  await waitFor(async () => (await moves("submitted")) > 0, "moves to be saved")
  await first.kill()
  await app.chain.hold(false)
  await worker()
  await expectMoved(address, ids, 3n)
})

test("transactions signed by the old fee payer are followed to their end, and the new one pays from then on", async () => {
  await app.chain.hold(true)
  const first = await worker()
  const before = await mintEach()
  const submitted = async () =>
    (await sql`select from operations where id = any(${before}) and status = 'submitted'`).length
  await waitFor(async () => (await submitted()) === before.length, "all transactions to be saved")
  await first.kill()
  await app.chain.hold(false)
  await worker({ VOUCH_TEST_FEE_PAYER: "derived:2" })
  await waitFor(() => confirmed(before), "the old fee payer's transactions")
  const after = await mintEach()
  await waitFor(() => confirmed(after), "the new fee payer's transactions")
  const [old, ...rest] = await Promise.all([payersOf(before), payersOf(after)])
  expect(old).toEqual(new Set([deployment.chains.test!.feePayer.publicKey.toBase58()]))
  const purpose = `${feePayerPurpose("test")}/2`
  expect(rest).toEqual([new Set([deployment.keys(purpose).publicKey.toBase58()])])
  for (const config of configs) expect(await tokens.onChain(config, wallet)).toBe(5n)
  expect(await differences()).toEqual([])
})

/** The fee payers of operations, read from the chain. */
async function payersOf(ids: string[]): Promise<Set<string>> {
  const rows = await sql<{ signature: string }[]>`
    select distinct signature from operations where id = any(${ids})`
  const payers = rows.map(async ({ signature }) => {
    const options = { commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const
    const found = await app.connection.getTransaction(signature, options)
    return found!.transaction.message.staticAccountKeys[0]!.toBase58()
  })
  return new Set(await Promise.all(payers))
}
