import { AuthorityType, createSetAuthorityInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, PublicKey, VersionedTransaction } from "@solana/web3.js"
import { beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { BaseUnits } from "#shared/amount.ts"
import { ledgerAtRest } from "#test/fixtures/ledger-at-rest.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { createPaymentMint, funded, type TestPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture, someWallet, untilPaid } from "#test/fixtures/payments.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { enqueuePayments } from "./enqueue-payments.ts"

usesCustomer()
let coin: TestPaymentMint
let payments: ReturnType<typeof paymentFixture>

beforeAll(async () => {
  coin = await createPaymentMint(app.connection)
  payments = paymentFixture(key.workspaceId, coin)
  allowMints("test", coin)
  await payments.fund(1_000_000n)
})

const messageOf = async (signature: string) => {
  const [row] = await sql<{ wire: Buffer }[]>`select wire from transactions where signature = ${signature}`
  return VersionedTransaction.deserialize(row!.wire).message
}

/** A workspace of another account, whose treasury has these base units. */
async function workspaceWith(amount: bigint, mint = coin) {
  const { workspaceId } = await app.key()
  const own = paymentFixture(workspaceId, mint)
  if (amount > 0n) await own.fund(amount)
  return own
}

test("a payment creates the wallet's account, pays it once, and its memo names the payout", async () => {
  const [paid] = await payments.pay({ amount: 250n })
  const [operation] = await untilPaid([paid!])
  expect(operation).toMatchObject({ status: "confirmed", error_code: null, attempts: 0 })
  expect(await payments.received(paid!.wallet)).toBe(250n)
  const [row] = await app.connection.getSignaturesForAddress(await payments.treasury(), { limit: 1 })
  expect(row).toMatchObject({
    signature: operation!.signature,
    memo: expect.stringContaining(`vouch:1:${paid!.payoutId}`),
  })
  await ledgerAtRest()
  const [costs] = await sql`select fee, rent from operations where id = ${paid!.operationId}`
  const rent = await app.connection.getMinimumBalanceForRentExemption(165)
  expect(costs).toMatchObject({ fee: 10_000n, rent: BigInt(rent) })
  expect(await differences()).toEqual([])
})

test("a payment in a Token-2022 token is paid as well", async () => {
  const other = await createPaymentMint(app.connection, { program: TOKEN_2022_PROGRAM_ID })
  allowMints("test", coin, other)
  const own = paymentFixture(key.workspaceId, other)
  await own.fund(10n)
  const paid = await own.pay({ amount: 3n }, { amount: 4n })
  expect((await untilPaid(paid)).map(({ status }) => status)).toEqual(["confirmed", "confirmed"])
  expect(await Promise.all(paid.map(({ wallet }) => own.received(wallet)))).toEqual([3n, 4n])
})

describe("30 payments pack", () => {
  const transactionsOf = async (paid: readonly { operationId: string }[]) => {
    const ended = await untilPaid(paid)
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["confirmed"]))
    return new Set(ended.map(({ signature }) => signature)).size
  }
  const thirty = Array.from({ length: 30 }, someWallet)

  test("into 5 transactions if they create accounts, and into 4 if they do not", async () => {
    const paying = () => whileLedgerPaused(() => payments.pay(...thirty.map((wallet) => ({ wallet, amount: 2n }))))
    expect(await transactionsOf(await paying())).toBe(5)
    expect(await transactionsOf(await paying())).toBe(4)
    for (const wallet of thirty) expect(await payments.received(wallet)).toBe(4n)
  })
})

