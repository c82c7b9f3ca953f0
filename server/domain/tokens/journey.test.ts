import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()
afterAll(async () => expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([]))

const post = (path: string, json: object, headers: Record<string, string> = {}) =>
  app.request({ method: "POST", path, key: key.apiKey, json, headers })

const FUND = "us_real_estate_fund_v1"

async function onChain(mint: string, wallet: string) {
  const address = tokenAccountOf(new PublicKey(mint), new PublicKey(wallet))
  const account = unpackAccount(address, await app.connection.getAccountInfo(address), TOKEN_2022_PROGRAM_ID)
  return { amount: account.amount, frozen: account.isFrozen }
}

test("tokens are minted to a verified wallet and transferred from it", async () => {
  const first = await app.verifiedWallet(key)
  const minted = await post("/token/mint", { user_pubkey: first.wallet, mint_config: FUND, amount: 1000 })
  expect(minted.status).toBe(200)
  expect(minted.json).toMatchObject({
    kind: "mint",
    status: "confirmed",
    mint_config: FUND,
    user_pubkey: first.wallet,
    amount: "1000",
    error: null,
  })

  const stranger = newWallet()
  const refused = await post("/token/transfer", {
    from_pubkey: first.wallet,
    to_pubkey: stranger,
    mint_config: FUND,
    amount: "250.5",
  })
  expect([refused.status, refused.json.error]).toEqual([403, "wallet_not_verified"])

  const second = await app.verifiedWallet(key)
  const moved = await post("/token/transfer", {
    from_pubkey: first.wallet,
    to_pubkey: second.wallet,
    mint_config: FUND,
    amount: 250.5,
  })
  expect(moved.json).toMatchObject({ status: "confirmed", amount: "250.5" })

  const { mint } = minted.json
  expect(await onChain(mint, first.wallet)).toEqual({ amount: 749_500_000n, frozen: true })
  expect(await onChain(mint, second.wallet)).toEqual({ amount: 250_500_000n, frozen: true })
  const balance = await app.request({
    method: "GET",
    path: `/token/balance/${second.wallet}?mint_config=${FUND}`,
    key: key.apiKey,
  })
  expect(balance.json).toEqual({
    user_pubkey: second.wallet,
    mint_config: FUND,
    amount: "250.5",
    available: "250.5",
    held: "0",
    frozen: true,
    wallet_freeze: null,
  })
  const config = await app.request({ method: "GET", path: `/mint-config/${FUND}`, key: key.apiKey })
  expect(config.json).toMatchObject({ mint, supply: "1000", holders: 2, paused: false })

  const transaction = await app.connection.getTransaction(moved.json.onchain_tx, {
    commitment: "confirmed",
    maxSupportedTransactionVersion: 0,
  })
  expect(transaction?.meta?.err).toBeNull()
  expect(transaction?.meta?.logMessages?.join("\n")).toContain(`vouch:1:${moved.json.operation_id}`)
})

test("a replay returns the first response, and mints nothing", async () => {
  const { wallet } = await app.verifiedWallet(key)
  const body = { user_pubkey: wallet, mint_config: FUND, amount: "3" }
  const headers = { "Idempotency-Key": "mint-once" }
  const answers = await Promise.all(Array.from({ length: 20 }, () => post("/token/mint", body, headers)))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(answers[0]!.status).toBe(200)
  expect((await onChain(answers[0]!.json.mint, wallet)).amount).toBe(3_000_000n)
  expect(answers.filter((answer) => answer.headers["idempotent-replayed"] === "true")).toHaveLength(19)
})

test("a request with respond-async gets 202, and a record to follow", async () => {
  const { wallet } = await app.verifiedWallet(key)
  const body = { user_pubkey: wallet, mint_config: FUND, amount: "0.000001" }
  const accepted = await post("/token/mint", body, { Prefer: "respond-async" })
  expect(accepted.status).toBe(202)
  expect(accepted.json).toMatchObject({
    amount: "0.000001",
    onchain_tx: null,
    confirmed_at: null,
    finalized_at: null,
    error: null,
  })
  await expect
    .poll(async () => {
      const path = `/token/operation/${accepted.json.operation_id}`
      return (await app.request({ method: "GET", path, key: key.apiKey })).json.status
    })
    .toBe("confirmed")
})
