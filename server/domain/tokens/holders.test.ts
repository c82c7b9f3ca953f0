import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { beforeAll, expect, test } from "vitest"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { newWallet, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let key: TestKey
let tokens: TokenFixture
let browser: Browser
let wallets: string[]

usesApp()
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
  wallets = (await tokens.wallets(5)).sort()
})

const holders = async (mint_config: string, more: object = {}) => {
  const { status, data, error } = await browser.query("token.holders", { mint_config, ...more })
  expect(error).toBeUndefined()
  expect(status).toBe(200)
  return data
}
const walletsOf = (list: { data: { wallet: string }[] }) => list.data.map(({ wallet }) => wallet)

test("holders are listed by balance and then by wallet, with what the chain holds", async () => {
  const config = await tokens.config({}, { decimals: 2 })
  const [a, b, c] = wallets as [string, string, string]
  await tokens.mint(config, b, "1.5")
  await tokens.mint(config, c, "10")
  await tokens.mint(config, a, "1.5")
  const list = await holders(config)
  expect(walletsOf(list)).toEqual([c, a, b])
  expect(list).toMatchObject({
    next_cursor: null,
    chain_answered: true,
    supply: "13",
    slot: expect.any(Number),
  })
  expect(list.data[0]).toEqual({
    wallet: c,
    balance: "10",
    percent: "76.92",
    incoming: "0",
    outgoing: "0",
    available: "10",
    held: "0",
    counted: true,
    verification: "verified",
    attestation_id: expect.stringMatching(/^att_/),
    investor: { investor_id: expect.stringMatching(/^inv_/), external_id: null },
    account: "frozen",
    onchain_balance: "10",
    freezes: [],
    bar: null,
    reopenings: { used: 0, limit: 3 },
  })
})

test("a wallet that has given everything away is not a holder, and amounts in progress are shown", async () => {
  const config = await tokens.config()
  const [a, b] = wallets as [string, string]
  await tokens.mint(config, a, 10)
  await tokens.transfer(config, a, b, 10)
  expect(walletsOf(await holders(config))).toEqual([b])
  await app.faults({ drop: 1 })
  try {
    await tokens.transfer(config, b, a, 4, { headers: { prefer: "respond-async" } })
    const { data } = await holders(config)
    expect(data).toMatchObject([
      { wallet: b, balance: "10", outgoing: "4", incoming: "0" },
      { wallet: a, balance: "0", outgoing: "0", incoming: "4" },
    ])
  } finally {
    await app.faults({})
  }
})

test("pages show each holder once, whatever is minted in between, and the search finds a wallet", async () => {
  const config = await tokens.config()
  for (const [i, wallet] of wallets.entries()) await tokens.mint(config, wallet, 1 + (i >> 1))
  const [a, b, c, d, e] = wallets as [string, string, string, string, string]
  const first = await holders(config, { limit: 2 })
  expect(walletsOf(first)).toEqual([e, c])
  await tokens.mint(config, newest(await tokens.wallets(1)), 100)
  const second = await holders(config, { limit: 2, cursor: first.next_cursor })
  expect(walletsOf(second)).toEqual([d, a])
  const third = await holders(config, { limit: 2, cursor: second.next_cursor })
  expect([walletsOf(third), third.next_cursor]).toEqual([[b], null])
  expect(walletsOf(await holders(config, { q: c.slice(0, 20) }))).toEqual([c])
  expect(walletsOf(await holders(config, { q: c.slice(-8) }))).toEqual([c])
  expect(walletsOf(await holders(config, { q: `${c.slice(0, 8)}…${c.slice(-8)}` }))).toEqual([c])
  expect(walletsOf(await holders(config, { q: newWallet() }))).toEqual([])
})
const newest = (made: string[]): string => made[0]!

