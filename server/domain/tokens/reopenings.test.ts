import { createCloseAccountInstruction, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL, Transaction } from "@solana/web3.js"
import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { setBudget } from "#server/domain/accounts/budget.ts"
import { credentialAccounts } from "#server/domain/attestations/credential-accounts.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import { addressOf, publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { type TestKey, waitFor } from "#test/fixtures/app.ts"
import { advanceClock, restoreClock } from "#test/fixtures/clock.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"

const LIMIT = 2

let key: TestKey
let tokens: TokenFixture
let browser: Browser

usesApp({ environment: { VOUCH_ACCOUNT_REOPENINGS: String(LIMIT) } })
beforeAll(async () => {
  const owner = await member(app)
  browser = owner.browser
  key = await app.key({ account: owner.account })
  tokens = tokenFixture(app, key)
})

/** A verified investor, their wallet's key, and SOL for fees. */
async function holder() {
  const keypair = Keypair.generate()
  const wallet = addressOf(keypair.publicKey)
  await app.verifiedWallet(key, wallet)
  await app.connection.requestAirdrop(keypair.publicKey, LAMPORTS_PER_SOL)
  return { keypair, wallet }
}

/** The holder closes an empty account and keeps its rent. */
async function close(keypair: Keypair, account: ReturnType<typeof publicKeyOf>): Promise<void> {
  const { publicKey } = keypair
  const instruction = createCloseAccountInstruction(account, publicKey, publicKey, [], TOKEN_2022_PROGRAM_ID)
  // web3.js keeps a blockhash for longer than it is valid here.
  const latest = await app.connection.getLatestBlockhash("confirmed")
  const transaction = new Transaction({ feePayer: publicKey, ...latest }).add(instruction)
  transaction.sign(keypair)
  const signature = await app.connection.sendRawTransaction(transaction.serialize())
  const { value } = await app.connection.confirmTransaction({ signature, ...latest }, "confirmed")
  expect(value.err).toBeNull()
}

/** What was paid for wallets' accounts, according to the chain's history of each account. */
async function timesPaid(account: ReturnType<typeof publicKeyOf>): Promise<number> {
  const listed = await app.connection.getSignaturesForAddress(account, { limit: 200 })
  let times = 0
  for (const { signature } of listed) {
    const found = await app.connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
    const index = found!.transaction.message.staticAccountKeys.findIndex((one) => one.equals(account))
    if (found!.meta!.preBalances[index] === 0 && found!.meta!.postBalances[index]! > 0) times++
  }
  return times
}

/** What the dashboard shows about a holder's account. */
async function reopeningsShown(mint_config: string, wallet: string) {
  const { data } = await browser.query("token.holders", { mint_config, q: wallet })
  return data.data[0].reopenings
}

test("repeating mint, transfer away and close ends with 403, even in parallel, and the loss is bounded", async () => {
  const config = await tokens.config()
  const [{ keypair, wallet }, [other]] = [await holder(), await tokens.wallets(1)]
  const account = tokenAccountOf(assetMintOf(key.workspaceId, config), keypair.publicKey)
  for (let round = 0; round <= LIMIT; round++) {
    // More than one at a time, of which only one may pay.
    const minted = await Promise.all([tokens.mint(config, wallet, "1"), tokens.mint(config, wallet, "1")])
    for (const { json } of minted)
      await waitFor(
        async () => (await tokens.get(`/token/operation/${json.operation_id}`)).json.status === "confirmed",
        `the mint in round ${round}`,
      )
    expect((await tokens.transfer(config, wallet, other!, "2")).json.status).toBe("confirmed")
    await close(keypair, account)
  }
  const refused = await Promise.all([
    tokens.mint(config, wallet, "1"),
    tokens.mint(config, wallet, "1"),
    tokens.transfer(config, other!, wallet, "1"),
  ])
  for (const { status, json } of refused) {
    expect([status, json.error]).toEqual([403, "account_reopening_limit"])
    expect(json.detail).toContain(wallet)
  }
  expect(await timesPaid(account)).toBe(1 + LIMIT)
  expect(await reopeningsShown(config, other!)).toEqual({ used: 0, limit: LIMIT })

  // Another wallet, and the same wallet for another token, are not affected.
  expect((await tokens.mint(config, other!, "1")).json.status).toBe("confirmed")
  expect((await tokens.mint(await tokens.config(), wallet, "1")).json.status).toBe("confirmed")
  // The next month has a new count.
  await advanceClock({ days: 32 })
  expect((await tokens.mint(config, wallet, "1")).json.status).toBe("confirmed")
  await waitFor(async () => (await reopeningsShown(config, wallet)).used === 1, "its costs to be counted")
  await restoreClock()
  expect(await differences()).toEqual([])
})

test("no more operations are in progress for a wallet without an account than may pay for it", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const states = async () => {
    const rows = await sql<{ status: string; is_deferred: boolean }[]>`
      select status, not_before is not null as is_deferred from operations
      where mint_config = ${config} and kind = 'mint' order by seq`
    return rows.map(({ status, is_deferred }) => (status === "queued" && is_deferred ? "deferred" : status))
  }
  await app.chain.hold(true)
  const begun = await Promise.all(
    Array.from({ length: LIMIT + 4 }, () => tokens.mint(config, wallet, "1", { headers: { Prefer: "respond-async" } })),
  )
  expect(begun.every(({ status }) => status === 202)).toBe(true)
  await waitFor(async () => (await states()).every((state) => state !== "queued"), "each to be in progress or deferred")
  const held = await states()
  expect(held.filter((state) => state === "submitted")).toHaveLength(1 + LIMIT)
  expect(held.filter((state) => state === "deferred")).toHaveLength(3)
  await app.chain.hold(false)
  await waitFor(async () => (await states()).every((state) => state === "confirmed"), "all mints")
  const account = tokenAccountOf(assetMintOf(key.workspaceId, config), publicKeyOf(wallet))
  expect(await timesPaid(account)).toBe(1)
  expect((await app.connection.getTokenAccountBalance(account)).value.uiAmountString).toBe(String(LIMIT + 4))
})

