import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { grounds } from "#test/fixtures/grounds.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

type Row = { delta: string; held_delta: string; balance: string; held: string; operation_id: string | null }
const postingsOf = (config: string, wallet: string) => sql<(Row & { slot: bigint | null; landed_at: Date | null })[]>`
  select delta, held_delta, balance, held, operation_id, slot, landed_at from postings
  where workspace_id = ${key.workspaceId} and mint_config = ${config} and wallet = ${wallet} order by seq`

test("every change of a balance or of what is held is one posting with its operation", async () => {
  const id = await tokens.config()
  const [alice, bob] = await tokens.wallets(2)
  const minted = await tokens.mint(id, alice, 10)
  const moved = await tokens.transfer(id, alice, bob, 4)
  const held = await tokens.post("/token/holds", { user_pubkey: bob, mint_config: id, amount: "3", ...grounds })
  expect(held.status).toBe(200)
  const burnt = await tokens.post("/token/burn", {
    ...{ user_pubkey: bob, mint_config: id, amount: "1", holder_consent: true, ...grounds },
  })
  expect(burnt.status).toBe(200)
  const brief = ({ delta, held_delta, balance, held, operation_id }: Row) => [
    delta,
    held_delta,
    balance,
    held,
    operation_id,
  ]
  const { decimals } = (await tokens.get(`/mint-config/${id}`)).json
  const units = (amount: number) => String(BigInt(amount) * 10n ** BigInt(decimals))
  expect((await postingsOf(id, alice)).map(brief)).toEqual([
    [units(10), "0", units(10), "0", minted.json.operation_id],
    [units(-4), "0", units(6), "0", moved.json.operation_id],
  ])
  expect((await postingsOf(id, bob)).map(brief)).toEqual([
    [units(4), "0", units(4), "0", moved.json.operation_id],
    ["0", units(3), units(4), units(3), null],
    [units(-1), "0", units(3), units(3), burnt.json.operation_id],
  ])
  await waitFor(
    async () => (await postingsOf(id, bob)).every(({ landed_at }) => landed_at !== null),
    "the postings to be dated",
  )
  const [first] = await postingsOf(id, alice)
  const landed = await app.connection.getSignatureStatus(minted.json.onchain_tx, { searchTransactionHistory: true })
  expect(Number(first!.slot)).toBe(landed.value!.slot)
  expect(first!.landed_at!.getTime() / 1000).toBe(await app.connection.getBlockTime(landed.value!.slot))
})

test("a change of the books alone is dated after its transaction got the lock", async () => {
  const id = await tokens.config()
  const [alice] = await tokens.wallets(1)
  await tokens.mint(id, alice, 10)
  const began = await sql.begin(async (sql) => {
    const [row] = await sql<{ now: Date }[]>`select now() as now, pg_sleep(1.5)`
    await sql`update holdings set balance = balance + 1 where mint_config = ${id} and wallet = ${alice}`
    return row!.now
  })
  const [posting] = (await postingsOf(id, alice)).slice(-1)
  expect(posting!.landed_at!.getTime()).toBeGreaterThanOrEqual(began.getTime() + 1500)
  await sql`update holdings set balance = balance - 1 where mint_config = ${id} and wallet = ${alice}`
})
