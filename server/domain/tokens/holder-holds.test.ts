import {
  createCloseAccountInstruction,
  createTransferCheckedInstruction,
  TOKEN_2022_PROGRAM_ID as TOKEN,
  unpackAccount,
} from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addSeconds, clock, toTimestamp } from "#server/lib/time.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { sweep } from "#server/start/housekeeping.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import { advanceClock } from "#test/fixtures/clock.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { endOf } from "#test/matchers/token-outcomes.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const later = { headers: { Prefer: "respond-async" } }

const holderMode = { transfer_mode: "holder", decimals: 2 }
const holderConfig = () => tokens.config({}, holderMode)
const mintOf = (config: string) => assetMintOf(key.workspaceId, config)

/** A verified wallet with 10 tokens, whose key the test has. */
async function holder(config: string) {
  const pair = Keypair.generate()
  const wallet = addressOf(pair.publicKey)
  await app.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  const { status } = await app.verifiedWallet(key, wallet)
  expect((await tokens.mint(config, wallet, "10")).status).toBe(200)
  return { pair, wallet, attestationId: status.attestation_id as string }
}

const place = (config: string, wallet: string, amount: string, fields: object = {}, more: object = {}) =>
  tokens.post("/token/holds", { user_pubkey: wallet, mint_config: config, amount, ...grounds, ...fields }, more)
const read = async (id: string) => (await tokens.get(`/token/hold/${id}`)).json
const release = (id: string) => tokens.post(`/token/hold/${id}/release`, {})
const balance = async (config: string, wallet: string) =>
  (await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)).json
const burn = (config: string, wallet: string, amount: string, fields: object = {}) =>
  tokens.post("/token/burn", {
    ...{ user_pubkey: wallet, mint_config: config, amount, ...grounds, holder_consent: true },
    ...fields,
  })
const force = (config: string, from: string, to: string, amount: string, fields: object = {}) =>
  tokens.post("/token/force-transfer", {
    ...{ from_pubkey: from, to_pubkey: to, mint_config: config, amount, ...grounds, document_sha256 },
    ...fields,
  })

async function held(config: string, wallet: string, amount: string, fields: object = {}): Promise<string> {
  const answer = await place(config, wallet, amount, fields)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.hold_id
}

/** A token account on chain, in base units; null if there is none. */
async function accountAt(address: string | PublicKey) {
  const place = new PublicKey(address)
  const info = await app.connection.getAccountInfo(place, "confirmed")
  if (info === null) return null
  const { amount, isFrozen, owner } = unpackAccount(place, info, TOKEN)
  return { amount, isFrozen, owner: owner.toBase58() }
}
const mainOf = (config: string, wallet: string) => accountAt(tokenAccountOf(mintOf(config), new PublicKey(wallet)))
/** The holder's own transfer, without Vouch. */
function send(config: string, from: Keypair, to: string, amount: bigint) {
  const mint = mintOf(config)
  const [source, target] = [from.publicKey, new PublicKey(to)].map((wallet) => tokenAccountOf(mint, wallet))
  const transfer = createTransferCheckedInstruction(source!, mint, target!, from.publicKey, amount, 2, [], TOKEN)
  return sendOwn(app.connection, [from], transfer)
}

const mints: [name: string, older: readonly MintExtension[] | null][] = [
  ["a token in holder mode", null],
  ["a token in holder mode of version 0.1.0", ["pausable"]],
]

