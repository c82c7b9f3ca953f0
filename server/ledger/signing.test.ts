import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { applyConfig } from "#server/domain/tokens/change-config.ts"
import type { Address } from "#shared/address.ts"
import { heldKeys } from "#test/doubles/keys.ts"
import { startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { pauseLedger, resumeLedger } from "#test/fixtures/ledger-pause.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { credentialOf, differences } from "#test/matchers/credential.ts"
import { voidPlans } from "./lease.ts"
import { SIGN_MS } from "./signing.ts"

// Things that happen while a slow key signs.

const keys = heldKeys()
let app: TestApp
let key: TestKey
let tokens: TokenFixture
let authority: string

beforeAll(async () => {
  app = await startTestApp({}, { keysOf: keys.keysOf })
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  authority = `authority/${key.workspaceId}`
  await app.verifiedWallet(key)
})
afterEach(async () => {
  keys.release()
  await resumeLedger()
})
afterAll(() => app.stop())

const later = { headers: { Prefer: "respond-async" } }
const operationOf = async (id: string) => {
  const [row] = await sql<{ status: string; signature: string | null; error_code: string | null }[]>`
    select status, signature, error_code from operations where id = ${id}`
  return row!
}
const becomes = (id: string, wanted: string) =>
  waitFor(async () => {
    const { status } = await operationOf(id)
    if (status !== wanted && ["confirmed", "failed"].includes(status)) throw new Error(`${id} is ${status}`)
    return status === wanted
  }, `${id} to be ${wanted}`)
/** How many transactions were saved for it. */
const savedFor = async (id: string) =>
  (await sql`select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`).length

/** How often the workspace's key was asked to sign. */
const asked = () => keys.asked.filter((purpose) => purpose === authority).length

/** Holds all signatures: what `work` starts is requested and waits. */
async function beingSigned<T>(work: () => Promise<T>): Promise<T> {
  const before = asked()
  keys.hold()
  const begun = await work()
  await waitFor(async () => asked() > before, "the signer to be asked")
  return begun
}

/** A machine may be too busy for a test, but not this often. */
const MOST_TRIES = 5

/**
 * Runs a test, and again if it failed after it held a signature so long that the worker gave up on it: the machine was
 * too busy to do in that time what the test does.
 */
const inTime =
  <Args extends unknown[]>(scenario: (...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        return await scenario(...args)
      } catch (error) {
        keys.release()
        await resumeLedger()
        if (keys.heldFor() < SIGN_MS || tries === MOST_TRIES) throw error
      }
    }
  }
const testInTime = (name: string, scenario: () => Promise<void>) => test(name, inTime(scenario))

const begin = async (config: string, to: string) =>
  (await tokens.mint(config, to, "1", later)).json.operation_id as string

const revoke = async (wallet: string) => {
  const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json
  const { status } = await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  expect(status).toBe(200)
}

const pause = async (config: string) => expect((await tokens.post(`/mint-config/${config}/pause`, {})).status).toBe(200)

async function changeRules(config: string, rules: object): Promise<void> {
  const { json } = await tokens.get(`/mint-config/${config}`)
  const { id, name, symbol, decimals, required_schema, transfer_mode } = json
  const changed = { id, name, symbol, decimals, required_schema, transfer_mode, rules }
  expect((await applyConfig(byOperator(key), changed)).outcome).toBe("changed")
}

testInTime("an attestation that is revoked while its attest is being signed gets no credential", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  await beingSigned(() => app.webhook({ session_id: sessionId, decision: "approved" }))
  await revoke(wallet)
  keys.release()
  const [row] = await sql<{ operation_id: string }[]>`
    select operation_id from attestations where session_id = ${sessionId}`
  expect(await operationOf(row!.operation_id)).toMatchObject({ status: "failed", error_code: "cancelled" })
  // Another one completes, so the first one could have completed too.
  await app.verifiedWallet(key)
  expect(await savedFor(row!.operation_id)).toBe(0)
  expect((await credentialOf(app, key, wallet)).amount).toBe(0)
})

