import { Keypair } from "@solana/web3.js"
import { afterAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { troubleIn } from "#server/ledger/report.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { distributionFixture } from "#test/fixtures/distributions.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { ledgerAtRest } from "#test/fixtures/ledger-at-rest.ts"
import { changeMode, modeSettled } from "#test/fixtures/mode-changes.ts"
import { ownTransfers } from "#test/fixtures/own-transfers.ts"
import { createPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture } from "#test/fixtures/payments.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { differences } from "#test/matchers/credential.ts"
import { compareWithReplay } from "#test/replay/compare-register.ts"

usesCustomer()
afterAll(async () => expect(await differences()).toEqual([]))

const newToken = (transfer_mode: "agent" | "holder" = "holder") => tokens.config({}, { transfer_mode })
const customer = () => ({ app, key, tokens })
const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000", "")

const registerAt = (id: string, at: string) =>
  waitFor(async () => {
    const { status, json, text } = await tokens.get(`/token/register/${id}?at=${at}`)
    if (json.error === "not_final_yet") return null
    expect(status, text).toBe(200)
    return json
  }, `the register at ${at}`)
const balancesIn = (json: { data: { user_pubkey: string; balance: string }[] }) =>
  Object.fromEntries(json.data.map(({ user_pubkey, balance }) => [user_pubkey, balance]))

async function landingOf(signature: string): Promise<{ slot: number; time: number }> {
  const { value } = await app.connection.getSignatureStatus(signature, { searchTransactionHistory: true })
  return { slot: value!.slot, time: (await app.connection.getBlockTime(value!.slot))! }
}

test("a holder's transfer in the second or the slot of the moment counts, and a later one does not", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const { slot, time } = await landingOf(await own.transfer(alice, bob, 4))
  const [before, after] = [
    { [alice.wallet]: "10", [bob.wallet]: "1" },
    { [alice.wallet]: "6", [bob.wallet]: "5" },
  ]
  expect(balancesIn(await registerAt(id, isoOf(time - 1)))).toEqual(before)
  expect(balancesIn(await registerAt(id, isoOf(time)))).toEqual(after)
  expect(balancesIn(await registerAt(id, String(slot - 1)))).toEqual(before)
  const json = await registerAt(id, String(slot))
  expect(balancesIn(json)).toEqual(after)
  expect(json).toMatchObject({ supply: "11", complete: true, incomplete_since: null, as_of: { slot } })
})

test("the register at many moments equals a replay of the chain, whatever holders and the issuer do", async () => {
  const id = await newToken("agent")
  const own = ownTransfers(customer(), id)
  const holders = [await own.holder(30), await own.holder(20), await own.holder(10)]
  const [alice, bob, carol] = holders as [(typeof holders)[0], (typeof holders)[0], (typeof holders)[0]]
  await tokens.transfer(id, alice.wallet, bob.wallet, 5)
  await changeMode(customer(), id, "holder")
  await modeSettled(customer(), id)
  await own.transfer(alice, bob, 4)
  await tokens.mint(id, carol.wallet, 7)
  // Back and forth, through a wallet that only passes it on, and to an account that is closed at once.
  await own.send(alice, own.transferOf(alice, bob.wallet, 3), own.transferOf(alice, carol.wallet, 2))
  await own.transferThroughTable(bob, carol, 6)
  await own.open(bob, Keypair.generate().publicKey)
  await expect(own.transfer(bob, alice, 1000)).rejects.toThrow()
  await tokens.transfer(id, bob.wallet, alice.wallet, 1)
  await tokens.post("/token/burn", {
    ...{ user_pubkey: carol.wallet, mint_config: id, amount: "2", holder_consent: true, ...grounds },
  })
  await own.leave(carol, alice, 23)
  await tokens.mint(id, carol.wallet, 3)
  await own.transfer(bob, alice, 2)
  const of = { mint_config: id, ...grounds }
  expect((await tokens.post("/token/holds", { ...of, user_pubkey: bob.wallet, amount: "4" })).status).toBe(200)
  const forced = { ...of, from_pubkey: alice.wallet, to_pubkey: bob.wallet, amount: "5", document_sha256 }
  expect((await tokens.post("/token/force-transfer", forced)).status).toBe(200)
  await changeMode(customer(), id, "agent")
  await modeSettled(customer(), id)
  const last = await tokens.transfer(id, alice.wallet, bob.wallet, 1)
  await compareWithReplay(id, last.json.onchain_tx)
  const sums = await sql<{ wallet: string; kept: string; moved: string }[]>`
    select wallet, sum(delta)::text as moved from holder_movements where mint_config = ${id} group by wallet`
  expect(sums.map(({ moved }) => moved)).toEqual(sums.map(() => "0"))
  // A second time, which begins after what a count of balances included.
  await changeMode(customer(), id, "holder")
  await modeSettled(customer(), id)
  await compareWithReplay(id, await own.transfer(bob, alice, 3))
})

