import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { applyConfig } from "#server/domain/tokens/change-config.ts"
import { getConfig } from "#server/domain/tokens/configs.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import type { Response } from "#test/fixtures/http.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

type Where = { mint_config?: string }
const freeze = (user_pubkey: string, where: Where = {}, more: object = {}) =>
  tokens.post("/token/freeze", { user_pubkey, ...where, ...grounds }, more)
const unfreeze = (user_pubkey: string, where: Where = {}, more: object = {}) =>
  tokens.post("/token/unfreeze", { user_pubkey, ...where, reason_code: "other", reference: "Lifted" }, more)
const burn = (mint_config: string, user_pubkey: string) =>
  tokens.post("/token/burn", { user_pubkey, mint_config, amount: "1", ...grounds, holder_consent: true })
const force = (mint_config: string, from_pubkey: string, to_pubkey: string) =>
  tokens.post("/token/force-transfer", {
    ...{ from_pubkey, to_pubkey, mint_config, amount: "1", ...grounds, document_sha256 },
  })

const answerOf = ({ status, json }: Response) => (status === 200 ? "done" : json.error)

async function isFrozenOnChain(config: string, wallet: string): Promise<boolean> {
  const account = tokenAccountOf(assetMintOf(key.workspaceId, config), new PublicKey(wallet))
  return unpackAccount(account, await app.connection.getAccountInfo(account), TOKEN_2022_PROGRAM_ID).isFrozen
}
const untilFrozen = (config: string, wallet: string) =>
  waitFor(() => isFrozenOnChain(config, wallet), "the account to be frozen")
const untilOpen = (config: string, wallet: string) =>
  waitFor(async () => !(await isFrozenOnChain(config, wallet)), "the account to be open")

describe.each(["agent", "holder"] as const)("in %s mode", (transfer_mode) => {
  const fund = () => tokens.config({}, { transfer_mode })

  async function holders() {
    const config = await fund()
    const [frozen, other] = await tokens.wallets(2)
    for (const wallet of [frozen, other]) expect(answerOf(await tokens.mint(config, wallet, 10))).toBe("done")
    return { config, frozen, other }
  }

  test("a frozen wallet neither gets nor sends tokens, but they can be burned and taken from it", async () => {
    const { config, frozen, other } = await holders()
    expect((await freeze(frozen, { mint_config: config })).status).toBe(200)
    const moves = {
      "mint to it": () => tokens.mint(config, frozen, 1),
      "transfer to it": () => tokens.transfer(config, other, frozen, 1),
      "transfer from it": () => tokens.transfer(config, frozen, other, 1),
      "forced transfer to it": () => force(config, other, frozen),
    }
    for (const [name, move] of Object.entries(moves)) {
      const { status, json } = await move()
      expect([name, status, json.error]).toEqual([name, 403, "wallet_frozen"])
      expect(json.detail).toContain(frozen)
    }
    expect(answerOf(await burn(config, frozen))).toBe("done")
    expect(answerOf(await force(config, frozen, other))).toBe("done")
    expect(await isFrozenOnChain(config, frozen)).toBe(true)
    expect(await tokens.onChain(config, frozen)).toBe(8n)
    // What was set aside is in the audit log.
    const requested = await sql`
      select detail -> 'overrides' as overrides from audit_entries
      where workspace_id = ${key.workspaceId} and detail ->> 'from' = ${frozen} and detail ->> 'overrides' is not null`
    expect(requested).toEqual([{ overrides: ["wallet_frozen"] }, { overrides: ["wallet_frozen"] }])

    expect((await unfreeze(frozen, { mint_config: config })).json.frozen).toBe(false)
    for (const move of Object.values(moves)) expect(answerOf(await move())).toBe("done")
    if (transfer_mode === "holder") await untilOpen(config, frozen)
  })

  test("a freeze of one token leaves the others, and one of every token includes those created later", async () => {
    const { config, frozen } = await holders()
    const other = await fund()
    await freeze(frozen, { mint_config: config })
    expect(answerOf(await tokens.mint(other, frozen, 1))).toBe("done")
    expect((await freeze(frozen)).json).toMatchObject({ mint_config: null, frozen: true })
    const later = await fund()
    for (const one of [config, other, later]) expect(answerOf(await tokens.mint(one, frozen, 1))).toBe("wallet_frozen")
    await untilFrozen(other, frozen)
    // Each freeze is lifted separately.
    const all = await unfreeze(frozen)
    expect(all.json).toEqual({ user_pubkey: frozen, mint_config: null, frozen: false, since: null, reason_code: null })
    expect(answerOf(await tokens.mint(config, frozen, 1))).toBe("wallet_frozen")
    for (const one of [other, later]) expect(answerOf(await tokens.mint(one, frozen, 1))).toBe("done")
  })

  test("a freeze stops a queued mint, and gives back what it reserved", async () => {
    const config = await tokens.config({ max_supply: "10" }, { transfer_mode })
    const [frozen, other] = await tokens.wallets(2)
    let waiting: Promise<Response>
    await whileLedgerPaused(async () => {
      waiting = tokens.mint(config, frozen, 10)
      await waitFor(async () => (await tokens.trace(config)).operations.length > 0, "the operation")
      await freeze(frozen)
    })
    expect(answerOf(await waiting!)).toBe("wallet_frozen")
    expect(await tokens.onChain(config, frozen)).toBe(0n)
    expect(answerOf(await tokens.mint(config, other, 10))).toBe("done")
  })

  test("while a wallet is frozen and unfrozen, mints land before a freeze or are refused, and none is left open", async () => {
    const { config, frozen } = await holders()
    const mints: Promise<Response>[] = []
    for (let round = 0; round < 5; round++) {
      mints.push(...Array.from({ length: 5 }, () => tokens.mint(config, frozen, 1)))
      await freeze(frozen, { mint_config: config })
      mints.push(tokens.mint(config, frozen, 1))
      await unfreeze(frozen, { mint_config: config })
    }
    mints.push(...Array.from({ length: 5 }, () => tokens.mint(config, frozen, 1)))
    await freeze(frozen, { mint_config: config })
    const answers = (await Promise.all(mints)).map(answerOf)
    expect(new Set(["done", "wallet_frozen", ...answers]).size).toBe(2)
    const done = answers.filter((answer) => answer === "done").length
    expect(await tokens.onChain(config, frozen)).toBe(10n + BigInt(done))
    await untilFrozen(config, frozen)
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
    expect(await isFrozenOnChain(config, frozen)).toBe(true)
  })
})

