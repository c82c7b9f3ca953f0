import { createCloseAccountInstruction, getMint, getPausableConfig, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { approve, provenMember } from "#test/fixtures/approvals.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { pauseLedger } from "#test/fixtures/ledger-pause.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import {
  app,
  backUp,
  becomes,
  cluster,
  differences,
  goesOn,
  held,
  idle,
  key,
  restore,
  restores,
  serve,
  tokens,
  withoutWorker,
} from "#test/fixtures/restores.ts"
import { fund, tokenFixture } from "#test/fixtures/tokens.ts"

restores()

const later = { headers: { Prefer: "respond-async" } }
const forced = { ...grounds, document_sha256 }

/** Places holds of a wallet. */
const placing = (user_pubkey: string, mint_config: string) => async (amount: string) =>
  (await tokens.post("/token/holds", { user_pubkey, mint_config, amount, ...grounds })).json.hold_id as string

test.each(["agent", "holder"])(
  "lost burns and forced transfers in %s mode come back as what they were",
  async (mode) => {
    const config = await tokens.config({}, { transfer_mode: mode })
    const [first, second] = await tokens.wallets(2)
    await tokens.mint(config, first, "10")
    await idle()
    await app.stop()
    const backup = await backUp()
    await serve()
    const burned = { user_pubkey: first, mint_config: config, amount: "2", ...forced }
    const taken = { from_pubkey: first, to_pubkey: second, mint_config: config, amount: "3", ...forced }
    const lost = [
      await tokens.post("/token/burn", { ...burned, holder_consent: true }),
      await tokens.post("/token/burn", { ...burned, holder_consent: false }),
      await tokens.post("/token/force-transfer", taken),
      await tokens.transfer(config, first, second, "1"),
    ]
    expect(lost.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await idle()
    await restore(backup)
    await goesOn()

    const ids = lost.map(({ json }) => json.operation_id as string)
    const rows = await sql`
    select kind, status, payload ->> 'amount' as amount, payload -> 'holder_consent' as consent, payload ? 'reference' as known
    from operations where id = any(${ids}) order by array_position(${ids}, id)`
    const back = { status: "confirmed", known: false }
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { ...back, kind: "burn", amount: "2", consent: true },
      { ...back, kind: "burn", amount: "2", consent: false },
      { ...back, kind: "force_transfer", amount: "3", consent: null },
      { ...back, kind: "transfer", amount: "1", consent: null },
    ])
    expect([await held(config, first), await held(config, second)]).toEqual([2n, 4n])
    expect((await tokens.trace(config)).counters).toEqual({ issued: "6", supply: "6", holders: 2 })
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
    const { json } = await tokens.get(`/token/operation/${ids[2]}`)
    expect(json).toMatchObject({ kind: "force_transfer", reason_code: null, reference: null, document_sha256: null })
  },
)

test("a lost burn of a token that is paused on chain comes back, and the token stays paused", async () => {
  const { account } = await provenMember(app)
  const key = await app.key({ account })
  const before = tokenFixture(app, key)
  const config = await before.config({}, { transfer_mode: "holder" })
  const [wallet] = await before.wallets(1)
  await before.mint(config, wallet, "10")
  await before.post(`/mint-config/${config}/pause`, {})
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  const officer = await provenMember(app, { role: "compliance", account })
  const burned = { user_pubkey: wallet, mint_config: config, amount: "2", ...forced, holder_consent: false }
  const { json: asked } = await tokenFixture(app, key).post("/token/burn", { ...burned, while_paused: true })
  expect((await approve(officer, asked.approval_id)).status).toBe(200)
  await becomes(asked.operation_id, "confirmed")
  await idle()
  await restore(backup)
  await goesOn()

  await becomes(asked.operation_id, "confirmed")
  const after = tokenFixture(app, key)
  const { json } = await after.get(`/token/operation/${asked.operation_id}`)
  expect(json).toMatchObject({ kind: "burn", amount: "2", holder_consent: false, user_pubkey: wallet })
  expect((await after.trace(config)).counters).toEqual({ issued: "8", supply: "8", holders: 1 })
  const mint = assetMintOf(key.workspaceId, config)
  const onChain = await getMint(cluster.connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)
  expect(getPausableConfig(onChain)!.paused).toBe(true)
  // If its transaction vanished, it would pass the pause again.
  const [row] = await sql`select payload ->> 'while_paused' as passes from operations where id = ${asked.operation_id}`
  expect(row!.passes).toBe("true")
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})

