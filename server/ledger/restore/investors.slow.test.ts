import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { waitFor } from "#test/fixtures/app.ts"
import {
  app,
  backUp,
  differences,
  goesOn,
  idle,
  restore,
  restores,
  serve,
  tokens,
  withoutWorker,
} from "#test/fixtures/restores.ts"

// Counts of investors after a restore: lost operations come back, and so do the slots of their investors.

restores()

const countsOf = async (config: string) =>
  (await sql`select investors from mint_configs where id = ${config}`)[0]!.investors

test("lost mints and transfers come back with the slots of their investors", async () => {
  const config = await tokens.config({ max_investors: 3, max_balance_per_investor: "10" })
  const [one, two] = await tokens.walletsOf("restored", 2)
  const [leaving, other, third] = await tokens.wallets(3)
  await tokens.mint(config, one, "4")
  await tokens.mint(config, leaving, "5")
  await idle()
  await app.stop()
  const backup = await backUp()
  await serve()
  const lost = [
    await tokens.mint(config, two, "6"),
    await tokens.mint(config, third, "1"),
    await tokens.transfer(config, leaving, other, "5"),
  ]
  expect(lost.map(({ status }) => status)).toEqual([200, 200, 200])
  await idle()
  await restore(backup)
  await goesOn()
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
  expect(await countsOf(config)).toEqual({ investors: 3, "country:US": 3, non_accredited: 3 })
  expect((await tokens.mint(config, one, "1")).json.error).toBe("investor_balance_limit_exceeded")
  expect((await tokens.mint(config, leaving, "1")).json.error).toBe("investor_limit_reached")
})

test("a slot that was on its way when the server was killed reaches the receiver once", async () => {
  const config = await tokens.config({ max_investors: 1 })
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "5")
  await idle()
  await withoutWorker(async () => {
    const { status } = await tokens.transfer(config, from, to, "5", { headers: { prefer: "respond-async" } })
    expect(status).toBe(202)
  })
  await serve()
  await idle()
  expect(await countsOf(config)).toMatchObject({ investors: 1 })
  expect((await tokens.mint(config, to, "1")).status).toBe(200)
  expect((await tokens.mint(config, from, "1")).json.error).toBe("investor_limit_reached")
  await waitFor(async () => (await differences()).length === 0, "the audit to be clean")
})