describe.each(mints)("of %s", (_name, older) => {
  const create = () => (older ? tokens.olderConfig(older, holderMode) : holderConfig())

  test("a hold moves its amount into a frozen account of the wallet, and releasing it moves it back", async () => {
    const config = await create()
    const { pair, wallet } = await holder(config)
    const other = await holder(config)
    const placed = await place(config, wallet, "4")
    expect(placed.status, placed.text).toBe(200)
    const { hold_id, onchain_account, operation_id } = placed.json
    expect(placed.json).toMatchObject({ state: "active", amount: "4", remaining: "4", user_pubkey: wallet })
    expect(await accountAt(onchain_account)).toEqual({ amount: 400n, isFrozen: true, owner: wallet })
    expect(await mainOf(config, wallet)).toMatchObject({ amount: 600n, isFrozen: false })
    expect(await balance(config, wallet)).toMatchObject({ amount: "10", available: "6", held: "4", frozen: false })
    const { json: operation } = await tokens.get(`/token/operation/${operation_id}`)
    expect(operation).toMatchObject({
      kind: "hold",
      status: "confirmed",
      user_pubkey: wallet,
      amount: "4",
      hold_id,
      ...grounds,
    })

    // The holder moves what is free, and no more.
    await expect(send(config, pair, other.wallet, 601n)).rejects.toThrow(/0x1\b/)
    await send(config, pair, other.wallet, 100n)
    const transferred = await tokens.transfer(config, wallet, other.wallet, "5.01")
    expect(await endOf({ app, key }, transferred)).toEqual([422, "insufficient_balance"])

    const again = await held(config, wallet, "1")
    expect((await read(again)).onchain_account).toBe(onchain_account)
    const released = await release(hold_id)
    expect(released.json).toMatchObject({ hold_id, state: "released", remaining: "0" })
    const { json: back } = await tokens.get(`/token/operation/${released.json.operation_id}`)
    expect(back).toMatchObject({ kind: "release", user_pubkey: wallet, amount: "4", hold_id })
    expect(await accountAt(onchain_account)).toMatchObject({ amount: 100n, isFrozen: true })
    expect(await mainOf(config, wallet)).toMatchObject({ amount: 800n, isFrozen: false })
    expect((await release(hold_id)).json.error).toBe("hold_ended")
  })

  test("burns and forced transfers take from the holds that they name, and then what is free", async () => {
    const config = await create()
    const { wallet } = await holder(config)
    const other = await holder(config)
    const [first, second] = [await held(config, wallet, "4"), await held(config, wallet, "3")]
    const { onchain_account } = await read(first)
    const unnamed = await burn(config, wallet, "4")
    expect(await endOf({ app, key }, unnamed)).toEqual([422, "insufficient_balance"])

    expect((await burn(config, wallet, "1", { holds: [first] })).status).toBe(200)
    expect(await read(first)).toMatchObject({ state: "active", remaining: "3" })
    expect(await mainOf(config, wallet)).toMatchObject({ amount: 300n })

    const taken = await force(config, wallet, other.wallet, "7", { holds: [second, first] })
    expect(taken.status, taken.text).toBe(200)
    expect([await read(first), await read(second)]).toMatchObject([
      { state: "executed", remaining: "0" },
      { state: "executed", remaining: "0" },
    ])
    expect(await accountAt(onchain_account)).toMatchObject({ amount: 0n, isFrozen: true })
    expect(await mainOf(config, wallet)).toMatchObject({ amount: 200n, isFrozen: false })
    expect(await balance(config, other.wallet)).toMatchObject({ amount: "17", held: "0" })
  })
})

test("a hold fails and moves nothing if the holder empties the wallet while it is on its way", async () => {
  const config = await holderConfig()
  const { pair, wallet } = await holder(config)
  const other = await holder(config)
  const once = { ...later, idempotencyKey: "emptied" }
  const id = await whileLedgerPaused(async () => {
    const placed = await place(config, wallet, "4", {}, once)
    expect([placed.status, placed.json.state]).toEqual([202, "pending"])
    expect(placed.headers.location).toBe(`/v1/token/hold/${placed.json.hold_id}`)
    expect(await differences()).toEqual([])
    await send(config, pair, other.wallet, 700n)
    return placed.json.hold_id as string
  })
  await expect.poll(async () => (await read(id)).state).toBe("failed")
  const { operation_id, onchain_account } = await read(id)
  const { json } = await tokens.get(`/token/operation/${operation_id}`)
  expect(json.error.error).toBe("insufficient_balance")
  expect(onchain_account).toBeNull()
  expect(await mainOf(config, wallet)).toMatchObject({ amount: 300n, isFrozen: false })
  expect(await balance(config, wallet)).toMatchObject({ amount: "3", held: "0" })
  expect((await place(config, wallet, "3.01")).json.error).toBe("insufficient_balance")
  // The first answer was lost.
  await sql`update idempotency_records set status = null, body = null where idempotency_key = 'emptied'`
  expect((await place(config, wallet, "4", {}, once)).json.error).toBe("insufficient_balance")
})

