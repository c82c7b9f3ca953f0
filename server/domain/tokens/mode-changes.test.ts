import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID as TOKEN, unpackAccount } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { sweep } from "#server/start/housekeeping.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { read, release } from "#test/fixtures/holds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { readReconcileProgress } from "./reconcile-accounts.ts"

// A change of mode carries holds between main accounts and hold accounts.

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const later = { headers: { Prefer: "respond-async" } }
const mintOf = (config: string) => assetMintOf(key.workspaceId, config)

/** A verified wallet with 10 tokens, whose key the test has. */
async function holder(config: string) {
  const pair = Keypair.generate()
  const wallet = addressOf(pair.publicKey)
  await app.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  await app.verifiedWallet(key, wallet)
  expect((await tokens.mint(config, wallet, "10")).status).toBe(200)
  return { pair, wallet }
}

const newConfig = (mode: TransferMode = "agent") => tokens.config({}, { transfer_mode: mode, decimals: 2 })
const setPaused = (config: string, verb: "pause" | "unpause") => tokens.post(`/mint-config/${config}/${verb}`, {})
const balance = async (config: string, wallet: string) =>
  (await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)).json
const burning = (mint_config: string, user_pubkey: string, amount: string, holds: string[]) =>
  ["/token/burn", { user_pubkey, mint_config, amount, ...grounds, holder_consent: true, holds }] as const

async function held(config: string, wallet: string, amount: string, fields: object = {}): Promise<string> {
  const body = { user_pubkey: wallet, mint_config: config, amount, ...grounds, ...fields }
  const answer = await tokens.post("/token/holds", body)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.hold_id
}

const change = (config: string, mode: TransferMode) => changeMode({ tokens, key }, config, mode)
const settled = (config: string) => modeSettled({ key }, config)
async function changed(config: string, mode: TransferMode): Promise<void> {
  await change(config, mode)
  await settled(config)
}

/** The carries of a hold that have begun, by their status. */
const carries = async (id: string) => {
  const rows = await sql`
    select status from operations where kind = 'carry_hold' and payload ->> 'hold_id' = ${id} order by seq`
  return rows.map(({ status }) => status)
}
const carrying = (id: string) =>
  waitFor(async () => (await carries(id)).at(-1) === "queued", "carrying the hold to begin")

async function accountAt(address: PublicKey) {
  const info = await app.connection.getAccountInfo(address, "confirmed")
  if (info === null) return null
  const { amount, isFrozen } = unpackAccount(address, info, TOKEN)
  return { amount, isFrozen }
}
const mainOf = (config: string, wallet: string) => accountAt(tokenAccountOf(mintOf(config), new PublicKey(wallet)))
const holdAccountOf = async (id: string) => {
  const { onchain_account } = await read(id)
  return onchain_account && accountAt(new PublicKey(onchain_account))
}
/** The holder's own transfer, without Vouch. */
function send(config: string, from: Keypair, to: string, amount: bigint) {
  const mint = mintOf(config)
  const [source, target] = [from.publicKey, new PublicKey(to)].map((wallet) => tokenAccountOf(mint, wallet))
  const transfer = createTransferCheckedInstruction(source!, mint, target!, from.publicKey, amount, 2, [], TOKEN)
  return sendOwn(app.connection, [from], transfer)
}

const mints: [name: string, older: readonly MintExtension[] | null][] = [
  ["a token", null],
  ["a token of version 0.1.0 without extensions", []],
]

test.each(mints)("the holds of %s go along with its mode, and their holder never moves them", async (_name, older) => {
  const config = older ? await tokens.olderConfig(older, { decimals: 2 }) : await newConfig()
  const [{ pair, wallet }, other] = [await holder(config), await holder(config)]
  const [first, second] = [await held(config, wallet, "4"), await held(config, wallet, "3")]
  const counted = { amount: "10", available: "3", held: "7" }
  const wrong: unknown[] = []
  let stops = false
  // 3 are free, so moving more would move held tokens.
  const tries = (async () => {
    for (let i = 0; !stops; i++) {
      const moved = await send(config, pair, other.wallet, 301n).then(
        () => true,
        () => false,
      )
      if (moved) wrong.push("moved")
      const said = await balance(config, wallet)
      if (said.held !== "7" || said.available !== "3") wrong.push(said)
      if (i % 4 === 0) wrong.push(...(await differences()))
    }
  })()
  for (const round of [1, 2]) {
    await changed(config, "holder")
    expect(await holdAccountOf(first), `round ${round}`).toEqual({ amount: 700n, isFrozen: true })
    expect((await read(second)).onchain_account).toBe((await read(first)).onchain_account)
    await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 300n, isFrozen: false })
    expect(await balance(config, wallet)).toMatchObject({ ...counted, frozen: false })
    await changed(config, "agent")
    expect([await read(first), await read(second)]).toMatchObject([
      { state: "active", remaining: "4", onchain_account: null },
      { state: "active", remaining: "3", onchain_account: null },
    ])
    expect(await mainOf(config, wallet)).toEqual({ amount: 1000n, isFrozen: true })
    expect(await balance(config, wallet)).toMatchObject({ ...counted, frozen: true })
  }
  stops = true
  await tries
  expect(wrong).toEqual([])
  expect(await carries(first)).toEqual(Array(4).fill("confirmed"))
  expect((await tokens.transfer(config, wallet, other.wallet, "3.01")).json.error).toBe("amount_held")
  expect((await tokens.transfer(config, wallet, other.wallet, "3")).status).toBe(200)
  expect([(await release(first)).json.state, (await release(second)).json.state]).toEqual(["released", "released"])
  expect(await balance(config, wallet)).toMatchObject({ amount: "7", available: "7", held: "0" })
})