test("in holder mode, the holder cannot move out of a frozen account, whatever happens to the wallet", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const pairs = [Keypair.generate(), Keypair.generate()] as const
  const [wallet, other] = [addressOf(pairs[0].publicKey), addressOf(pairs[1].publicKey)]
  for (const { publicKey } of pairs) {
    await app.connection.requestAirdrop(publicKey, LAMPORTS_PER_SOL)
    await app.verifiedWallet(key, addressOf(publicKey))
    expect(answerOf(await tokens.mint(config, addressOf(publicKey), 10))).toBe("done")
  }
  const mint = assetMintOf(key.workspaceId, config)
  const [from, to] = pairs.map(({ publicKey }) => tokenAccountOf(mint, publicKey)) as [PublicKey, PublicKey]
  const moveOn = () =>
    sendOwn(
      app.connection,
      [pairs[0]],
      createTransferCheckedInstruction(from, mint, to, pairs[0].publicKey, 1n, 0, [], TOKEN_2022_PROGRAM_ID),
    )
  await moveOn()
  await freeze(wallet)
  await untilFrozen(config, wallet)
  await expect(moveOn()).rejects.toThrow()
  expect(await isFrozenOnChain(config, other)).toBe(false)

  const events: Record<string, () => Promise<unknown>> = {
    "its verification is renewed": () => app.verifiedWallet(key, wallet),
    "its freeze for this token alone is lifted": () => unfreeze(wallet, { mint_config: config }),
    async "the mode changes and changes back"() {
      const { id, name, symbol, decimals, required_schema, rules } = await getConfig(principal, config)
      const to = (transfer_mode: "agent" | "holder") =>
        applyConfig(
          { principal, requestId: null },
          { id, name, symbol, decimals, required_schema, rules, transfer_mode },
        )
      await to("agent")
      await untilReconciled(config)
      await to("holder")
      await untilReconciled(config)
    },
  }
  const principal = { workspaceId: key.workspaceId, mode: "test", via: { kind: "operator" } } as never
  for (const [name, happens] of Object.entries(events)) {
    await happens()
    await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
    expect([name, await isFrozenOnChain(config, wallet)]).toEqual([name, true])
  }
  await unfreeze(wallet)
  await untilOpen(config, wallet)
  await moveOn()
})

