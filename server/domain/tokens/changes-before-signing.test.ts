import { afterAll, expect, test } from "vitest"
import type { ErrorCode } from "#shared/errors.ts"
import { waitFor } from "#test/fixtures/app.ts"
import type { Response } from "#test/fixtures/http.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { admitted, expectRefused } from "#test/matchers/token-outcomes.ts"

// Changes between a request and its signature.

usesCustomer({ key: { mode: "live", plan: "enterprise" } })
afterAll(async () => expect(await differences()).toEqual([]))

const refused = (config: string, code: ErrorCode, request: () => Promise<Response>) =>
  expectRefused(tokens, config, code, request)

const attestationOf = async (wallet: string) =>
  (await tokens.get(`/kyc/status/${wallet}`)).json.attestation_id as string

const revoke = async (wallet: string) => {
  const { status } = await tokens.post(`/attestation/${await attestationOf(wallet)}/revoke`, {
    reason: "Fraud",
  })
  expect(status).toBe(200)
}

/** Makes the request while another worker holds the lease, runs `change`, and releases the lease. */
async function failWhileQueued(config: string, request: () => Promise<Response>, change: () => Promise<unknown>) {
  let waiting: Promise<Response>
  let id = ""
  await whileLedgerPaused(async () => {
    waiting = request()
    id = await waitFor(async () => {
      const { operations } = await tokens.trace(config)
      return (operations.find(({ status }) => status === "queued")?.id as string | undefined) ?? null
    }, "the operation to be queued")
    await change()
  })
  const response = await waiting!
  const { json: record } = await tokens.get(`/token/operation/${id}`)
  expect(record).toMatchObject({
    status: "failed",
    onchain_tx: null,
    confirmed_at: null,
    finalized_at: null,
    error: { error: response.json.error, detail: response.json.detail },
  })
  return response
}

test("a revocation stops a queued mint with 403, and the supply and holder slot are given back", async () => {
  const config = await tokens.config({ max_supply: "10", max_holders: 1 })
  const [alice, bob] = await tokens.wallets(2)
  const before = await tokens.trace(config)
  const response = await failWhileQueued(
    config,
    () => tokens.mint(config, alice, 10),
    () => revoke(alice),
  )
  expect([response.status, response.json.error]).toEqual([403, "wallet_not_verified"])
  const { operations, ...rest } = await tokens.trace(config)
  expect(operations).toHaveLength(1)
  expect(rest).toEqual({ counters: before.counters, holdings: [], onChain: 0n })
  await admitted(tokens.mint(config, bob, 10))
})

test.each([0, 1])("a revocation stops a queued transfer, on either side: %i", async (side) => {
  const config = await tokens.config()
  const wallets = await tokens.wallets(2)
  const [alice, bob] = wallets
  await admitted(tokens.mint(config, alice, 10))
  const { operations: _, ...before } = await tokens.trace(config)
  const response = await failWhileQueued(
    config,
    () => tokens.transfer(config, alice, bob, 10),
    () => revoke(wallets[side]!),
  )
  expect([response.status, response.json.error]).toEqual([403, "wallet_not_verified"])
  expect(response.json.detail).toContain(wallets[side]!)
  expect(await tokens.trace(config)).toMatchObject(before)
  expect(await tokens.onChain(config, alice)).toBe(10n)
})

test("a full exit at the limit that fails leaves the holder slot where it was", async () => {
  const config = await tokens.config({ max_holders: 1 })
  const [alice, bob, carol] = await tokens.wallets(3)
  await admitted(tokens.mint(config, alice, 10))
  const { operations: _, ...before } = await tokens.trace(config)
  await failWhileQueued(
    config,
    () => tokens.transfer(config, alice, bob, 10),
    () => revoke(bob),
  )
  expect(await tokens.trace(config)).toMatchObject(before)
  await refused(config, "holder_limit_reached", () => tokens.mint(config, carol, 1))
  await admitted(tokens.transfer(config, alice, carol, 10))
})

test("a holder who leaves in two parts frees no slot before the first part has landed", async () => {
  const config = await tokens.config({ max_holders: 2 })
  const [alice, bob, carol] = await tokens.wallets(3)
  await admitted(tokens.mint(config, alice, 10))
  await admitted(tokens.mint(config, bob, 1))
  await failWhileQueued(
    config,
    () => tokens.transfer(config, alice, bob, 4),
    async () => {
      // Bob's part will come back to alice. If carol were accepted now, there would be three holders.
      await refused(config, "holder_limit_reached", () => tokens.transfer(config, alice, carol, 6))
      await revoke(bob)
    },
  )
  await admitted(tokens.transfer(config, alice, carol, 10))
  expect((await tokens.get(`/mint-config/${config}`)).json.holders).toBe(2)
})

test("a pause stops queued operations", async () => {
  const config = await tokens.config()
  const [alice] = await tokens.wallets(1)
  const response = await failWhileQueued(
    config,
    () => tokens.mint(config, alice, 1),
    () => tokens.post(`/mint-config/${config}/pause`, {}),
  )
  expect([response.status, response.json.error]).toEqual([403, "mint_paused"])
  await tokens.post(`/mint-config/${config}/unpause`, {})
  await admitted(tokens.mint(config, alice, 1))
})
