import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, describe, expect, test } from "vitest"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { recoveryFixture } from "#test/fixtures/recoveries.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const recoveries = () => recoveryFixture(app, key)

async function accountOf(config: string, wallet: string) {
  const address = tokenAccountOf(assetMintOf(key.workspaceId, config), new PublicKey(wallet))
  const info = await app.connection.getAccountInfo(address)
  if (info === null) return null
  const { amount, isFrozen } = unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
  return { amount, isFrozen }
}

describe.each(["agent", "holder"] as const)("in %s mode", (transfer_mode) => {
  test("every position moves whole to the investor's new wallet, and the lost one stays barred", async () => {
    const { investor, lost, fresh } = await recoveries().person()
    const configs = [await tokens.config({}, { transfer_mode }), await tokens.config({}, { transfer_mode })]
    for (const [i, config] of configs.entries())
      expect((await tokens.mint(config, lost, 10 * (i + 1))).status).toBe(200)
    const asked = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
    expect([asked.status, asked.json]).toMatchObject([
      202,
      { state: "in_progress", lost_wallet: lost, new_wallet: fresh },
    ])
    expect(asked.headers.location).toBe(`/v1/recovery/${asked.json.recovery_id}`)
    const done = await recoveries().untilEnded(asked.json.recovery_id)
    expect(done).toMatchObject({ state: "completed", error: null, barred_since: expect.any(String) })
    for (const [i, config] of configs.entries()) {
      const amount = 10 * (i + 1)
      const position = done.positions.find(({ mint_config }) => mint_config === config)
      expect(position).toMatchObject({ amount: String(amount), held: "0", status: "confirmed", blocked_by: null })
      expect(await accountOf(config, lost)).toEqual({ amount: 0n, isFrozen: true })
      expect(await accountOf(config, fresh)).toEqual({ amount: BigInt(amount), isFrozen: transfer_mode === "agent" })
      const { json } = await tokens.get(`/token/operation/${position!.operation_id}`)
      expect(json).toMatchObject({ kind: "force_transfer", recovery_id: done.recovery_id, reason_code: "lost_wallet" })
      expect(json.onchain_tx).not.toBeNull()
    }
    expect((await tokens.get(`/kyc/status/${lost}`)).json.status).not.toBe("verified")
    const minted = await tokens.mint(configs[0]!, lost, 1)
    expect([minted.status, minted.json.error]).toEqual([403, "wallet_barred"])
    const started = await app.request({
      method: "POST",
      path: "/kyc/start",
      key: key.apiKey,
      json: { userPubkey: lost, schemaId: "kyc_individual_v1" },
    })
    expect([started.status, started.json.error]).toEqual([403, "wallet_barred"])
  })
})

test("a request without a new wallet bars the lost one, and a second request continues it", async () => {
  const { investor, lost, fresh } = await recoveries().person()
  const config = await tokens.config()
  await tokens.mint(config, lost, 5)
  const barred = await recoveries().request(investor, { lost_wallet: lost })
  expect([barred.status, barred.json]).toMatchObject([200, { state: "barred", new_wallet: null }])
  expect(barred.json.positions).toMatchObject([{ mint_config: config, amount: "5", status: "pending" }])
  expect((await tokens.transfer(config, lost, fresh, 1)).json.error).toBe("wallet_barred")
  const continued = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
  expect(continued.json.recovery_id).toBe(barred.json.recovery_id)
  expect((await recoveries().untilEnded(continued.json.recovery_id)).state).toBe("completed")
  expect(await tokens.onChain(config, fresh)).toBe(5n)
})