const untilReconciled = (config: string) =>
  waitFor(async () => {
    const [busy] = await sql`
      select from mint_configs c where workspace_id = ${key.workspaceId} and id = ${config}
        and (aligned_up_to is not null or counted_up_to is not null or exists (
          select from operations o where o.workspace_id = c.workspace_id and o.mint_config = c.id
            and o.status in ('queued', 'submitted')))`
    return busy === undefined
  }, "the accounts to be reconciled")

test("an account that the audit finds open although its wallet is frozen is a difference", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 1)
  await sql`
    insert into wallet_freezes (workspace_id, wallet, mint_config, reason_code, reference, actor, frozen_at)
    values (${key.workspaceId}, ${wallet}, ${config}, 'other', 'x', 'system', now())`
  expect(await differences()).toMatchObject([
    { kind: "asset_not_frozen", detail: expect.stringContaining("wallet_frozen") },
  ])
  await unfreeze(wallet, { mint_config: config })
})

test("freezing twice and unfreezing twice change nothing, and say what is true", async () => {
  const wallet = newWallet()
  const missing = { user_pubkey: wallet, mint_config: null, frozen: false, since: null, reason_code: null }
  expect((await unfreeze(wallet)).json).toEqual(missing)
  const first = await freeze(wallet)
  expect(first.json).toEqual({
    ...missing,
    frozen: true,
    since: expect.stringMatching(/^20.*Z$/),
    reason_code: "court_order",
  })
  const again = await tokens.post("/token/freeze", {
    user_pubkey: wallet,
    reason_code: "sanctions",
    reference: "Other",
  })
  expect(again.json).toEqual(first.json)
  for (let n = 0; n < 2; n++) expect((await unfreeze(wallet)).json).toEqual(missing)

  const log = await sql`
    select action, detail from audit_entries
    where workspace_id = ${key.workspaceId} and subject = ${wallet} order by seq`
  expect(log).toEqual([
    { action: "wallet.frozen", detail: { mint_config: null, ...grounds } },
    { action: "wallet.unfrozen", detail: { mint_config: null, reason_code: "other", reference: "Lifted" } },
  ])
  const events = await waitFor(async () => {
    const about = await sql`
      select type, data from events
      where workspace_id = ${key.workspaceId} and data ->> 'user_pubkey' = ${wallet} order by sequence`
    return about.length === 2 ? about : null
  }, "the events")
  const data = { user_pubkey: wallet, investor_id: null, mint_config: null, reason_code: "court_order" }
  expect(events).toMatchObject([
    { type: "wallet.frozen", data },
    { type: "wallet.unfrozen", data },
  ])
})

test("of simultaneous freezes one counts, and all get the same answer", async () => {
  const [wallet] = await tokens.wallets(1)
  const answers = await Promise.all(Array.from({ length: 8 }, () => freeze(wallet)))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  const log = await sql`
    select from audit_entries where workspace_id = ${key.workspaceId} and subject = ${wallet} and action = 'wallet.frozen'`
  expect(log).toHaveLength(1)
})

test("a repeat with the same key gets the first answer, even after the wallet was unfrozen", async () => {
  const wallet = newWallet()
  const first = await freeze(wallet, {}, { idempotencyKey: "freeze-1" })
  await unfreeze(wallet)
  const again = await freeze(wallet, {}, { idempotencyKey: "freeze-1" })
  expect([again.status, again.text]).toEqual([200, first.text])
  expect((await unfreeze(wallet)).json.frozen).toBe(false)
})

