import { createCloseAccountInstruction, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { Keypair, LAMPORTS_PER_SOL } from "@solana/web3.js"
import { describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { enqueueMoveHold } from "#server/domain/tokens/index.ts"
import { newId } from "#server/lib/ids.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { onFork, signatureOf } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { investorFixture, newName } from "#test/fixtures/investors.ts"
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
  node,
  placing,
  restore,
  restores,
  serve,
  timesOnChain,
  tokens,
  withoutWorker,
} from "#test/fixtures/restores.ts"

restores()

const investors = investorFixture(() => ({ app, key }))
const hold = async (id: string) => (await tokens.get(`/token/hold/${id}`)).json
const isSound = () => waitFor(async () => (await differences()).length === 0, "the audit to be clean")

/** Queues moving a hold. The worker may be stopped. */
async function begin(holdId: string, to: Address): Promise<string> {
  const id = await sql.begin((sql) => enqueueMoveHold(sql, key.workspaceId, { holdId, to, recoveryId: newId("req") }))
  expect(id).not.toBeNull()
  publish("ledger")
  return id!
}

/** A token in holder mode, and an investor's two wallets. The first one has 20 tokens. */
async function fund() {
  const config = await tokens.config({}, { transfer_mode: "holder" })
  const name = newName("investor")
  const pair = Keypair.generate()
  const [lost, next] = [addressOf(pair.publicKey), addressOf(Keypair.generate().publicKey)]
  await cluster.connection.requestAirdrop(pair.publicKey, LAMPORTS_PER_SOL)
  for (const wallet of [lost, next]) await investors.verify(wallet, name)
  expect((await tokens.mint(config, lost, "20")).status).toBe(200)
  return { config, pair, lost, next, place: placing(lost, config) }
}

/** What is in the account that a hold names. It must be frozen, and its wallet's. */
async function inAccount(id: string): Promise<bigint> {
  const { onchain_account, user_pubkey } = await hold(id)
  const address = publicKeyOf(onchain_account)
  const info = await cluster.connection.getAccountInfo(address, "confirmed")
  const { amount, isFrozen, owner } = unpackAccount(address, info, TOKEN_2022_PROGRAM_ID)
  expect([isFrozen, owner.toBase58()]).toEqual([true, user_pubkey])
  return amount
}

const holdings = (config: string) => sql`
  select wallet, balance::text, held::text, counted from holdings
  where workspace_id = ${key.workspaceId} and mint_config = ${config} order by wallet`

describe("a hold that moves to another wallet", () => {
  test("is moved once if its queue is restored before it was sent", async () => {
    const { config, lost, next, place } = await fund()
    const id = await place("6")
    await idle()
    const operationId = await withoutWorker(() => begin(id, next))
    const backup = await backUp()
    await restore(backup)
    await goesOn()
    await becomes(operationId, "confirmed")
    expect(await hold(id)).toMatchObject({ user_pubkey: next, remaining: "6", state: "active" })
    expect([await inAccount(id), await held(config, lost)]).toEqual([6n, 14n])
    expect(await timesOnChain(operationId)).toBe(1)
    await isSound()
  })

  test("is in the account that the chain shows if its queue is restored after it has landed", async () => {
    const { config, lost, next, place } = await fund()
    const [id, other] = [await place("6"), await place("5")]
    await idle()
    const operationId = await withoutWorker(() => begin(id, next))
    const backup = await backUp()
    await serve()
    await becomes(operationId, "confirmed")
    await idle()
    const [before, books] = [await hold(id), await holdings(config)]
    await restore(backup)
    await goesOn()
    await becomes(operationId, "confirmed")
    expect(await hold(id)).toEqual(before)
    expect(await holdings(config)).toEqual(books)
    expect(await hold(other)).toMatchObject({ user_pubkey: lost, remaining: "5" })
    expect([await inAccount(id), await inAccount(other)]).toEqual([6n, 5n])
    expect(await timesOnChain(operationId)).toBe(1)
    await isSound()
  })

  test("is rebuilt with everything that became of it if all of it is lost, even its old account", async () => {
    const { config, pair, lost, next, place } = await fund()
    const known = await place("6")
    const recovery = newId("rec")
    await sql`
      insert into recoveries (workspace_id, id, investor_id, lost_wallet, new_wallet, reason_code, reference, state, actor,
        created_at, ended_at)
      select workspace_id, ${recovery}, investor_id, ${lost}, ${next}, 'lost_wallet', 'A test', 'completed', 'system', now(),
        now() from attestations where wallet = ${lost}`
    await idle()
    await app.stop()
    const backup = await backUp()
    await serve()
    const unknown = await place("5")
    const operations = [await begin(known, next), await begin(unknown, next)]
    for (const one of operations) await becomes(one, "confirmed")
    const released = await place("1")
    await tokens.post(`/token/hold/${released}/release`, {})
    const burned = { user_pubkey: next, mint_config: config, amount: "2", ...grounds, document_sha256 }
    expect((await tokens.post("/token/burn", { ...burned, holder_consent: true, holds: [known] })).status).toBe(200)
    await idle()
    const account = publicKeyOf((await hold(released)).onchain_account)
    const close = createCloseAccountInstruction(account, pair.publicKey, pair.publicKey, [], TOKEN_2022_PROGRAM_ID)
    await sendOwn(cluster.connection, [pair], close)
    await restore(backup)
    await goesOn()
    for (const one of operations) await becomes(one, "confirmed")
    await idle()
    const rows = await sql`
      select kind, from_wallet, wallet, payload ->> 'amount' as amount, payload ->> 'hold_id' as hold,
        payload ->> 'recovery_id' as recovery from operations
      where id = any(${operations}) order by array_position(${operations}, id)`
    const move = { kind: "move_hold", from_wallet: lost, wallet: next, recovery }
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { ...move, amount: "6", hold: known },
      { ...move, amount: "5", hold: unknown },
    ])
    expect(await hold(known)).toMatchObject({ user_pubkey: next, state: "active", ...grounds, remaining: "4" })
    expect(await hold(unknown)).toMatchObject({ user_pubkey: next, state: "active", remaining: "5" })
    expect([await inAccount(known), await held(config, lost)]).toEqual([9n, 9n])
    await isSound()
    // What was rebuilt can be worked with.
    for (const id of [known, unknown])
      expect((await tokens.post(`/token/hold/${id}/release`, {})).json.state).toBe("released")
    expect(await held(config, next)).toBe(9n)
  })

  test("shows which of its wallet's holds a lost burn took from", async () => {
    const { config, lost, next, place } = await fund()
    const [first, second, third] = [await place("2"), await place("5"), await place("4")]
    await idle()
    await app.stop()
    const backup = await backUp()
    await serve()
    const burned = { user_pubkey: lost, mint_config: config, amount: "3", ...grounds, document_sha256 }
    expect((await tokens.post("/token/burn", { ...burned, holder_consent: true, holds: [third] })).status).toBe(200)
    // The restored database takes the burned tokens out of the oldest holds, and the first one is executed.
    const operations = [await begin(first, next), await begin(third, next)]
    for (const one of operations) await becomes(one, "confirmed")
    await idle()
    await restore(backup)
    await goesOn()
    for (const one of operations) await becomes(one, "confirmed")
    expect(await Promise.all([first, second, third].map(hold))).toMatchObject([
      { user_pubkey: next, state: "active", remaining: "2" },
      { user_pubkey: lost, state: "active", remaining: "5" },
      { user_pubkey: next, state: "active", remaining: "1" },
    ])
    expect([await inAccount(first), await inAccount(second)]).toEqual([3n, 5n])
    await isSound()
  })

  test("is moved again if its transaction vanishes, and the books do not change", async () => {
    const { config, lost, next, place } = await fund()
    const id = await place("6")
    await idle()
    node.fault = onFork()
    const operationId = await begin(id, next)
    await becomes(operationId, "confirmed")
    const [before, books] = [await hold(id), await holdings(config)]
    const [{ signature } = { signature: "" }] = await sql<{ signature: string }[]>`
      select signature from operations where id = ${operationId}`
    node.fault = async ({ method, params }, ask) =>
      method === "sendTransaction" && signatureOf(params[0] as string) === signature ? { result: signature } : ask()
    await cluster.pass(400)
    await waitFor(
      async () => app.log.some((line) => line.includes("has vanished") && line.includes(signature)),
      "it to be missed",
    )
    node.fault = null
    const isDone = async () =>
      (
        await sql`
          select from operations o join transactions t on t.signature = o.signature
          where o.id = ${operationId} and o.status = 'confirmed' and t.finalized_at is not null and t.signature <> ${signature}`
      ).length === 1
    await waitFor(isDone, "it to be final")
    expect([await hold(id), await holdings(config)]).toEqual([before, books])
    expect([await inAccount(id), await held(config, lost)]).toEqual([6n, 14n])
    await isSound()
  })
})