test("a request that cannot be done yet keeps the wallet barred until it is cancelled", async () => {
  const { investor, lost } = await recoveries().person()
  const config = await tokens.config()
  await tokens.mint(config, lost, 5)
  const [stranger] = await tokens.wallets(1)
  const refused = await recoveries().request(investor, { lost_wallet: lost, new_wallet: stranger })
  expect([refused.status, refused.json.error]).toEqual([403, "recovery_not_possible"])
  expect(refused.json.detail).toContain("new_wallet")
  const { json } = await tokens.get(`/investor/${investor}/recoveries`)
  expect(json.data).toMatchObject([{ state: "barred", lost_wallet: lost, new_wallet: null }])
  const id = json.data[0].recovery_id
  expect((await tokens.mint(config, lost, 1)).json.error).toBe("wallet_barred")
  const cancelled = await tokens.post(`/recovery/${id}/cancel`, {})
  expect(cancelled.json).toMatchObject({ state: "rejected", barred_since: null, error: { error: "cancelled" } })
  expect((await tokens.mint(config, lost, 1)).status).toBe(200)
  expect((await tokens.post(`/recovery/${id}/cancel`, {})).json.error).toBe("recovery_ended")
})

test("with bar_now off, a refused request bars nothing", async () => {
  const { investor, lost } = await recoveries().person()
  const [stranger] = await tokens.wallets(1)
  const about = { lost_wallet: lost, new_wallet: stranger, bar_now: false }
  expect((await recoveries().request(investor, about)).json.error).toBe("recovery_not_possible")
  expect((await tokens.get(`/investor/${investor}/recoveries`)).json.data).toEqual([])
})

test("a frozen wallet's tokens do not move to another wallet, and those on their way wait until it is lifted", async () => {
  const { investor, lost, fresh } = await recoveries().person()
  const config = await tokens.config()
  await tokens.mint(config, lost, 5)
  const freeze = { user_pubkey: lost, mint_config: config, ...grounds }
  await tokens.post("/token/freeze", freeze)
  const refused = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
  expect([refused.status, refused.json.error]).toEqual([403, "recovery_not_possible"])
  expect(refused.json.detail).toContain(`lost_wallet: ${lost} is frozen`)
  await tokens.post("/token/unfreeze", freeze)
  const id = await whileLedgerPaused(async () => {
    const { json } = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
    await waitFor(async () => (await recoveries().get(json.recovery_id)).positions[0]?.status === "queued", "a move")
    await tokens.post("/token/freeze", freeze)
    return json.recovery_id
  })
  await waitFor(async () => (await recoveries().get(id)).positions[0]?.blocked_by === "wallet_frozen", "it to wait")
  expect((await recoveries().get(id)).state).toBe("in_progress")
  expect([await tokens.onChain(config, lost), await tokens.onChain(config, fresh)]).toEqual([5n, 0n])
  await tokens.post("/token/unfreeze", freeze)
  expect((await recoveries().untilEnded(id)).state).toBe("completed")
})

test("a recovery that waits can be stopped, and another wallet can get what is left", async () => {
  const { investor, externalId, lost, fresh } = await recoveries().person()
  const { fresh: third } = await recoveries().person({ externalId })
  const config = await tokens.config()
  await tokens.mint(config, lost, 5)
  await tokens.post(`/mint-config/${config}/pause`, {})
  const { json } = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
  await waitFor(async () => (await recoveries().get(json.recovery_id)).positions[0]?.blocked_by === "mint_paused", "it")
  const stopped = await tokens.post(`/recovery/${json.recovery_id}/cancel`, {})
  expect(stopped.json).toMatchObject({
    state: "failed",
    error: { error: "cancelled" },
    barred_since: expect.any(String),
  })
  expect(stopped.json.positions).toMatchObject([{ mint_config: config, amount: "5", status: "failed" }])
  await tokens.post(`/mint-config/${config}/unpause`, {})
  const again = await recoveries().request(investor, { lost_wallet: lost, new_wallet: third })
  expect((await recoveries().untilEnded(again.json.recovery_id)).state).toBe("completed")
  expect([await tokens.onChain(config, fresh), await tokens.onChain(config, third)]).toEqual([0n, 5n])
})

