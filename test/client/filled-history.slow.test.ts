import { PublicKey } from "@solana/web3.js"
import { beforeAll, describe, expect, test } from "vitest"
import { type OnChainQuestion, verifyOnChain, type Web3Connection } from "#client/index.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import {
  type AttestationRecord,
  credential,
  fillHistory,
  forge,
  memoOf,
  recordOf,
  refused,
  renew,
  strangerWithSol,
} from "./on-chain.ts"

// For the base fee, anyone can name an account in a transaction, so strangers can fill its history.

const schema = "kyc_individual_v1"
/** More than the client reads before it tries other accounts, and more than it reads in total or gets in one page. */
const [SOME, TOO_MANY] = [60, 1_010]

let stranger: Awaited<ReturnType<typeof strangerWithSol>>
let issuer: string
let mint: PublicKey

usesCustomer()
beforeAll(async () => {
  const { onchain } = await recordOf(app, key, (await app.verifiedWallet(key)).wallet)
  issuer = onchain.authority
  mint = new PublicKey(onchain.mint)
  stranger = await strangerWithSol(app)
})

const ask = (wallet: string, more: Partial<OnChainQuestion> = {}) =>
  verifyOnChain(app.connection, { issuer, schema, wallet, ...more })
const accountOf = (wallet: Address) => addressOf(tokenAccountOf(mint, new PublicKey(wallet)))
const fill = (wallet: Address, count: number) => fillHistory(app, stranger, { accounts: [accountOf(wallet)], count })
const tooLong = {
  name: "VouchError",
  code: "history_too_long",
  detail: expect.stringContaining("transaction"),
}

test("strangers cannot hide a credential by filling the history of its derived account before it is issued", async () => {
  const wallet = newWallet()
  await fill(wallet, SOME)
  expect(await ask(wallet, { mint: mint.toBase58() })).toEqual(refused("no_credential"))
  await app.verifiedWallet(key, wallet)
  const record = await recordOf(app, key, wallet)
  expect(await ask(wallet)).toEqual(credential(record))
  expect(await ask(wallet, { transaction: record.onchain_tx })).toEqual(credential(record))
})

test("transactions without an attestation's memo are listed page by page, but not read", async () => {
  const { wallet } = await app.verifiedWallet(key)
  const record = await recordOf(app, key, wallet)
  const accounts = [record.onchain.token_account]
  await fillHistory(app, stranger, { accounts, count: TOO_MANY, memoText: (at) => `vouch:1:op_${at}` })
  let read = 0
  const connection: Web3Connection = new Proxy(app.connection as Web3Connection, {
    get(target, name) {
      if (name === "getTransaction") read++
      return Reflect.get(target, name)
    },
  })
  for (const transaction of [undefined, record.onchain_tx]) {
    const answer = await verifyOnChain(connection, { issuer, schema, wallet, transaction })
    expect(answer).toEqual(credential(record))
  }
  expect(read).toBe(2)
})

describe("a history that strangers filled after the credential was issued", () => {
  let wallet: Address
  let old: AttestationRecord
  let record: AttestationRecord
  beforeAll(async () => {
    wallet = (await app.verifiedWallet(key)).wallet
    old = await recordOf(app, key, wallet)
    record = await renew(app, key, wallet)
    await fill(wallet, SOME)
  })

  test("is read up to the limit", async () => {
    expect(await ask(wallet)).toEqual(credential(record))
    expect(await ask(wallet, { mint: mint.toBase58() })).toEqual(credential(record))
  })

  test("is an error beyond the limit, which says what to do; naming the transaction works", async () => {
    await fill(wallet, TOO_MANY)
    await expect(ask(wallet)).rejects.toMatchObject(tooLong)
    const answered = { ...credential(record), isLatest: false }
    expect(await ask(wallet, { transaction: record.onchain_tx })).toEqual(answered)
    expect(await ask(wallet, { transaction: record.onchain_tx, mint: mint.toBase58() })).toEqual(answered)
    // Later transactions are unknown, and the result says so.
    expect(await ask(wallet, { transaction: old.onchain_tx })).toEqual({
      ...credential(old),
      isLatest: false,
    })
  })

  test("is only replaced by naming the issuer's transaction for this wallet", async () => {
    const other = await recordOf(app, key, (await app.verifiedWallet(key)).wallet)
    const [{ signature } = { signature: "" }] = await app.connection.getSignaturesForAddress(
      new PublicKey(record.onchain.token_account),
    )
    for (const transaction of [other.onchain_tx, signature])
      await expect(ask(wallet, { transaction })).rejects.toMatchObject(tooLong)
    await expect(ask(wallet, { transaction: record.onchain_tx, mint: newWallet() })).resolves.toEqual(
      refused("wrong_mint"),
    )
  })

  test("does not make a destroyed credential valid, even with its transaction", async () => {
    const path = `/attestation/${record.attestation_id}/revoke`
    await app.request({ method: "POST", path, key: key.apiKey, json: { reason: "A match" } })
    await expect.poll(() => ask(wallet)).toEqual(refused("revoked"))
    expect(await ask(wallet, { transaction: record.onchain_tx })).toEqual(refused("revoked"))
  })
})

