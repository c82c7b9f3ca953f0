import { createCloseAccountInstruction, getMint, getPausableConfig, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { approve, provenMember } from "#test/fixtures/approvals.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
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
  placing,
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