test("an account that is empty but open costs nothing, however often it is used", async () => {
  const config = await tokens.config()
  const [wallet, other] = await tokens.wallets(2)
  for (let round = 0; round < LIMIT + 3; round++) {
    expect((await tokens.mint(config, wallet, "1")).json.status).toBe("confirmed")
    expect((await tokens.transfer(config, wallet, other, "1")).json.status).toBe("confirmed")
  }
  expect(await timesPaid(tokenAccountOf(assetMintOf(key.workspaceId, config), publicKeyOf(wallet)))).toBe(1)
})

test("repeatedly closing a credential's account ends with 403 for a new verification", async () => {
  const { keypair, wallet } = await holder()
  const account = publicKeyOf(credentialAccounts(key.workspaceId, "kyc_individual_v1", wallet).account)
  const isCounted = async (times: number) => {
    const [row] = await sql<{ times: number }[]>`
      select times from paid_accounts where workspace_id = ${key.workspaceId} and account = ${addressOf(account)}`
    return row?.times === times
  }
  const isForgotten = async () => {
    const held = await sql`
      select from credentials where workspace_id = ${key.workspaceId} and wallet = ${wallet} and attestation_id is not null`
    return held.length === 0
  }
  for (let round = 0; round <= LIMIT; round++) {
    if (round > 0) await app.verifiedWallet(key, wallet)
    await waitFor(() => isCounted(round + 1), "the account to be counted")
    const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json
    // While the wallet has its credential, it can be renewed, because that pays for nothing.
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Changed our mind" })
    await waitFor(async () => (await app.connection.getTokenAccountBalance(account)).value.amount === "0", "the burn")
    await waitFor(isForgotten, "the burn to be settled")
    await close(keypair, account)
  }
  const refused = await tokens.post("/kyc/start", { userPubkey: wallet, schemaId: "kyc_individual_v1" })
  expect([refused.status, refused.json.error]).toEqual([403, "account_reopening_limit"])
  expect(await timesPaid(account)).toBe(1 + LIMIT)
})

test("a used-up budget refuses what would cost something, and revocations continue", async () => {
  const config = await tokens.config()
  const [wallet] = await tokens.wallets(1)
  const { attestation_id } = (await tokens.get(`/kyc/status/${wallet}`)).json
  const [account] = await sql<{ name: string }[]>`
    select a.name from accounts a join workspaces w on w.account_id = a.id where w.id = ${key.workspaceId}`
  await setBudget(account!.name, key.mode, 1n)
  expect((await tokens.get("/usage")).json.chain.budget_lamports).toBe("1")
  const refused = [
    await tokens.mint(config, wallet, "1"),
    await tokens.post("/kyc/start", {
      userPubkey: addressOf(Keypair.generate().publicKey),
      schemaId: "kyc_individual_v1",
    }),
    await tokens.post("/mint-configs", {
      id: "late",
      name: "Late",
      symbol: "L",
      decimals: 0,
      required_schema: "kyc_individual_v1",
    }),
  ]
  for (const { status, json } of refused) expect([status, json.error]).toEqual([403, "sol_budget_exceeded"])
  await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  const credential = publicKeyOf(credentialAccounts(key.workspaceId, "kyc_individual_v1", wallet).account)
  await waitFor(async () => (await app.connection.getTokenAccountBalance(credential)).value.amount === "0", "the burn")
  await setBudget(account!.name, key.mode, null)
  const [next] = await tokens.wallets(1)
  expect((await tokens.mint(config, next, "1")).json.status).toBe("confirmed")
})

test("a budget also counts work that has begun and has no costs yet", async () => {
  const [account] = await sql<{ name: string }[]>`
    select a.name from accounts a join workspaces w on w.account_id = a.id where w.id = ${key.workspaceId}`
  await setBudget(account!.name, key.mode, (await spentByAll(key.workspaceId)) + 3n * 2_200_000n)
  const answers = []
  for (let n = 0; n < 5; n++) {
    const body = { userPubkey: addressOf(Keypair.generate().publicKey), schemaId: "kyc_individual_v1" }
    answers.push(await tokens.post("/kyc/start", body))
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403])
  expect(answers.at(-1)!.json).toMatchObject({ error: "sol_budget_exceeded" })
  await setBudget(account!.name, key.mode, null)
})

/** In lamports, once everything that the workspace has begun is done and counted. */
async function spentByAll(workspaceId: string): Promise<bigint> {
  await sql`
    update attestations set status = 'rejected', ended_at = now()
    where workspace_id = ${workspaceId} and status = 'pending'`
  const read = async () => {
    const [row] = await sql<{ left: number; spent: bigint }[]>`
      select (select coalesce(sum(fee + rent), 0)::bigint from chain_costs
          where workspace_id = ${workspaceId} and period = ${periodOf(clock.now())}) as spent,
        (select count(*)::int from transactions where workspace_id = ${workspaceId}
          and status <> 'expired' and counted_at is null) as left`
    return row!.left === 0 && { spent: row!.spent }
  }
  return (await waitFor(read, "all costs to be counted")).spent
}