test("lost holds in holder mode come back, and so does what became of them", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [first, second] = await tokens.wallets(2)
  await tokens.mint(config, first, "20")
  const about = { user_pubkey: first, mint_config: config, ...forced }
  const place = placing(first, config)
  const known = await place("5")
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  const [burned, released, kept] = [await place("4"), await place("3"), await place("2")]
  const taken = { from_pubkey: first, to_pubkey: second, mint_config: config, ...forced }
  const lost = [
    // The oldest holds give, because the chain does not show which ones were named.
    await tokens.post("/token/burn", { ...about, amount: "8", holder_consent: true, holds: [known, burned] }),
    await tokens.post(`/token/hold/${released}/release`, {}),
    await tokens.post("/token/force-transfer", { ...taken, amount: "3", holds: [burned] }),
  ]
  expect(lost.map(({ status }) => status)).toEqual([200, 200, 200])
  const before = await tokens.get(`/token/balance/${first}?mint_config=${config}`)
  await idle()
  await restore(backup)
  await goesOn()

  const states = async () => {
    const ids = [known, burned, released, kept]
    const rows = await sql`
      select state, remaining::text, taking::text from holds where id = any(${ids}) order by array_position(${ids}, id)`
    return rows.map(({ state, remaining, taking }) => [state, remaining, taking])
  }
  expect(await states()).toEqual([
    ["executed", "0", "0"],
    ["executed", "0", "0"],
    ["released", "0", "0"],
    ["active", "2", "0"],
  ])
  const { json } = await tokens.get(`/token/balance/${first}?mint_config=${config}`)
  expect(json).toMatchObject({ amount: before.json.amount, held: "2", available: before.json.available })
  expect((await tokens.get(`/token/hold/${kept}`)).json).toMatchObject({
    ...{ reason_code: "other", reference: "Restored from the chain" },
    onchain_account: (await tokens.get(`/token/hold/${known}`)).json.onchain_account,
  })
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
  expect((await tokens.post(`/token/hold/${kept}/release`, {})).json.state).toBe("released")
})

test("what a plan chose since the backup is read from the chain: a hold's account, and a mint's extensions", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [first, second] = await tokens.wallets(2)
  await tokens.mint(config, first, "20")
  const created = `${config}_later`
  const asked = await withoutWorker(async () => {
    const wanted = { user_pubkey: first, mint_config: config, amount: "5", ...grounds }
    const { json } = await tokens.post("/token/holds", wanted, later)
    await tokens.post("/mint-configs", { ...fund(created), transfer_mode: "holder" }, later)
    return json.hold_id as string
  })
  const backup = await backUp()
  await serve()
  await idle()
  const onChain = async (path: string) => (await tokens.get(path)).json
  const before = await onChain(`/token/hold/${asked}`)
  const extensions = (await onChain(`/mint-config/${created}`)).extensions
  await restore(backup)
  await goesOn()
  await idle()

  expect(await onChain(`/token/hold/${asked}`)).toMatchObject({
    ...{ state: "active", onchain_account: before.onchain_account },
  })
  expect((await onChain(`/mint-config/${created}`)).extensions).toEqual(extensions)
  const taken = { to_pubkey: second, document_sha256 }
  expect((await tokens.post(`/token/hold/${asked}/execute`, taken)).json.state).toBe("executed")
  expect([await held(config, first), await held(config, second)]).toEqual([15n, 5n])
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})

test("a lost burn out of a hold account comes back, even if its holder has closed the account since", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const pair = Keypair.generate()
  const wallet = addressOf(pair.publicKey)
  await cluster.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  await app.verifiedWallet(key, wallet)
  await tokens.mint(config, wallet, "10")
  const id = await placing(wallet, config)("4")
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  const body = { user_pubkey: wallet, mint_config: config, amount: "4", ...forced, holder_consent: true, holds: [id] }
  const { json: burned } = await tokens.post("/token/burn", body)
  await idle()
  const account = publicKeyOf((await tokens.get(`/token/hold/${id}`)).json.onchain_account)
  const close = createCloseAccountInstruction(account, pair.publicKey, pair.publicKey, [], TOKEN_2022_PROGRAM_ID)
  await sendOwn(cluster.connection, [pair], close)
  await restore(backup)
  await goesOn()
  await becomes(burned.operation_id, "confirmed")
  expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ state: "executed", remaining: "0" })
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})

test("in agent mode, the oldest holds of a backup make way for what has left since, and later holds are lost", async () => {
  const config = await tokens.config()
  const [first, second] = await tokens.wallets(2)
  await tokens.mint(config, first, "20")
  const about = { user_pubkey: first, mint_config: config, ...forced }
  const place = placing(first, config)
  const [oldest, next, newest] = [await place("6"), await place("5"), await place("4")]
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  const lost = await place("2")
  const taken = { from_pubkey: first, to_pubkey: second, mint_config: config, ...forced }
  const moved = [
    await tokens.post("/token/burn", { ...about, amount: "7", holder_consent: true, holds: [newest, lost] }),
    await tokens.post("/token/force-transfer", { ...taken, amount: "6", holds: [oldest] }),
  ]
  expect(moved.map(({ status }) => status)).toEqual([200, 200])
  await idle()
  await restore(backup)
  await goesOn()
  // 7 are left, and 15 were held.
  const records = await Promise.all([oldest, next, newest].map((id) => tokens.get(`/token/hold/${id}`)))
  expect(records.map(({ json }) => [json.state, json.remaining])).toEqual([
    ["executed", "0"],
    ["active", "3"],
    ["active", "4"],
  ])
  expect((await tokens.get(`/token/hold/${lost}`)).json.error).toBe("hold_not_found")
  const { json } = await tokens.get(`/token/balance/${first}?mint_config=${config}`)
  expect(json).toMatchObject({ amount: "7", held: "7", available: "0" })
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})