describe("a payout is paid by one operation", () => {
  test("a second payment of a payout is refused while its first one has not failed", async () => {
    const [paid] = await payments.pay({})
    await expect(payments.pay({ payoutId: paid!.payoutId })).rejects.toThrow(`is paid by ${paid!.operationId}`)
    await untilPaid([paid!])
    await expect(payments.pay({ payoutId: paid!.payoutId })).rejects.toThrow(`is paid by ${paid!.operationId}`)
  })

  test("of two callers at the same time, one queues the payment", async () => {
    const payment = { payoutId: newId("pay"), mint: coin.address, wallet: someWallet(), amount: 1n as BaseUnits }
    const calls = Array.from({ length: 8 }, () =>
      sql
        .begin((sql) => enqueuePayments(sql, key.workspaceId, [payment]))
        .then(
          () => "queued",
          () => "refused",
        ),
    )
    expect((await Promise.all(calls)).filter((outcome) => outcome === "queued")).toHaveLength(1)
  })

  test("all payments of a commit are queued, or none", async () => {
    const [paid] = await payments.pay({})
    const fresh = newId("pay")
    await expect(payments.pay({ payoutId: fresh }, { payoutId: paid!.payoutId })).rejects.toThrow()
    expect(await sql`select id from operations where payload ->> 'payout_id' = ${fresh}`).toEqual([])
  })

  test.each([0n, -1n, 2n ** 64n])("an amount of %s base units is refused", async (amount) => {
    await expect(payments.pay({ amount })).rejects.toThrow("base units")
  })
})

describe("what the treasury lacks", () => {
  test("an empty treasury fails the payment, and the error says what is missing", async () => {
    const own = await workspaceWith(0n)
    const [paid] = await own.pay({ amount: 1_500_000n })
    const [operation] = await untilPaid([paid!])
    const account = addressOf(coin.accountOf(await own.treasury()))
    expect(operation).toMatchObject({ status: "failed", error_code: "treasury_insufficient", signature: null })
    expect(operation!.error_detail).toBe(
      `The treasury's account ${account} lacks 1.5 of the payment mint ${coin.address}: the payment is 1.5, and 0 is left. Fund the account.`,
    )
    // It stays owed: another operation may pay it.
    await own.fund(1_500_000n)
    const again = await own.pay({ amount: 1_500_000n, wallet: paid!.wallet, payoutId: paid!.payoutId })
    expect(await untilPaid(again)).toMatchObject([{ status: "confirmed" }])
    expect(await own.received(paid!.wallet)).toBe(1_500_000n)
  })

  test("a treasury that covers some payments pays exactly those, in order", async () => {
    const own = await workspaceWith(100n)
    const paid = await whileLedgerPaused(() => own.pay(...Array.from({ length: 15 }, () => ({ amount: 10n }))))
    const ended = await untilPaid(paid)
    const statuses = [...Array(10).fill("confirmed"), ...Array(5).fill("failed")]
    expect(ended.map(({ status }) => status)).toEqual(statuses)
    expect(new Set(ended.slice(10).map((one) => one.error_code))).toEqual(new Set(["treasury_insufficient"]))
    expect(await coin.balanceOf(await own.treasury())).toBe(0n)
  })

  test("a treasury that its issuer has frozen fails the payment", async () => {
    const own = await workspaceWith(100n)
    await coin.freeze(await own.treasury())
    expect(await untilPaid(await own.pay({}))).toMatchObject([{ status: "failed", error_code: "treasury_frozen" }])
  })

  test("an authority that also issues for another workspace pays nothing", async () => {
    const [one, other] = [await app.key(), await app.key()]
    const own = paymentFixture(one.workspaceId, coin)
    await own.fund(100n)
    await sql`
      insert into workspace_authorities (workspace_id, address, uri, created_at)
      select ${other.workspaceId}, authority, 'derived:', now() from workspaces where id = ${one.workspaceId}`
    expect(await untilPaid(await own.pay({}))).toMatchObject([{ status: "failed", error_code: "treasury_shared" }])
  })
})

