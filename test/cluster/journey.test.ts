import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { LAMPORTS_PER_SOL } from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { applyConfig } from "#server/domain/tokens/change-config.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { fund, type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { findValidator, startValidator, type Validator } from "#test/fixtures/validator.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"

/** An existing cluster (`npm run cluster -- --rpc <url>`); otherwise starts a validator. */
const { VOUCH_CLUSTER_RPC_URL: named, VOUCH_RPC_CALLS_PER_SECOND = "0", VOUCH_SIGNER } = process.env
const file = findValidator()
const isThere = named !== undefined || file !== null
if (!isThere) console.warn("No solana-test-validator: the journey on a real chain is skipped.")

/** Waits for the chain: a validator's slots do not depend on this machine's load. */
const PATIENCE_MS = 60_000
/** The time that a person may take to fund the fee payer. */
const FUNDING_MS = 15 * 60_000
/** More than the journey costs. */
const ENOUGH_SOL = 0.1

// If this passes on the local network but not on a validator, one of the two is wrong.
describe.skipIf(!isThere)("on a real chain", () => {
  let validator: Validator | null = null
  let app: TestApp
  let key: TestKey
  let tokens: TokenFixture

  beforeAll(async () => {
    if (named === undefined) validator = await startValidator(file!)
    const SOLANA_RPC_URL = named ?? validator!.url
    app = await startTestApp({
      SOLANA_RPC_URL,
      VOUCH_RPC_CALLS_PER_SECOND,
      ...(named !== undefined && VOUCH_SIGNER && { VOUCH_SIGNER }),
    })
    await fundFeePayer()
    key = await app.key({ plan: "growth" })
    tokens = tokenFixture(app, key)
  }, FUNDING_MS + 120_000)
  afterAll(async () => {
    await app?.stop()
    await validator?.stop()
  })

  /** Funds the fee payer from the chain's faucet, or asks the reader of the output to do it. */
  async function fundFeePayer(): Promise<void> {
    const { publicKey } = deployment.chains.test!.feePayer
    const sol = async () => (await app.connection.getBalance(publicKey, "confirmed")) / LAMPORTS_PER_SOL
    if ((await sol()) >= ENOUGH_SOL) return
    await app.connection
      .requestAirdrop(publicKey, LAMPORTS_PER_SOL)
      .catch(() => process.stderr.write(`Send ${ENOUGH_SOL} SOL to ${publicKey.toBase58()}. Waiting…\n`))
    await waitFor(async () => (await sol()) >= ENOUGH_SOL, "the fee payer to be funded", FUNDING_MS)
  }

  const becomes = <T>(what: string, read: () => Promise<T>, wanted: T) =>
    waitFor(async () => JSON.stringify(await read()) === JSON.stringify(wanted), what, PATIENCE_MS)

  const stateOf = async (config: string, wallet: Address) => {
    const address = tokenAccountOf(assetMintOf(key.workspaceId, config), publicKeyOf(wallet))
    const info = await app.connection.getAccountInfo(address, "confirmed")
    const account = info && unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
    return account && { amount: Number(account.amount), frozen: account.isFrozen }
  }

  const switchTo = async (id: string, transfer_mode: "agent" | "holder") => {
    await applyConfig(byOperator(key), { ...fund(id), transfer_mode, rules: {} })
  }

  const atRest = () =>
    waitFor(
      async () => {
        const rest = await sql`select from operations where status in ('queued', 'submitted') limit 1`
        const due = await sql`
          select from mint_configs where aligned_up_to is not null or counted_up_to is not null limit 1`
        return rest.length + due.length === 0
      },
      "the ledger to have nothing left to do",
      PATIENCE_MS,
    )

  test("after verify, mint, transfer, pause, change of mode, renew and revoke, reconciliation finds no difference", async () => {
    const [alice, bob] = await tokens.wallets(2)
    expect(await credentialOf(app, key, alice)).toMatchObject({ amount: 1, frozen: true })

    const config = await tokens.config()
    expect((await tokens.mint(config, alice, "10")).json.status).toBe("confirmed")
    expect((await tokens.mint(config, newWallet(), "10")).status).toBe(403)
    expect((await tokens.transfer(config, alice, bob, "4")).json.status).toBe("confirmed")
    expect(await stateOf(config, alice)).toEqual({ amount: 6, frozen: true })
    expect(await stateOf(config, bob)).toEqual({ amount: 4, frozen: true })

    await tokens.post(`/mint-config/${config}/pause`, {})
    expect((await tokens.mint(config, alice, "1")).json.error).toBe("mint_paused")
    await tokens.post(`/mint-config/${config}/unpause`, {})

    await switchTo(config, "holder")
    await becomes("alice's account to open", () => stateOf(config, alice), { amount: 6, frozen: false })
    await atRest()
    expect((await tokens.mint(config, alice, "1")).json.status).toBe("confirmed")
    expect(await stateOf(config, alice)).toEqual({ amount: 7, frozen: false })

    const renewal = await app.startSession(key, bob)
    await app.webhook({ session_id: renewal.sessionId, decision: "approved", claims: { country: "US" } })
    const renewed = async () => {
      const [row] = await sql<{ status: string }[]>`
        select status from attestations where session_id = ${renewal.sessionId}`
      return row!.status
    }
    await becomes("the renewal", renewed, "verified")
    expect(await credentialOf(app, key, bob)).toMatchObject({ amount: 1, frozen: true })

    const { attestation_id } = (await tokens.get(`/kyc/status/${alice}`)).json
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
    await becomes("the credential to be gone", async () => (await credentialOf(app, key, alice)).amount, 0)
    await becomes("alice's account to be frozen", () => stateOf(config, alice), { amount: 7, frozen: true })

    await switchTo(config, "agent")
    await becomes("bob's account to be frozen", () => stateOf(config, bob), { amount: 4, frozen: true })
    await atRest()
    await costsAreThoseOfTheChain(app)
    expect(await differences()).toEqual([])
  }, 240_000)
})

/** The recorded cost of every transaction equals its meta's, including fees computed when it was signed. */
async function costsAreThoseOfTheChain({ connection }: TestApp): Promise<void> {
  const uncounted = () => sql`
    select from transactions where status in ('confirmed', 'failed') and counted_at is null limit 1`
  await waitFor(async () => (await uncounted()).length === 0, "all costs to be counted", PATIENCE_MS)
  const rows = await sql<{ signature: string; fee: string; rent: string }[]>`
    select signature, fee::text, rent::text from transactions where status in ('confirmed', 'failed')`
  expect(rows.length).toBeGreaterThan(5)
  for (const { signature, fee, rent } of rows) {
    const { meta } = (await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))!
    const paid = meta!.preBalances[0]! - meta!.postBalances[0]!
    expect({ signature, fee, rent }).toEqual({ signature, fee: `${meta!.fee}`, rent: `${paid - meta!.fee}` })
  }
}