test("a payout in a stablecoin does not name the token's mint, and is not missing in its history", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(20)]
  const coin = await createPaymentMint(app.connection)
  allowMints("test", coin)
  await paymentFixture(key.workspaceId, coin).fund(600n)
  const dist = distributionFixture(() => tokens)
  const about = { settlement: "stablecoin", payment_mint: coin.address, total: "0.0006" }
  const { distribution_id } = (await dist.draft(id, about, 30)).json
  await dist.act(distribution_id, "start")
  await dist.untilState(distribution_id, "completed")
  // The payments are known to be final before a list has to be complete.
  await ledgerAtRest()
  const { slot } = await landingOf(await own.transfer(alice, bob, 4))
  expect(balancesIn(await registerAt(id, String(slot)))).toEqual({ [alice.wallet]: "6", [bob.wallet]: "24" })
  await changeMode(customer(), id, "agent")
  await modeSettled(customer(), id)
  const [period] = await sql`select until is not null as is_over from holder_periods where mint_config = ${id}`
  expect(period).toEqual({ is_over: true })
})

test("what a count of balances included is not recorded again, also if the mode is changed back at once", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  await registerAt(id, String((await landingOf(await own.transfer(alice, bob, 1))).slot))
  await sql`update holder_periods set lost_at = followed_at, lost_slot = followed_slot where mint_config = ${id}`
  await own.transfer(alice, bob, 4)
  await changeMode(customer(), id, "agent")
  await modeSettled(customer(), id)
  await changeMode(customer(), id, "holder")
  await modeSettled(customer(), id)
  const { slot } = await landingOf(await own.transfer(alice, bob, 2))
  const json = await registerAt(id, String(slot))
  expect(balancesIn(json)).toEqual({ [alice.wallet]: "3", [bob.wallet]: "8" })
  expect(json.complete).toBe(true)
  const recorded = await sql`
    select slot::int from holder_movements where mint_config = ${id} and wallet = ${bob.wallet} and slot is not null
    order by slot desc`
  expect(recorded).toHaveLength(2)
  expect(recorded[0]).toEqual({ slot })
})

test("a history that is lost later leaves earlier moments complete, and is shown at once", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  const { slot } = await landingOf(await own.transfer(alice, bob, 1))
  expect((await registerAt(id, String(slot))).complete).toBe(true)
  await sql`
    update holder_periods set lost_at = now() - interval '1 day', lost_slot = ${slot - 1} where mint_config = ${id}`
  expect((await registerAt(id, String(slot))).complete).toBe(false)
  expect((await registerAt(id, String(slot - 1))).complete).toBe(true)
})

test("a count waits for the follower, and not for other tokens of the workspace", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  const busy = await tokens.config()
  await own.transfer(alice, bob, 4)
  const period = async () => {
    const [row] = await sql<{ counts: boolean; is_over: boolean; is_recorded: boolean }[]>`
      select counted_slot is not null as counts, until is not null as is_over, followed_slot >= counted_slot as is_recorded
      from holder_periods where mint_config = ${id}`
    return row!
  }
  await changeMode(customer(), id, "agent")
  await waitFor(async () => {
    // No process follows the token. One that still did would release it.
    await sql`update holder_periods set checked_at = 'infinity' where mint_config = ${id}`
    const { counts, is_recorded } = await period()
    return counts && !is_recorded
  }, "the count to wait")
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect((await period()).is_over).toBe(false)
  await sql`update holder_periods set checked_at = '-infinity' where mint_config = ${id}`
  let isSettled = false
  const mints = (async () => {
    while (!isSettled) await tokens.mint(busy, bob.wallet, 1)
  })()
  await modeSettled(customer(), id)
  isSettled = true
  await mints
  expect(await period()).toEqual({ counts: true, is_over: true, is_recorded: true })
  const sums = await sql`
    select sum(delta)::int as sum from holder_movements where mint_config = ${id} group by wallet`
  expect(sums).toEqual([{ sum: 0 }, { sum: 0 }])
})

test("a movement of a wallet without a holding is audited, and a count takes it back", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const alice = await own.holder(10)
  await registerAt(id, String((await landingOf(await own.open(alice, Keypair.generate().publicKey))).slot))
  const wallet = Keypair.generate().publicKey.toBase58()
  await sql`
    insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
    values (${key.workspaceId}, ${id}, ${wallet}, 3, now())`
  expect(JSON.stringify(await differences())).toContain(`${wallet} has 0 base units, but the ledger gave it 3`)
  await changeMode(customer(), id, "agent")
  await modeSettled(customer(), id)
  const [row] = await sql`select sum(delta)::int as sum from holder_movements where mint_config = ${id}`
  expect(row).toEqual({ sum: 0 })
})

