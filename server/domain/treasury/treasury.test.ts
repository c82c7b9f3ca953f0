import {
  createInitializePermanentDelegateInstruction,
  ExtensionType,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token"
import { Keypair, PublicKey } from "@solana/web3.js"
import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { TEST_DOLLAR } from "#server/solana/test-dollar.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { createPaymentMint, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture, someWallet } from "#test/fixtures/payments.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { runCommandOnApp } from "#test/fixtures/vouch-command.ts"
import { checkPaymentMints, paymentMintTrouble, refusedMints } from "./payment-mints.ts"

usesCustomer()
let coin: TestPaymentMint
let named: TestPaymentMint
let seizable: TestPaymentMint

beforeAll(async () => {
  coin = await createPaymentMint(app.connection)
  const program = TOKEN_2022_PROGRAM_ID
  named = await createPaymentMint(app.connection, { program, metadata: { name: "Test Dollar", symbol: "TUSD" } })
  const delegate = Keypair.generate().publicKey
  const initialize = (mint: TestPaymentMint["mint"]) =>
    createInitializePermanentDelegateInstruction(mint, delegate, program)
  const extensions = [{ type: ExtensionType.PermanentDelegate, initialize }]
  seizable = await createPaymentMint(app.connection, { program, extensions })
})

/** The name of a key's account. */
async function accountOf({ workspaceId }: { workspaceId: string }): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    select a.name from accounts a join workspaces w on w.account_id = a.id where w.id = ${workspaceId}`
  return row!.name
}

const treasuryOf = ({ apiKey }: { apiKey: string }) => app.request({ method: "GET", path: "/treasury", key: apiKey })

test("without payment mints in the settings, test mode on the local network pays with test dollars", async () => {
  const treasury = await paymentFixture(key.workspaceId, coin).treasury()
  const read = async () => (await treasuryOf(key)).json
  expect(await read()).toMatchObject({
    address: treasury.toBase58(),
    balances: [{ mint: TEST_DOLLAR, balance: "0", refused: "no account exists at this address" }],
  })
  const account = await accountOf(key)
  const fund = (...args: string[]) => runCommandOnApp("test", "fund-treasury", "--account", account, ...args)
  expect(await fund("--amount", "2.5")).toEqual({
    exitCode: 0,
    stdout: `${treasury.toBase58()} got 2.5 test dollars.\n`,
    stderr: "",
  })
  expect((await fund()).exitCode).toBe(0)
  const tokenAccount = tokenAccountOf(new PublicKey(TEST_DOLLAR), treasury, TOKEN_PROGRAM_ID).toBase58()
  expect((await read()).balances).toMatchObject([
    { mint: TEST_DOLLAR, balance: "1000002.5", token_account: tokenAccount, decimals: 6, refused: null },
  ])
  expect((await fund("--amount", "1.0000001")).exitCode).toBe(2)
  expect(await refusedMints(deployment.chains.test!)).toEqual([])
})

test("live mode has no payment mints unless the settings name some", async () => {
  const live = await app.key({ mode: "live" })
  expect((await treasuryOf(live)).json.balances).toEqual([])
})

test("each mint has one entry, in the order of the settings, with what is on chain", async () => {
  allowMints("test", named, coin, seizable)
  const treasury = await paymentFixture(key.workspaceId, coin).treasury()
  await coin.fund(treasury, 125_000_500_000n)
  const { json } = await treasuryOf(key)
  const common = { decimals: 6, frozen: false, refused: null }
  expect(json.balances).toEqual([
    {
      ...common,
      mint: named.address,
      name: "Test Dollar",
      symbol: "TUSD",
      token_account: addressOf(named.accountOf(treasury)),
      balance: "0",
    },
    {
      ...common,
      mint: coin.address,
      name: null,
      symbol: null,
      token_account: addressOf(coin.accountOf(treasury)),
      balance: "125000.5",
    },
    {
      mint: seizable.address,
      name: null,
      symbol: null,
      decimals: null,
      token_account: null,
      balance: "0",
      frozen: false,
      refused: "it has a permanent delegate, who can take payments back",
    },
  ])
  await coin.freeze(treasury)
  expect((await treasuryOf(key)).json.balances[1]).toMatchObject({ frozen: true, balance: "125000.5" })
})

test("each workspace has its own treasury", async () => {
  allowMints("test", coin)
  const other = await app.key()
  const [mine, theirs] = [await treasuryOf(key), await treasuryOf(other)]
  expect(theirs.json.address).not.toBe(mine.json.address)
  expect(theirs.json.balances).toMatchObject([{ balance: "0" }])
})

test("a mode has the mints that its setting names, or else those of both modes", async () => {
  const { settings } = deployment
  settings.VOUCH_PAYMENT_MINTS = [named.address]
  settings.VOUCH_TEST_PAYMENT_MINTS = undefined
  const mints = async () => (await treasuryOf(key)).json.balances.map((one: { mint: string }) => one.mint)
  expect(await mints()).toEqual([named.address])
  allowMints("test", coin)
  expect(await mints()).toEqual([coin.address])
  settings.VOUCH_PAYMENT_MINTS = undefined
})

test("a key without token:read sees no treasury", async () => {
  const { status, json } = await treasuryOf(await app.key({ scopes: ["kyc:read"] }))
  expect([status, json.error]).toEqual([403, "insufficient_scope"])
})

test("mints that a mode cannot pay with are reported with the reason", async () => {
  const nowhere = someWallet()
  allowMints("test", coin, seizable, { address: nowhere })
  expect(await refusedMints(deployment.chains.test!)).toEqual([
    `payments in ${seizable.address} are refused: it has a permanent delegate, who can take payments back`,
    `payments in ${nowhere} are refused: no account exists at this address`,
  ])
})

test("a refused mint degrades the health until it is no longer listed", async () => {
  const chains = [deployment.chains.test!]
  allowMints("test", seizable)
  await checkPaymentMints(chains)
  expect(paymentMintTrouble("test")).toContain(`payments in ${seizable.address} are refused: it has a permanent`)
  const chain = async () => (await app.request({ method: "GET", path: "/health" })).json.checks.chain as string
  await waitFor(async () => (await chain()).includes(seizable.address), "the health to say so")
  allowMints("test", coin)
  await checkPaymentMints(chains)
  expect(paymentMintTrouble("test")).toBeNull()
  await waitFor(async () => (await chain()) === "ok", "the health to be good again")
})

test("while the chain is unreachable, the answer is 503", async () => {
  allowMints("test", coin)
  await app.faults({ drop: 1 })
  const { status, json } = await treasuryOf(key)
  await app.faults({})
  expect([status, json.error]).toEqual([503, "chain_unavailable"])
})
