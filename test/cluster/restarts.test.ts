import { Connection, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { findValidator, startValidator, type Validator } from "#test/fixtures/validator.ts"
import { differences } from "#test/matchers/credential.ts"

const file = findValidator()
const PATIENCE_MS = 90_000
const later = { headers: { Prefer: "respond-async" } }

describe.skipIf(file === null)("a killed validator", () => {
  let validator: Validator
  let app: TestApp
  let key: TestKey
  let tokens: TokenFixture

  beforeAll(async () => {
    validator = await startValidator(file!)
    app = await startTestApp({ SOLANA_RPC_URL: validator.url, VOUCH_RPC_CALLS_PER_SECOND: "0" })
    for (const chain of Object.values(deployment.chains))
      await app.connection.requestAirdrop(chain!.feePayer.publicKey, 100 * LAMPORTS_PER_SOL)
    key = await app.key({ plan: "growth" })
    tokens = tokenFixture(app, key)
  }, 120_000)
  afterAll(async () => {
    await app?.stop()
    await validator?.stop()
  })

  const health = async () => (await app.request({ method: "GET", path: "/health" })).json

  test("continues from what it had written, and every mint is final and landed once", async () => {
    const wallets = await tokens.wallets(10)
    const config = await tokens.config()
    const ids: string[] = []
    const mintAll = async () => {
      for (const wallet of wallets) ids.push((await tokens.mint(config, wallet, "1", later)).json.operation_id)
    }
    await mintAll()
    await validator.kill()
    await mintAll()
    await validator.restart("the same chain")
    for (const id of ids) {
      const isFinal = async () => (await tokens.get(`/token/operation/${id}`)).json.finalized_at !== null
      await waitFor(isFinal, `${id} to be final`, PATIENCE_MS)
    }
    for (const wallet of wallets) expect(await tokens.onChain(config, wallet)).toBe(2n)
    expect(await tokens.supply(config)).toBe(20n)
    expect(await differences()).toEqual([])
  }, 240_000)

  test("that comes back as another chain is refused: Vouch reads nothing from it and signs nothing for it", async () => {
    const [wallet] = await tokens.wallets(1)
    const config = await tokens.config()
    await tokens.mint(config, wallet, "1")
    await validator.restart("another chain")
    const { json } = await tokens.mint(config, wallet, "1", later)
    const isRefused = async () => /chain has changed/.test((await health()).checks.chain)
    await waitFor(isRefused, "health to report another chain", PATIENCE_MS)
    const balance = await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)
    expect([balance.status, balance.json.error]).toEqual([503, "chain_unavailable"])
    const signed =
      await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${json.operation_id}::text))`
    expect(signed.length).toBe(0)
    const [{ publicKey }] = [deployment.chains.test!.feePayer]
    const listed = await new Connection(validator.url).getSignaturesForAddress(publicKey, {}, "confirmed")
    expect(listed).toEqual([])
  }, 240_000)
})