test("health counts the tokens whose history nodes lack, and those of which it is lost", async () => {
  const id = await newToken()
  const health = async () => {
    const { json } = await app.request({ method: "GET", path: "/health" })
    return json.ledger.find(({ mode }: { mode: string }) => mode === "test")
  }
  const { lost_histories } = await health()
  const degraded = await waitFor(async () => {
    // No process follows the token. One that still did would release it, and find that nothing is missing.
    await sql`
      update holder_periods set checked_at = 'infinity', missing_since = now() - interval '11 minutes'
      where mint_config = ${id}`
    const now = await health()
    return now.missing_histories > 0 && now
  }, "health to report it as missing")
  expect(degraded).toMatchObject({ missing_histories: 1, lost_histories })
  expect(troubleIn({ ...degraded, audit_differences: 0 })).toMatch(/^nodes lack the history of 1 token in holder mode/)
  await sql`update holder_periods set lost_at = now() where mint_config = ${id}`
  await waitFor(async () => {
    const now = await health()
    return now.lost_histories === lost_histories + 1 && now.missing_histories === 0
  }, "health to report it as lost")
})

test("a token whose mint lacks `pausable` is followed, but never complete", async () => {
  const id = await tokens.olderConfig([], { transfer_mode: "holder", decimals: 0 })
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  await own.burn(alice, 2)
  const { slot } = await landingOf(await own.transfer(alice, bob, 4))
  const json = await registerAt(id, String(slot))
  expect(balancesIn(json)).toEqual({ [alice.wallet]: "4", [bob.wallet]: "5" })
  const [period] = await sql<{ since: Date }[]>`select since from holder_periods where mint_config = ${id}`
  expect(json).toMatchObject({ supply: "9", complete: false })
  expect(Math.floor(Date.parse(json.incomplete_since) / 1000)).toBe(Math.floor(period!.since.getTime() / 1000))
})

test("a snapshot of a token in holder mode has what holders moved, and says that it is complete", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  const { time } = await landingOf(await own.transfer(alice, bob, 4))
  const { json } = await tokens.post("/snapshots", { mint_config: id, record_at: isoOf(time), name: "Record date" })
  const ready = await waitFor(async () => {
    const { json: snapshot } = await tokens.get(`/snapshot/${json.snapshot_id}`)
    return snapshot.state === "ready" && snapshot
  }, "the snapshot")
  expect(ready).toMatchObject({ holders: 2, supply: "11", complete: true })
  const { json: holders } = await tokens.get(`/snapshot/${json.snapshot_id}/holders`)
  expect(balancesIn(holders)).toEqual({ [alice.wallet]: "6", [bob.wallet]: "5" })
})

test("a wallet that only holders sent tokens to is in the register, and on one page", async () => {
  const id = await newToken()
  const own = ownTransfers(customer(), id)
  const [alice, bob] = [await own.holder(10), await own.holder(1)]
  const { slot } = await landingOf(await own.transfer(alice, bob, 4))
  await registerAt(id, String(slot))
  const wallet = Keypair.generate().publicKey.toBase58()
  for (const [to, delta] of [
    [wallet, 3],
    [alice.wallet, -3],
  ])
    await sql`
      insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
      values (${key.workspaceId}, ${id}, ${to!}, ${delta!}, now() - interval '1 hour')`
  const rows: { user_pubkey: string; balance: string; percent: string }[] = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { json } = await tokens.get(`/token/register/${id}?at=${slot}&limit=1${cursor && `&cursor=${cursor}`}`)
    rows.push(...json.data)
    cursor = json.next_cursor
  }
  const expected = [
    [alice.wallet, "3"],
    [bob.wallet, "5"],
    [wallet, "3"],
  ].toSorted(([one], [other]) => (one! < other! ? -1 : 1))
  expect(rows.map(({ user_pubkey, balance }) => [user_pubkey, balance])).toEqual(expected)
  await expect(sql`update holder_movements set delta = 0 where mint_config = ${id}`).rejects.toThrow("append-only")
  await expect(sql`delete from holder_movements where mint_config = ${id}`).rejects.toThrow("append-only")
  await sql`
    insert into holder_movements (workspace_id, mint_config, wallet, delta, landed_at)
    select workspace_id, mint_config, wallet, -delta, landed_at from holder_movements
    where mint_config = ${id} and signature is null`
})