test("a wallet is frozen only in the workspace that froze it", async () => {
  const [wallet] = await tokens.wallets(1)
  await freeze(wallet)
  const stranger = await app.key()
  const theirs = tokenFixture(app, stranger)
  await app.verifiedWallet(stranger, wallet)
  const config = await theirs.config()
  expect(answerOf(await theirs.mint(config, wallet, 1))).toBe("done")
  const lifted = await theirs.post("/token/unfreeze", { user_pubkey: wallet, ...grounds })
  expect(lifted.json.frozen).toBe(false)
  expect(answerOf(await tokens.mint(await tokens.config(), wallet, 1))).toBe("wallet_frozen")
  // A freeze names a token of the same workspace.
  expect(
    (await theirs.post("/token/freeze", { user_pubkey: wallet, mint_config: "none", ...grounds })).json.error,
  ).toBe("unknown_mint_config")
})

test("a key without token:control freezes nothing", async () => {
  const limited = await app.key({ scopes: ["token:mint", "token:transfer", "token:burn"] } as never)
  for (const path of ["/token/freeze", "/token/unfreeze"]) {
    const json = { user_pubkey: newWallet(), ...grounds }
    const { status, json: body } = await app.request({ method: "POST", path, key: limited.apiKey, json })
    expect([status, body.error]).toEqual([403, "insufficient_scope"])
  }
})

test.each([
  ["no reason", { reason_code: undefined }],
  ["an unknown reason", { reason_code: "dislike" }],
  ["an empty reference", { reference: "" }],
  ["an unknown field", { until: "2030-01-01" }],
])("%s is refused", async (_name, change) => {
  const json = { user_pubkey: newWallet(), ...grounds, ...change }
  const { status, json: body } = await tokens.post("/token/freeze", json)
  expect([status, body.error]).toEqual([422, "validation_failed"])
})

test("a freeze survives the erasure of its person, and balances and holders show it", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 1)
  const { json: frozen } = await freeze(wallet, { mint_config: config })
  const wallet_freeze = { since: frozen.since, reason_code: "court_order" }
  expect((await tokens.post(`/wallets/${wallet}/erase`, {})).status).toBe(200)
  const shown = async () => [
    (await tokens.get(`/token/balance/${wallet}?mint_config=${config}`)).json.wallet_freeze,
    (await tokens.get(`/token/balances/${wallet}`)).json.data[0].wallet_freeze,
    (await tokens.get(`/token/holders/${config}`)).json.data[0].wallet_freeze,
  ]
  expect(await shown()).toEqual([wallet_freeze, wallet_freeze, wallet_freeze])
  // A freeze of every token is shown for each, and the older of the two counts.
  await tokens.post("/token/freeze", { user_pubkey: wallet, reason_code: "sanctions", reference: "r" })
  expect(await shown()).toEqual([wallet_freeze, wallet_freeze, wallet_freeze])
  await unfreeze(wallet, { mint_config: config })
  for (const one of await shown()) expect(one).toMatchObject({ reason_code: "sanctions" })
  await app.verifiedWallet(key, wallet)
  expect(answerOf(await tokens.mint(config, wallet, 1))).toBe("wallet_frozen")
  await unfreeze(wallet)
  expect(await shown()).toEqual([null, null, null])
})

test("an unfreeze that finds no freeze lifts none that is placed in the meantime", async () => {
  const wallet = newWallet()
  const idempotencyKey = "unfreeze-next-to-a-freeze"
  const unlocked = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  // Holds the key's place, so that the unfreeze waits after it has found no freeze.
  const holding = sql.begin(async (tx) => {
    await tx`
      insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, created_at)
      values (${key.workspaceId}, ${key.keyId}, ${idempotencyKey}, '', now())`
    locked.resolve()
    await unlocked.promise
    throw new Error("undone")
  })
  await locked.promise
  const lifting = unfreeze(wallet, {}, { idempotencyKey })
  const isWaiting = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
      and query like '%idempotency_records%'`
  await waitFor(async () => (await isWaiting()).length > 0, "the unfreeze to wait for its key")
  expect((await freeze(wallet)).json.frozen).toBe(true)
  unlocked.resolve()
  await expect(holding).rejects.toThrow("undone")
  expect((await lifting).json).toMatchObject({ frozen: true, reason_code: "court_order" })
  expect(await sql`select action from audit_entries where subject = ${wallet}`).toEqual([{ action: "wallet.frozen" }])
})
