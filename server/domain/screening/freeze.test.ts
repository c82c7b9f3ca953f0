import { createTransferCheckedInstruction, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { readMonitoring } from "#server/dashboard/monitoring.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { readReview } from "#server/domain/review-decisions/detail.ts"
import { newId } from "#server/lib/ids.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, startTestApp, type TestApp, waitFor } from "#test/fixtures/app.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { officerOf, type TestList, testList, waitForEntries } from "#test/fixtures/screening.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { recordHit } from "./hits.ts"
import { ListWatch, loadedLists } from "./lists.ts"
import { changePolicies } from "./policies.ts"

let app: TestApp
let list: TestList
const listed: string[] = [newWallet()]

beforeAll(async () => {
  list = await testList("ofac.txt", listed)
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
})
afterAll(async () => {
  expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([])
  await app.stop()
  await list.remove()
})

async function addToList(...wallets: string[]) {
  listed.push(...wallets)
  await list.write(listed)
  await waitForEntries(app, listed.length)
}

/** A workspace with a token in holder mode. Two wallets hold it, and the test has their keys. */
async function holderFund(policy: "review" | "freeze") {
  const officer = await officerOf(app)
  await changePolicies({
    principal: officer.principal,
    requestId: newId("req"),
    changes: { wallet_listed: policy },
  })
  const tokens = tokenFixture(app, officer.key)
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const pairs = [Keypair.generate(), Keypair.generate()] as const
  for (const pair of pairs) {
    await app.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
    await app.verifiedWallet(officer.key, addressOf(pair.publicKey))
    expect((await tokens.mint(config, addressOf(pair.publicKey), 10)).status).toBe(200)
  }
  const [row] = await sql<{ mint: Address }[]>`
    select mint from mint_configs where workspace_id = ${officer.key.workspaceId} and id = ${config}`
  const mint = new PublicKey(row!.mint)
  const accounts = pairs.map(({ publicKey }) => tokenAccountOf(mint, publicKey))
  return {
    officer,
    tokens,
    config,
    wallet: addressOf(pairs[0].publicKey),
    other: addressOf(pairs[1].publicKey),
    /** The holder moves tokens without Vouch. */
    moveOn: () =>
      sendOwn(
        app.connection,
        [pairs[0]],
        createTransferCheckedInstruction(
          accounts[0]!,
          mint,
          accounts[1]!,
          pairs[0].publicKey,
          1n,
          0,
          [],
          TOKEN_2022_PROGRAM_ID,
        ),
      ),
    isFrozen: async (n = 0) => {
      const info = await app.connection.getAccountInfo(accounts[n]!)
      return unpackAccount(accounts[n]!, info, TOKEN_2022_PROGRAM_ID).isFrozen
    },
  }
}

const openReviewOf = (wallet: string) =>
  waitFor(
    async () =>
      (await sql<{ id: string }[]>`select id from reviews where wallet = ${wallet} and state = 'open'`)[0]?.id ?? null,
    "the review",
  )

test("with the policy freeze, a holder added to the list cannot move tokens until they are cleared", async () => {
  const fund = await holderFund("freeze")
  await fund.moveOn()
  await addToList(fund.wallet)
  await waitFor(fund.isFrozen, "the account to be frozen")
  await expect(fund.moveOn()).rejects.toThrow()
  expect(await fund.isFrozen(1)).toBe(false)
  // The holder's verification stays until a member decides.
  expect((await fund.tokens.get(`/kyc/status/${fund.wallet}`)).json.status).toBe("verified")
  await fund.officer.decide(await openReviewOf(fund.wallet), "clear")
  await waitFor(async () => !(await fund.isFrozen()), "the account to be opened")
  await fund.moveOn()
  expect((await fund.tokens.transfer(fund.config, fund.wallet, fund.other, 1)).status).toBe(200)
})

test("deciding to revoke ends the verification, and the tokens stay frozen", async () => {
  const fund = await holderFund("freeze")
  await addToList(fund.wallet)
  await waitFor(fund.isFrozen, "the account to be frozen")
  await fund.officer.decide(await openReviewOf(fund.wallet), "revoke")
  await app.waitForStatus(fund.officer.key, fund.wallet, "rejected")
  expect(await fund.isFrozen()).toBe(true)
  expect((await fund.tokens.transfer(fund.config, fund.wallet, fund.other, 1)).json.error).toBe("wallet_sanctioned")
})

test("a decision about one list stays when a match with another list is cleared", async () => {
  const fund = await holderFund("freeze")
  await addToList(fund.wallet)
  await waitFor(fund.isFrozen, "the account to be frozen")
  await fund.officer.decide(await openReviewOf(fund.wallet), "revoke")
  const { workspaceId } = fund.officer.key
  const other = { ...loadedLists()[0]!, name: "other.txt" }
  await sql.begin((sql) => recordHit(sql, workspaceId, { wallet: fund.wallet, list: other }))
  // The second review shows that the first list still holds the wallet.
  expect((await readReview(fund.officer.principal, await openReviewOf(fund.wallet))).lists).toEqual([
    { name: "ofac.txt", in_use: true, frozen: true, ends_here: false },
    { name: "other.txt", in_use: false, frozen: true, ends_here: true },
  ])
  await fund.officer.decide(await openReviewOf(fund.wallet), "clear")
  const hits = await sql`
    select list, cleared_at is not null as cleared from screening_hits
    where workspace_id = ${workspaceId} and wallet = ${fund.wallet} order by list`
  expect(hits).toMatchObject([
    { list: "ofac.txt", cleared: false },
    { list: "other.txt", cleared: true },
  ])
  expect((await fund.tokens.transfer(fund.config, fund.wallet, fund.other, 1)).json.error).toBe("wallet_sanctioned")
})

test("with the policy review nothing is frozen until the policy changes, which freezes earlier matches", async () => {
  const fund = await holderFund("review")
  await addToList(fund.wallet)
  await openReviewOf(fund.wallet)
  expect(await fund.isFrozen()).toBe(false)
  const { principal, key } = fund.officer
  await changePolicies({ principal, requestId: newId("req"), changes: { wallet_listed: "freeze" } })
  await waitFor(fund.isFrozen, "the account to be frozen")
  const entries = await sql`
    select action, detail from audit_entries where workspace_id = ${key.workspaceId}
      and action in ('policies.changed', 'wallet.frozen') order by seq`
  expect(entries).toMatchObject([
    {
      action: "policies.changed",
      detail: { before: { wallet_listed: "review" }, after: { wallet_listed: "freeze" } },
    },
    { action: "wallet.frozen", detail: { list: "ofac.txt" } },
  ])
  expect(await sql`select id from reviews where wallet = ${fund.wallet}`).toHaveLength(1)
})

test("a frozen account opens when the wallet leaves the list", async () => {
  const fund = await holderFund("freeze")
  await addToList(fund.wallet)
  await waitFor(fund.isFrozen, "the account to be frozen")
  listed.splice(listed.indexOf(fund.wallet), 1)
  await addToList()
  await waitFor(async () => !(await fund.isFrozen()), "the account to be opened")
})

/** Like a process that starts without the setting, and then with it again. */
async function withoutLists(work: () => Promise<void>) {
  await (await ListWatch.start({})).stop()
  try {
    await work()
  } finally {
    watches.push(await ListWatch.start({ VOUCH_SANCTIONS_LIST: [list.path] }))
  }
}
const watches: ListWatch[] = []
afterAll(async () => {
  for (const watch of watches) await watch.stop()
})

test("an account frozen for a list stays frozen when the settings no longer name the list, until a member decides", async () => {
  const fund = await holderFund("freeze")
  const { principal, key } = fund.officer
  await addToList(fund.wallet)
  await waitFor(fund.isFrozen, "the account to be frozen")
  const reviewId = await openReviewOf(fund.wallet)
  await withoutLists(async () => {
    expect(await readReview(principal, reviewId)).toMatchObject({
      decisions: ["clear", "revoke"],
      lists: [{ name: "ofac.txt", in_use: false, frozen: true, ends_here: true }],
    })
    expect(await readMonitoring(key.workspaceId)).toMatchObject({
      lists: [],
      removed: [{ name: "ofac.txt", waiting: 1, frozen: 1 }],
      listed: 0,
    })
    expect(await fund.isFrozen()).toBe(true)
    await fund.officer.decide(reviewId, "clear")
    await waitFor(async () => !(await fund.isFrozen()), "the account to be opened")
    expect((await readMonitoring(key.workspaceId)).removed).toEqual([])
  })
})

test("a wallet revoked for a list and verified again without the list has a review that can open its account", async () => {
  const fund = await holderFund("freeze")
  const { principal, key } = fund.officer
  await addToList(fund.wallet)
  await waitFor(fund.isFrozen, "the account to be frozen")
  const before = await openReviewOf(fund.wallet)
  await fund.officer.decide(before, "revoke")
  await app.waitForStatus(key, fund.wallet, "rejected")
  await withoutLists(async () => {
    await app.verifiedWallet(key, fund.wallet)
    const reviewId = await openReviewOf(fund.wallet)
    expect(reviewId).not.toBe(before)
    expect((await readReview(principal, reviewId)).lists).toMatchObject([{ in_use: false, ends_here: true }])
    expect(await fund.isFrozen()).toBe(true)
    await fund.officer.decide(reviewId, "clear")
    await waitFor(async () => !(await fund.isFrozen()), "the account to be opened")
  })
})