test("another person cannot take over the new wallet while tokens are on their way to it", async () => {
  const { investor, lost, fresh } = await recoveries().person()
  const config = await tokens.config()
  await tokens.mint(config, lost, 5)
  const json = { userPubkey: fresh, schemaId: "kyc_individual_v1", externalId: crypto.randomUUID() }
  const { json: session } = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  const id = await whileLedgerPaused(async () => {
    const { json } = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
    await app.webhook({ session_id: session.session_id, decision: "approved", claims: { country: "US" } })
    return json.recovery_id
  })
  expect((await recoveries().untilEnded(id)).state).toBe("completed")
  const owner = await tokens.get(`/investors?wallet=${fresh}`)
  expect(owner.json.data[0].investor_id).toBe(investor)
})

test("a wallet that an investor only named cannot be barred", async () => {
  const { investor, externalId, fresh } = await recoveries().person()
  const named = newWallet()
  const json = { userPubkey: named, schemaId: "kyc_individual_v1", externalId }
  expect((await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })).status).toBe(200)
  const asked = await recoveries().request(investor, { lost_wallet: named, new_wallet: fresh })
  expect([asked.status, asked.json.error]).toEqual([403, "recovery_not_possible"])
})

test("two wallets that are each reported as lost for the other do not keep each other's tokens from moving", async () => {
  const { investor, lost, fresh } = await recoveries().person()
  const config = await tokens.config()
  await tokens.mint(config, lost, 5)
  const answers = await Promise.all([
    recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh }),
    recoveries().request(investor, { lost_wallet: fresh, new_wallet: lost }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 403])
  const { json } = answers.find(({ status }) => status === 202)!
  expect((await recoveries().untilEnded(json.recovery_id)).state).toBe("completed")
})

test("tokens that another person was verified for do not move to who has the wallet now", async () => {
  const [before, now] = [await recoveries().person(), await recoveries().person()]
  const config = await tokens.config()
  await tokens.mint(config, before.lost, 5)
  const json = { userPubkey: before.lost, schemaId: "accredited_investor_v1", externalId: now.externalId }
  const { json: session } = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  await app.webhook({ session_id: session.session_id, decision: "approved", claims: { country: "US" } })
  const asked = await recoveries().request(now.investor, { lost_wallet: before.lost, new_wallet: now.fresh })
  expect([asked.status, asked.json.error]).toEqual([403, "recovery_not_possible"])
  expect(asked.json.detail).toContain(config)
})

test("no one can bar a wallet that is not the investor's", async () => {
  const { investor, fresh } = await recoveries().person()
  const [stranger] = await tokens.wallets(1)
  const refused = await recoveries().request(investor, { lost_wallet: stranger, new_wallet: fresh })
  expect([refused.status, refused.json.error]).toEqual([403, "recovery_not_possible"])
  const config = await tokens.config()
  expect((await tokens.mint(config, stranger, 1)).status).toBe(200)
})

test.each(["agent", "holder"] as const)(
  "in %s mode, holds move with the tokens, and keep holding them",
  async (transfer_mode) => {
    const { investor, lost, fresh } = await recoveries().person()
    const config = await tokens.config({}, { transfer_mode })
    await tokens.mint(config, lost, 10)
    const place = async (amount: string) => {
      const json = { user_pubkey: lost, mint_config: config, amount, ...grounds }
      return (await tokens.post("/token/holds", json)).json.hold_id as string
    }
    const ids = [await place("4"), await place("1")]
    const asked = await recoveries().request(investor, { lost_wallet: lost, new_wallet: fresh })
    const done = await recoveries().untilEnded(asked.json.recovery_id)
    expect(done.positions).toMatchObject([{ mint_config: config, amount: "10", held: "5", status: "confirmed" }])
    for (const [i, id] of ids.entries()) {
      const { json: moved } = await tokens.get(`/token/hold/${id}`)
      const amount = ["4", "1"][i]
      expect(moved).toMatchObject({ state: "active", user_pubkey: fresh, amount, remaining: amount, ...grounds })
    }
    const { json: balance } = await tokens.get(`/token/balance/${fresh}?mint_config=${config}`)
    expect(balance).toMatchObject({ amount: "10", available: "5", held: "5" })
  },
)