describe("a change of mode", () => {
  /** A token with two holds, what its backup says, and what it has become since. */
  async function restored(about: {
    before: TransferMode
    /** The last thing before the backup. */
    asked?: (config: string, about: { wallet: Address; holds: string[] }) => Promise<unknown>
    lost: (config: string, about: { wallet: Address; holds: string[] }) => Promise<unknown>
  }) {
    const config = await tokens.config({}, { transfer_mode: about.before })
    const [wallet] = await tokens.wallets(1)
    await tokens.mint(config, wallet, "20")
    const place = placing(wallet, config)
    const holds = [await place("6"), await place("5")]
    await idle()
    await about.asked?.(config, { wallet, holds })
    await app.stop()
    const backup = await backUp()
    await serve()
    await about.lost(config, { wallet, holds })
    await restore(backup)
    await goesOn()
    await modeSettled({ key }, config)
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
    const records = await Promise.all(holds.map(async (id) => (await tokens.get(`/token/hold/${id}`)).json))
    const { json: balance } = await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)
    const { json } = await tokens.get(`/mint-config/${config}`)
    return { config, wallet, records, balance, mode: json.transfer_mode }
  }
  const change = (config: string, mode: TransferMode) => changeMode({ tokens, key }, config, mode)
  const changed = async (config: string, mode: TransferMode) => {
    await change(config, mode)
    await modeSettled({ key }, config)
  }

  test("to holder mode that is lost is undone: holds are carried back, and accounts are frozen again", async () => {
    const lost: string[] = []
    const { config, wallet, records, balance, mode } = await restored({
      before: "agent",
      async lost(config, { wallet: user_pubkey, holds }) {
        const unknown = { user_pubkey, mint_config: config, amount: "1", ...grounds }
        lost.push((await tokens.post("/token/holds", unknown)).json.hold_id)
        await changed(config, "holder")
        lost.push((await tokens.post("/token/holds", { ...unknown, amount: "2" })).json.hold_id)
        const burned = { user_pubkey, mint_config: config, amount: "2", ...forced, holder_consent: true }
        expect((await tokens.post("/token/burn", { ...burned, holds: [holds[1]!] })).status).toBe(200)
        await idle()
      },
    })
    expect(mode).toBe("agent")
    // The chain does not show which hold the burn took from, so the oldest gave.
    expect(records).toMatchObject([
      { state: "active", remaining: "4", onchain_account: null },
      { state: "active", remaining: "5", onchain_account: null },
    ])
    for (const id of lost)
      expect((await tokens.get(`/token/hold/${id}`)).json).toMatchObject({ state: "active", onchain_account: null })
    expect(await held(config, wallet)).toBe(18n)
    expect(balance).toMatchObject({ amount: "18", available: "6", held: "12", frozen: true })
  })

  test("to agent mode that is lost is undone: no account is open before holds are in their accounts again", async () => {
    const { config, wallet, records, balance, mode } = await restored({
      before: "holder",
      lost: async (config, { wallet: user_pubkey, holds }) => {
        const burned = { user_pubkey, mint_config: config, amount: "2", ...forced, holder_consent: true }
        expect((await tokens.post("/token/burn", { ...burned, holds: [holds[1]!] })).status).toBe(200)
        await changed(config, "agent")
        await idle()
      },
    })
    expect(mode).toBe("holder")
    // What was carried shows which hold the burn had taken from.
    expect(records).toMatchObject([
      { state: "active", remaining: "6" },
      { state: "active", remaining: "3" },
    ])
    expect(await held(config, wallet)).toBe(9n)
    expect(balance).toMatchObject({ amount: "18", available: "9", held: "9", frozen: false })
  })

  test("whose carried holds are lost goes on", async () => {
    const { config, wallet, records, balance, mode } = await restored({
      before: "agent",
      async asked(config, { holds }) {
        await pauseLedger()
        await change(config, "holder")
        await waitFor(
          async () => (await sql`select from operations where payload ->> 'hold_id' = any(${holds})`).length === 2,
          "both holds to be queued",
        )
        await sql`update ledger_leases set until = '-infinity' where token = 'test'`
      },
      async lost(config) {
        await modeSettled({ key }, config)
        await idle()
      },
    })
    expect(mode).toBe("holder")
    expect(records.map(({ state, remaining }) => [state, remaining])).toEqual([
      ["active", "6"],
      ["active", "5"],
    ])
    expect(await held(config, wallet)).toBe(9n)
    expect(balance).toMatchObject({ amount: "20", available: "9", held: "11", frozen: false })
  })
})