describe.each(["agent", "holder"])("in %s mode, a mint that is being signed is not saved", (mode) => {
  const changes: Record<string, [code: string, change: (config: string, wallet: Address) => Promise<unknown>]> = {
    "while its token is paused": ["mint_paused", pause],
    "while its wallet's verification is revoked": ["wallet_not_verified", (_config, wallet) => revoke(wallet)],
    "while a rule is made that refuses it": [
      "country_not_allowed",
      (config) => changeRules(config, { blocked_countries: ["US"] }),
    ],
    "while its wallet is verified again, as a person whom a rule refuses": [
      "country_not_allowed",
      async (_config, wallet) => {
        keys.letOthersPass()
        const { sessionId } = await app.startSession(key, wallet)
        await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "KP" } })
        const renewed = async () =>
          (await sql`select from attestations where session_id = ${sessionId} and status = 'verified'`).length
        await waitFor(async () => (await renewed()) === 1, "the renewal")
      },
    ],
  }
  test.each(Object.entries(changes))(
    "%s",
    inTime(async (_when, [code, change]) => {
      const config = await tokens.config({ blocked_countries: ["KP"] }, { transfer_mode: mode })
      const [wallet] = await tokens.wallets(1)
      const id = await beingSigned(() => begin(config, wallet))
      await change(config, wallet)
      keys.release()
      await becomes(id, "failed")
      expect((await operationOf(id)).error_code).toBe(code)
      expect(await savedFor(id)).toBe(0)
      expect(await tokens.onChain(config, wallet)).toBe(0n)
      expect((await tokens.trace(config)).counters).toMatchObject({ issued: "0", supply: "0", holders: 0 })
    }),
  )
})

testInTime("operations that a change does not affect are saved as signed", async () => {
  const [config, other] = [await tokens.config(), await tokens.config()]
  const [wallet] = await tokens.wallets(1)
  const id = await beingSigned(() => begin(config, wallet))
  const before = asked()
  await pause(other)
  keys.release()
  await becomes(id, "confirmed")
  expect(asked()).toBe(before)
  expect(await savedFor(id)).toBe(1)
})

testInTime("saving waits for a change that is about to commit", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await beingSigned(() => begin(config, wallet))
  await sql.begin(async (tx) => {
    await tx`update mint_configs set paused = true where workspace_id = ${key.workspaceId} and id = ${config}`
    await voidPlans(tx, key.workspaceId)
    keys.release()
    await waitFor(async () => keys.isIdle(), "it to be signed")
    expect((await operationOf(id)).status).toBe("queued")
  })
  await becomes(id, "failed")
  expect(await savedFor(id)).toBe(0)
})

testInTime("batches continue while a slow key signs, and what conflicts with those being signed waits", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [alice, bob] = await tokens.wallets(2)
  const before = asked()
  const first = await beingSigned(() => begin(config, alice))
  const [conflicting, free] = [await begin(config, alice), await begin(config, bob)]
  await waitFor(async () => asked() > before + 1, "the second batch")
  // The third one waits for the first.
  expect(asked()).toBe(before + 2)
  keys.release()
  for (const id of [first, conflicting, free]) await becomes(id, "confirmed")
  const orderOf = async (id: string) =>
    (
      await sql<{ slot: bigint }[]>`
        select t.slot from operations o join transactions t on t.signature = o.signature where o.id = ${id}`
    )[0]!.slot
  expect(await orderOf(conflicting)).toBeGreaterThan(await orderOf(first))
  for (const id of [first, conflicting, free]) expect(await savedFor(id)).toBe(1)
  expect(await tokens.onChain(config, alice)).toBe(2n)
})

test("a key that refuses to sign loses nothing, is reported, and delays no other workspace", async () => {
  const [config, theirs] = [await tokens.config(), tokenFixture(app, await app.key({ plan: "growth" }))]
  const [wallet] = await tokens.wallets(1)
  const [theirConfig, [theirWallet]] = [await theirs.config(), await theirs.wallets(1)]
  keys.refuse(authority)
  const id = await begin(config, wallet)
  const health = async () => (await app.request({ method: "GET", path: "/health" })).json
  const degraded = await waitFor(async () => {
    const json = await health()
    return json.status === "degraded" ? json : null
  }, "health to report it")
  expect(degraded.checks.chain).toMatch(/batches of a workspace fail/)
  expect(app.log.some((line) => line.includes("the key management service is unavailable"))).toBe(true)
  expect((await theirs.mint(theirConfig, theirWallet!, "1")).status).toBe(200)
  expect((await operationOf(id)).status).toBe("queued")
  keys.release()
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(1)
  await waitFor(async () => (await health()).status === "ok", "health to recover")
})

test("a late signature is not used", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await beingSigned(() => begin(config, wallet))
  await waitFor(async () => app.log.some((line) => line.includes("the signer took longer")), "it to be late")
  expect(await savedFor(id)).toBe(0)
  keys.release()
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(1)
})

testInTime("a transaction signed under a lease that another worker has taken is not saved", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const id = await beingSigned(() => begin(config, wallet))
  await pauseLedger()
  keys.release()
  await waitFor(async () => keys.isIdle(), "it to be signed")
  expect((await operationOf(id)).status).toBe("queued")
  expect(await savedFor(id)).toBe(0)
  await resumeLedger()
  await becomes(id, "confirmed")
  expect(await savedFor(id)).toBe(1)
})

test("afterwards the books and the chain agree", async () => {
  await waitFor(async () => {
    const rest = await sql`select from operations where status in ('queued', 'submitted') limit 1`
    return rest.length === 0
  }, "the ledger to have nothing left to do")
  expect(await differences()).toEqual([])
})