test("a cursor from another list is refused", async () => {
  const config = await tokens.config()
  for (const cursor of ["x", Buffer.from("1/none").toString("base64url"), "b3BfMQ"]) {
    const { error } = await browser.query("token.holders", { mint_config: config, cursor })
    expect(error.detail).toMatch(/^cursor: /)
  }
})

test("a revoked wallet keeps its tokens, and is shown as revoked", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 1)
  const { json } = await tokens.get(`/kyc/status/${wallet}`)
  await tokens.post(`/attestation/${json.attestation_id}/revoke`, { reason: "test" })
  expect((await holders(config)).data[0]).toMatchObject({ verification: "revoked", balance: "1" })
})

test("in holder mode, accounts of verified wallets are open until they are revoked", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 1)
  expect((await holders(config)).data[0]).toMatchObject({ account: "open" })
  const { json } = await tokens.get(`/kyc/status/${wallet}`)
  await tokens.post(`/attestation/${json.attestation_id}/revoke`, { reason: "test" })
  await waitFor(async () => (await holders(config)).data[0].account === "frozen", "the account to be frozen")
})

test("in holder mode, what is available and held is read from the chain", async () => {
  const config = await tokens.config({}, { transfer_mode: "holder", decimals: 0 })
  const pair = Keypair.generate()
  const wallet = addressOf(pair.publicKey)
  await app.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  const { status } = await app.verifiedWallet(key, wallet)
  const [friend] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 10)
  await tokens.mint(config, friend, 1)
  const held = { user_pubkey: wallet, mint_config: config, amount: "4", reason_code: "tax", reference: "r" }
  expect((await tokens.post("/token/holds", held)).status).toBe(200)
  const mint = assetMintOf(key.workspaceId, config)
  const [from, to] = [wallet, friend].map((one) => tokenAccountOf(mint, new PublicKey(one))) as [PublicKey, PublicKey]
  await sendOwn(
    app.connection,
    [pair],
    createTransferCheckedInstruction(from, mint, to, pair.publicKey, 1n, 0, [], TOKEN_2022_PROGRAM_ID),
  )
  const parts = { available: "5", held: "4" }
  const listed = (await holders(config)).data.find((one: { wallet: string }) => one.wallet === wallet)
  expect(listed).toMatchObject({ onchain_balance: "9", ...parts })
  const { json } = await tokens.get(`/attestation/${status.attestation_id}`)
  const { data } = await browser.query("investor.view", { id: json.investor_id })
  expect(data.tokens[0].wallets).toMatchObject([{ balance: "9", ...parts }])
})

test("a holder's row and the investor's page show each freeze of a wallet, with its reference", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  await tokens.mint(config, wallet, 3)
  const freeze = (reference: string, where: object = {}) =>
    tokens.post("/token/freeze", { user_pubkey: wallet, reason_code: "regulator", reference, ...where })
  expect((await freeze("Order 1", { mint_config: config })).status).toBe(200)
  expect((await freeze("Order 2")).status).toBe(200)
  const common = { since: expect.any(String), reason_code: "regulator" }
  const ofToken = { is_for_every_token: false, reference: "Order 1", ...common }
  const ofAll = { is_for_every_token: true, reference: "Order 2", ...common }
  const { data } = await holders(config)
  expect(data[0].freezes).toEqual([ofToken, ofAll])
  const { data: investor } = await browser.query("investor.view", { id: data[0].investor.investor_id })
  expect(investor.tokens[0].wallets[0].freezes).toEqual([ofToken, ofAll])
  expect(investor.wallets[0].freezes).toEqual([ofAll])
})

test("while the chain does not answer, holders are listed without on-chain data", async () => {
  const config = await tokens.config()
  await tokens.mint(config, wallets[0]!, 3)
  await app.faults({ too_many_requests: 1 })
  try {
    const list = await holders(config)
    expect(list.chain_answered).toBe(false)
    expect(list.data).toMatchObject([{ balance: "3", account: null, onchain_balance: null }])
  } finally {
    await app.faults({})
  }
})
