import { afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { type TestKey, waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

// A problem with one operation affects only that one.

let key: TestKey
let tokens: TokenFixture
let config: string
let weird: string
let wallet: string
let other: { tokens: TokenFixture; config: string; wallet: string }

usesApp()
beforeAll(async () => {
  await sql`
    create function weird() returns trigger language plpgsql as
      $$ begin raise exception 'a row that no one expected'; end $$`
  key = await app.key({ plan: "growth" })
  tokens = tokenFixture(app, key)
  config = await tokens.config()
  ;[weird, wallet] = await tokens.wallets(2)
  const theirs = tokenFixture(app, await app.key({ plan: "growth" }))
  other = { tokens: theirs, config: await theirs.config(), wallet: (await theirs.wallets(1))[0]! }
})
afterEach(async () => {
  await hold(false)
  await sql`drop trigger if exists weird on holdings`
  await sql`drop trigger if exists weird on operations`
})

const hold = (on: boolean) => app.chain.hold(on)
const later = { headers: { Prefer: "respond-async" } }
const standOf = async (id: string) => {
  const [row] = await sql<{ status: string; not_before: Date | null; signature: string | null }[]>`
    select status, not_before, signature from operations where id = ${id}`
  return row!
}
const begin = async (at: TokenFixture, config: string, to: string) =>
  (await at.mint(config, to, "1", later)).json.operation_id as string
const becomes = (id: string, status: string) =>
  waitFor(async () => (await standOf(id)).status === status, `${id} to be ${status}`)

/** Makes the holding of this wallet impossible to write. */
async function makeWeird(wallet: string): Promise<void> {
  await sql.unsafe(`
    create trigger weird before update on holdings for each row
      when (new.wallet = '${wallet}' and new is distinct from old) execute function weird()`)
}

test("a landed transaction that cannot be settled delays no other, is named, and is settled once that is repaired", async () => {
  await hold(true)
  const stuck = await begin(tokens, config, weird)
  await becomes(stuck, "submitted")
  await makeWeird(weird)
  const after = [await begin(tokens, config, wallet), await begin(other.tokens, other.config, other.wallet)]
  for (const id of after) await becomes(id, "submitted")
  await hold(false)
  for (const id of after) await becomes(id, "confirmed")
  // New operations are confirmed, too, while the stuck one is retried.
  for (let round = 0; round < 5; round++) {
    expect((await other.tokens.mint(other.config, other.wallet, "1")).status).toBe(200)
    expect((await tokens.mint(config, wallet, "1")).status).toBe(200)
  }
  const { signature, status } = await standOf(stuck)
  expect(status).toBe("submitted")
  const { checks } = await waitFor(async () => {
    const { json } = await app.request({ method: "GET", path: "/health" })
    return json.status === "degraded" ? json : null
  }, "health to report it")
  expect(checks.chain).toMatch(/cannot be settled/)
  expect(app.log.some((line) => line.includes(signature!) && line.includes("a row that no one expected"))).toBe(true)

  await sql`drop trigger weird on holdings`
  await becomes(stuck, "confirmed")
  expect(await tokens.onChain(config, weird)).toBe(1n)
  await waitFor(
    async () => (await app.request({ method: "GET", path: "/health" })).json.status === "ok",
    "health to recover",
  )
})

test("an expired transaction that cannot go back to the queue delays no other", async () => {
  await hold(true)
  const stuck = await begin(tokens, config, weird)
  await becomes(stuck, "submitted")
  const after = await begin(other.tokens, other.config, other.wallet)
  await becomes(after, "submitted")
  await sql.unsafe(`
    create trigger weird before update on operations for each row
      when (old.id = '${stuck}' and old.status = 'submitted' and new.status <> 'confirmed') execute function weird()`)
  await app.chain.pass(250)
  await hold(false)
  await becomes(after, "confirmed")
  expect((await standOf(stuck)).status).toBe("submitted")
  await sql`drop trigger weird on operations`
  await becomes(stuck, "confirmed")
})

test("an operation that cannot be planned delays no other, and runs when it can be", async () => {
  let stuck = ""
  let after: string[] = []
  await whileLedgerPaused(async () => {
    stuck = await begin(tokens, config, weird)
    after = [await begin(tokens, config, wallet), await begin(other.tokens, other.config, other.wallet)]
    await sql`update operations set payload = '{"amount": "many"}' where id = ${stuck}`
  })
  for (const id of after) await becomes(id, "confirmed")
  await waitFor(async () => (await standOf(stuck)).not_before !== null, "it to be postponed")
  expect(app.log.some((line) => line.includes(stuck) && line.includes("cannot be planned"))).toBe(true)
  await sql`update operations set payload = '{"amount": "1"}', not_before = null where id = ${stuck}`
  await becomes(stuck, "confirmed")
})

test("an operation of a kind that only a newer version knows delays no other, and waits for that version", async () => {
  let stuck = ""
  let after: string[] = []
  await whileLedgerPaused(async () => {
    stuck = await begin(tokens, config, weird)
    after = [await begin(tokens, config, wallet)]
    await sql`update operations set kind = 'newer' where id = ${stuck}`
  })
  for (const id of after) await becomes(id, "confirmed")
  await waitFor(async () => (await standOf(stuck)).not_before !== null, "it to be postponed")
  expect(app.log.some((line) => line.includes(stuck) && line.includes("cannot be planned"))).toBe(true)
  await sql`update operations set kind = 'mint', not_before = null where id = ${stuck}`
  await becomes(stuck, "confirmed")
})