describe("while a hold is carried into its account", () => {
  /** A wallet whose hold of 4 is about to be carried when `act` runs. */
  async function during<T>(act: (about: { config: string; wallet: string; other: string; id: string }) => Promise<T>) {
    const config = await newConfig()
    const [{ wallet }, { wallet: other }] = [await holder(config), await holder(config)]
    const id = await held(config, wallet, "4")
    const result = await whileLedgerPaused(async () => {
      await change(config, "holder")
      await carrying(id)
      return act({ config, wallet, other, id })
    })
    await settled(config)
    return { config, wallet, other, id, result }
  }

  test("burning a part of it waits, and takes it from its account", async () => {
    const { config, wallet, id, result } = await during(({ config, wallet, id }) =>
      tokens.post(...burning(config, wallet, "1", [id]), later),
    )
    expect(result.status).toBe(202)
    await expect.poll(async () => (await read(id)).remaining).toBe("3")
    await expect.poll(() => holdAccountOf(id)).toEqual({ amount: 300n, isFrozen: true })
    expect(await mainOf(config, wallet)).toMatchObject({ amount: 600n })
  })

  test("executing it waits, and gives all of it away", async () => {
    const { config, wallet, other, id } = await during(async ({ other, id }) => {
      const executed = await tokens.post(`/token/hold/${id}/execute`, { to_pubkey: other, document_sha256 }, later)
      expect(executed.status).toBe(202)
    })
    await expect.poll(async () => (await read(id)).state).toBe("executed")
    expect(await mainOf(config, wallet)).toMatchObject({ amount: 600n })
    expect(await mainOf(config, other)).toMatchObject({ amount: 1400n })
  })

  test("releasing it waits, and moves it back", async () => {
    const { config, wallet, id } = await during(async ({ id }) => {
      const released = await tokens.post(`/token/hold/${id}/release`, {}, later)
      expect([released.status, released.json.state]).toEqual([202, "active"])
    })
    await expect.poll(async () => (await read(id)).state).toBe("released")
    await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 1000n, isFrozen: false })
    expect(await balance(config, wallet)).toMatchObject({ amount: "10", available: "10", held: "0" })
  })

  test("what it holds stays unavailable, and the rest can be moved and held", async () => {
    const { config, wallet, other, id } = await during(async ({ config, wallet, other }) => {
      expect((await tokens.transfer(config, wallet, other, "6.01", later)).json.error).toBe("amount_held")
      expect((await tokens.transfer(config, wallet, other, "2", later)).status).toBe(202)
      const further = await held(config, wallet, "4")
      expect((await read(further)).onchain_account).toBeNull()
      expect(await balance(config, wallet)).toMatchObject({ amount: "10", available: "0", held: "8" })
      expect((await tokens.transfer(config, wallet, other, "0.01", later)).json.error).toBe("amount_held")
    })
    await expect.poll(() => holdAccountOf(id)).toEqual({ amount: 800n, isFrozen: true })
    await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 0n, isFrozen: false })
    expect(await mainOf(config, other)).toMatchObject({ amount: 1200n })
  })

  test("changing the mode back leaves it where it was", async () => {
    const { config, wallet, id } = await during(({ config }) => change(config, "agent"))
    expect(await read(id)).toMatchObject({ state: "active", remaining: "4", onchain_account: null })
    expect(await mainOf(config, wallet)).toEqual({ amount: 1000n, isFrozen: true })
    expect(await balance(config, wallet)).toMatchObject({ amount: "10", available: "6", held: "4" })
  })

  test("pausing the token keeps it where it was until the pause ends", async () => {
    const config = await newConfig()
    const { wallet } = await holder(config)
    const id = await held(config, wallet, "4")
    await whileLedgerPaused(async () => {
      await change(config, "holder")
      await carrying(id)
      await setPaused(config, "pause")
    })
    await expect.poll(() => carries(id)).toEqual(["failed"])
    expect(await readReconcileProgress(key.workspaceId, config)).toEqual({ accounts: 1, remaining: 1, waits: true })
    expect(await mainOf(config, wallet)).toEqual({ amount: 1000n, isFrozen: true })
    expect(await differences()).toEqual([])
    // The books hold it, so it can be released.
    const other = await held(config, wallet, "1")
    expect((await release(other)).json.state).toBe("released")
    await setPaused(config, "unpause")
    await settled(config)
    expect(await holdAccountOf(id)).toEqual({ amount: 400n, isFrozen: true })
    await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 600n, isFrozen: false })
  })

  test("its time comes, and it is moved back", async () => {
    const { config, wallet, id } = await during(async ({ config, wallet, id }) => {
      const expires_at = toTimestamp(addSeconds(clock.now(), 3600))
      await sql`update holds set expires_at = ${expires_at} where id = ${id}`
      await advanceClock({ seconds: 7200 })
      await sweep()
      expect((await read(id)).state).toBe("expired")
      expect((await tokens.post(...burning(config, wallet, "1", [id]))).json.error).toBe("hold_ended")
    })
    await sweep()
    await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 1000n, isFrozen: false })
    expect(await read(id)).toMatchObject({ state: "expired", remaining: "0" })
  })
})