describe("what recipients and issuers do", () => {
  test("a frozen account gets nothing, and the others of its batch are paid", async () => {
    const frozen = someWallet()
    await coin.open(new PublicKey(frozen))
    await coin.freeze(new PublicKey(frozen))
    const paid = await whileLedgerPaused(() => payments.pay({}, { wallet: frozen }, {}))
    const ended = await untilPaid(paid)
    expect(ended.map(({ status, error_code }) => [status, error_code])).toEqual([
      ["confirmed", null],
      ["failed", "recipient_account_frozen"],
      ["confirmed", null],
    ])
    expect(ended[1]!.error_detail).toContain(addressOf(coin.accountOf(new PublicKey(frozen))))
    await coin.thaw(new PublicKey(frozen))
    expect(await untilPaid(await payments.pay({ ...paid[1]! }))).toMatchObject([{ status: "confirmed" }])
  })

  test("an account that its wallet has given away is not paid", async () => {
    const giver = await funded(app.connection, 1)
    await coin.open(giver.publicKey)
    const account = coin.accountOf(giver.publicKey)
    const taker = Keypair.generate().publicKey
    const gift = createSetAuthorityInstruction(account, giver.publicKey, AuthorityType.AccountOwner, taker)
    await sendOwn(app.connection, [giver], gift)
    const [operation] = await untilPaid(await payments.pay({ wallet: addressOf(giver.publicKey) }))
    expect(operation).toMatchObject({ status: "failed", error_code: "recipient_not_payable" })
    expect(operation!.error_detail).toContain(`belongs to ${taker.toBase58()}`)
  })

  test("a token account, a mint, a program and the treasury itself are no recipients", async () => {
    const owner = Keypair.generate().publicKey
    await coin.open(owner)
    const wrong = [coin.accountOf(owner), coin.mint, coin.program, await payments.treasury()]
    const ended = await untilPaid(await payments.pay(...wrong.map((one) => ({ wallet: addressOf(one) }))))
    expect(ended.map(({ error_code }) => error_code)).toEqual(Array(4).fill("recipient_not_payable"))
    expect(ended.map(({ error_detail }) => /: it is (.*)\.$/.exec(error_detail!)![1])).toEqual([
      "a token account or a mint, not a wallet",
      "a token account or a mint, not a wallet",
      "a program",
      "the treasury itself",
    ])
  })

  test("a wallet off the curve is paid", async () => {
    const [multisig] = PublicKey.findProgramAddressSync([Buffer.from("vault")], Keypair.generate().publicKey)
    const paid = await payments.pay({ wallet: addressOf(multisig), amount: 7n })
    expect(await untilPaid(paid)).toMatchObject([{ status: "confirmed" }])
    expect(await coin.balanceOf(multisig)).toBe(7n)
  })
})

describe("mints", () => {
  test("that the settings do not list pay nothing", async () => {
    const other = await createPaymentMint(app.connection)
    const own = paymentFixture(key.workspaceId, other)
    await own.fund(10n)
    const [operation] = await untilPaid(await own.pay({}))
    expect(operation).toMatchObject({ status: "failed", error_code: "payment_mint_refused" })
    expect(operation!.error_detail).toContain("settings do not list it")
  })

  test("that do not exist pay nothing", async () => {
    const nowhere = { ...coin, address: someWallet() }
    allowMints("test", coin, nowhere)
    const [operation] = await untilPaid(await paymentFixture(key.workspaceId, nowhere).pay({}))
    expect(operation).toMatchObject({ status: "failed", error_code: "payment_mint_refused" })
  })
})

test("the bytes of a payment contain no other instruction than its own", async () => {
  const wallet = someWallet()
  await coin.open(new PublicKey(wallet))
  const [operation] = await untilPaid(await payments.pay({ wallet }))
  const { compiledInstructions, staticAccountKeys } = await messageOf(operation!.signature!)
  const programs = compiledInstructions.map(({ programIdIndex }) => staticAccountKeys[programIdIndex]!.toBase58())
  expect(programs.slice(-2)).toEqual([expect.stringMatching(/^Memo/), coin.program.toBase58()])
  expect(programs.slice(0, -2).every((program) => program.startsWith("ComputeBudget"))).toBe(true)
})