test("a hold in a wallet that may no longer hold leaves its main account frozen", async () => {
  const config = await holderConfig()
  const { wallet, attestationId } = await holder(config)
  await tokens.post(`/attestation/${attestationId}/revoke`, { reason: "Left the country" })
  const id = await held(config, wallet, "4")
  expect(await mainOf(config, wallet)).toMatchObject({ amount: 600n, isFrozen: true })
  expect((await release(id)).status).toBe(200)
  expect(await mainOf(config, wallet)).toMatchObject({ amount: 1000n, isFrozen: true })
})

test("a hold whose time has come is moved back", async () => {
  const config = await holderConfig()
  const { wallet } = await holder(config)
  const id = await held(config, wallet, "4", { expires_at: toTimestamp(addSeconds(clock.now(), 3600)) })
  await advanceClock({ seconds: 7200 })
  expect((await read(id)).state).toBe("expired")
  expect((await release(id)).json.error).toBe("hold_ended")
  expect((await burn(config, wallet, "1", { holds: [id] })).json.error).toBe("hold_ended")
  await sweep()
  await expect.poll(async () => (await mainOf(config, wallet))?.amount).toBe(1000n)
  await expect.poll(async () => (await read(id)).ended_at).not.toBeNull()
  expect(await read(id)).toMatchObject({ state: "expired", remaining: "0" })
})

test("an executed hold gives what it holds to another wallet, and nothing else", async () => {
  const config = await holderConfig()
  const [{ wallet }, other] = [await holder(config), await holder(config)]
  const id = await held(config, wallet, "4")
  const executed = await tokens.post(`/token/hold/${id}/execute`, { to_pubkey: other.wallet, document_sha256 })
  expect(executed.status, executed.text).toBe(200)
  expect(await read(id)).toMatchObject({ state: "executed", remaining: "0" })
  expect(await mainOf(config, wallet)).toMatchObject({ amount: 600n, isFrozen: false })
  expect(await mainOf(config, other.wallet)).toMatchObject({ amount: 1400n, isFrozen: false })
})

test("a paused token places and releases no hold", async () => {
  const config = await holderConfig()
  const { wallet } = await holder(config)
  const id = await held(config, wallet, "4")
  await tokens.post(`/mint-config/${config}/pause`, {})
  expect((await place(config, wallet, "1")).json.error).toBe("mint_paused")
  expect((await release(id)).json.error).toBe("mint_paused")
  await tokens.post(`/mint-config/${config}/unpause`, {})
  expect((await release(id)).status).toBe(200)
})

test("a holder who closes the empty hold account is paid for again only a few times a month", async () => {
  const config = await holderConfig()
  const { pair, wallet } = await holder(config)
  const once = async () => {
    const placed = await place(config, wallet, "10")
    if (placed.status !== 200) return placed.json.error
    expect((await release(placed.json.hold_id)).status).toBe(200)
    const account = new PublicKey(placed.json.onchain_account)
    const close = createCloseAccountInstruction(account, pair.publicKey, pair.publicKey, [], TOKEN)
    await sendOwn(app.connection, [pair], close)
    return "closed"
  }
  const outcomes = []
  for (let i = 0; i < 5; i++) outcomes.push(await once())
  expect(outcomes).toEqual(["closed", "closed", "closed", "closed", "account_reopening_limit"])
  expect(await mainOf(config, wallet)).toMatchObject({ amount: 1000n, isFrozen: false })
})

test("an audit finds a hold account that differs from its holds", async () => {
  const config = await holderConfig()
  const { wallet } = await holder(config)
  const id = await held(config, wallet, "4")
  const change = async (by: number) => {
    await sql`update holds set remaining = remaining + ${by} where id = ${id}`
    await sql`update holdings set held = held + ${by} where mint_config = ${config} and wallet = ${wallet}`
  }
  await change(-1)
  const found = await differences()
  expect(found.map(({ kind }) => kind)).toEqual(["asset_held"])
  expect(found[0]!.detail).toContain("holds 400 base units back, but its holds have 399")
  await change(1)
})