test("a forged credential is refused even with the stranger's transaction, and does not hide a genuine one", async () => {
  const { wallet } = await app.verifiedWallet(key)
  const record = await recordOf(app, key, wallet)
  const forged = newWallet()
  const to = [wallet, forged].map((one) => new PublicKey(one))
  const forgeries = []
  for (const one of to) {
    const forgery = await forge(app, stranger, { to: one, memoText: memoOf(record) })
    await forgery.handTo(new PublicKey(issuer))
    forgeries.push(forgery)
  }
  const accounts = forgeries.map((one, at) => addressOf(tokenAccountOf(new PublicKey(one.mint), to[at]!)))
  const [withGenuine, alone] = forgeries as [(typeof forgeries)[0], (typeof forgeries)[0]]
  const all = () => Promise.all([wallet, forged].map((one) => ask(one)))
  expect(await all()).toEqual([credential(record), refused("not_issued")])
  expect(await ask(forged, { transaction: alone.transaction })).toEqual(refused("not_issued"))
  expect(await ask(forged, { transaction: record.onchain_tx })).toEqual(refused("not_issued"))

  await fillHistory(app, stranger, { accounts, count: TOO_MANY })
  for (const transaction of [undefined, withGenuine.transaction])
    expect(await ask(wallet, { transaction })).toEqual(credential(record))
  for (const transaction of [undefined, alone.transaction])
    await expect(ask(forged, { transaction })).rejects.toMatchObject(tooLong)
})

describe("a named transaction", () => {
  test("is checked, and gives way to the latest one if it was replaced", async () => {
    const { wallet } = await app.verifiedWallet(key)
    const old = await recordOf(app, key, wallet)
    expect(await ask(wallet, { transaction: old.onchain_tx })).toEqual(credential(old))
    const record = await renew(app, key, wallet)
    expect(await ask(wallet, { transaction: old.onchain_tx })).toEqual(credential(record))
    expect(await ask(wallet, { transaction: "1".repeat(64) })).toEqual(credential(record))
    const otherSchema = { transaction: record.onchain_tx, schema: "kyc_accredited_v1" }
    expect(await ask(wallet, otherSchema)).toEqual(refused("no_credential"))
    expect(await ask(wallet, { transaction: record.onchain_tx, issuer: newWallet() })).toEqual(refused("no_credential"))
    expect(await ask(wallet, { transaction: null })).toEqual(credential(record))
  })

  test("finds the credential among more accounts than the client can read", async () => {
    const { wallet } = await app.verifiedWallet(key)
    const record = await recordOf(app, key, wallet)
    const connection: Web3Connection = new Proxy(app.connection as Web3Connection, {
      get: (target, name) =>
        name === "getTokenAccountsByOwner"
          ? async () => ({ value: Array(10_001).fill({ pubkey: new PublicKey(wallet) }) })
          : Reflect.get(target, name),
    })
    const question = { issuer, schema, wallet }
    await expect(verifyOnChain(connection, question)).rejects.toMatchObject({
      code: "too_many_accounts",
      detail: expect.stringContaining("transaction"),
    })
    const transaction = record.onchain_tx
    expect(await verifyOnChain(connection, { ...question, transaction })).toEqual(credential(record))
    expect(await verifyOnChain(app.chain.url, { ...question, transaction })).toEqual(credential(record))
  })
})