test("a hold that an operation takes from is carried once that has ended", async () => {
  const config = await newConfig()
  const { wallet } = await holder(config)
  const [id, whole] = [await held(config, wallet, "4"), await held(config, wallet, "2")]
  await whileLedgerPaused(async () => {
    for (const [hold, amount] of [
      [id, "1"],
      [whole, "2"],
    ] as const)
      expect((await tokens.post(...burning(config, wallet, amount, [hold]), later)).status).toBe(202)
    await change(config, "holder")
  })
  await settled(config)
  expect(await read(id)).toMatchObject({ state: "active", remaining: "3" })
  expect(await read(whole)).toMatchObject({ state: "executed", onchain_account: null })
  expect(await holdAccountOf(id)).toEqual({ amount: 300n, isFrozen: true })
  await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 400n, isFrozen: false })
})

test("what is on its way in holder mode ends first, or fails and leaves its hold as it was", async () => {
  const config = await newConfig("holder")
  const { wallet } = await holder(config)
  const id = await held(config, wallet, "4")
  const placed = await whileLedgerPaused(async () => {
    const body = { user_pubkey: wallet, mint_config: config, amount: "1", ...grounds }
    const placed = await tokens.post("/token/holds", body, later)
    expect((await tokens.post(`/token/hold/${id}/release`, {}, later)).status).toBe(202)
    await change(config, "agent")
    return placed.json.hold_id as string
  })
  expect((await release(id)).json.error).toMatch(/mint_paused|hold_ended/)
  await settled(config)
  expect((await read(placed)).state).toBe("failed")
  expect(await read(id)).toMatchObject({ state: "active", remaining: "4", onchain_account: null })
  expect(await mainOf(config, wallet)).toEqual({ amount: 1000n, isFrozen: true })
  expect((await release(id)).json.state).toBe("released")
})

test("a change back that comes before the first is done ends in the mode that was set last", async () => {
  const config = await newConfig("holder")
  const { pair, wallet } = await holder(config)
  const other = await holder(config)
  const id = await held(config, wallet, "4")
  await send(config, pair, other.wallet, 100n)
  await whileLedgerPaused(async () => {
    await change(config, "agent")
    await carrying(id)
    await change(config, "holder")
  })
  await settled(config)
  await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 500n, isFrozen: false })
  expect(await holdAccountOf(id)).toEqual({ amount: 400n, isFrozen: true })
  for (const mode of ["agent", "holder", "agent", "holder", "agent"] as const) await change(config, mode)
  await settled(config)
  expect(await mainOf(config, wallet)).toEqual({ amount: 900n, isFrozen: true })
  expect(await balance(config, wallet)).toMatchObject({ amount: "9", available: "5", held: "4" })
})

test("a paused token carries its holds once the pause ends, in either direction", async () => {
  const config = await newConfig("holder")
  const { wallet } = await holder(config)
  const id = await held(config, wallet, "4")
  for (const [mode, main] of [
    ["agent", { amount: 1000n, isFrozen: true }],
    ["holder", { amount: 600n, isFrozen: false }],
  ] as const) {
    await setPaused(config, "pause")
    await change(config, mode)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect((await readReconcileProgress(key.workspaceId, config)).remaining).toBeGreaterThan(0)
    expect(await balance(config, wallet)).toMatchObject({ amount: "10", available: "6", held: "4" })
    expect(await differences()).toEqual([])
    await setPaused(config, "unpause")
    await settled(config)
    await expect.poll(() => mainOf(config, wallet)).toEqual(main)
    expect((await read(id)).state).toBe("active")
  }
})

test("a frozen wallet's main account stays frozen, and its hold is carried", async () => {
  const config = await newConfig()
  const { wallet } = await holder(config)
  const id = await held(config, wallet, "4")
  const freeze = { user_pubkey: wallet, mint_config: config, ...grounds }
  expect((await tokens.post("/token/freeze", freeze)).status).toBe(200)
  await changed(config, "holder")
  expect(await holdAccountOf(id)).toEqual({ amount: 400n, isFrozen: true })
  expect(await mainOf(config, wallet)).toEqual({ amount: 600n, isFrozen: true })
  expect((await tokens.post("/token/unfreeze", freeze)).status).toBe(200)
  await expect.poll(() => mainOf(config, wallet)).toEqual({ amount: 600n, isFrozen: false })
})
