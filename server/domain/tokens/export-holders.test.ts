import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { type Browser, member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

let owner: Awaited<ReturnType<typeof member>>

usesApp()
beforeAll(async () => {
  owner = await member(app)
})

const download = (mint_config: string, by: Browser = owner.browser) =>
  by.fetch(`/api/export/holders.csv?workspace=${owner.workspaceId}&mint_config=${encodeURIComponent(mint_config)}`)
const linesOf = (text: string) => {
  const [head, ...lines] = text.replace("\ufeff", "").trimEnd().split("\r\n")
  const names = head!.split(",")
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, i) => [names[i]!, cell])))
}

test("the register shows each holder's units and share, the investor, and the time", async () => {
  const key = await app.key({ account: owner.account })
  const tokens = tokenFixture(app, key)
  const config = await tokens.config()
  const wallets = await tokens.wallets(3)
  for (const [i, amount] of ["1", "6", "2"].entries()) await tokens.mint(config, wallets[i]!, amount)
  const held = { user_pubkey: wallets[1], mint_config: config, amount: "2", reason_code: "tax", reference: "7" }
  await tokens.post("/token/holds", held)
  const frozen = await tokens.post("/token/freeze", { user_pubkey: wallets[0], reason_code: "tax", reference: "7" })
  const response = await download(config)
  expect(response.headers.get("content-disposition")).toMatch(/filename="holders-.*-\d{4}-\d\d-\d\d\.csv"/)
  expect(response.headers.get("vouch-rows")).toBe("3")
  const lines = linesOf(await response.text())
  expect(lines.map(({ position, user_pubkey, balance, percent }) => [position, user_pubkey, balance, percent])).toEqual(
    [
      ["1", wallets[1], "6", "66.66666666"],
      ["2", wallets[2], "2", "22.22222222"],
      ["3", wallets[0], "1", "11.11111111"],
    ],
  )
  for (const line of lines) {
    expect(line).toMatchObject({ verification: "verified", slot: expect.stringMatching(/^\d+$/) })
    expect(line.investor_id).toMatch(/^inv_/)
    expect(Date.parse(line.as_of!)).not.toBeNaN()
  }
  expect(lines.map(({ available, held }) => [available, held])).toEqual([
    ["4", "2"],
    ["2", "0"],
    ["1", "0"],
  ])
  expect(lines.map(({ frozen_since }) => frozen_since)).toEqual(["", "", frozen.json.since])
})

test("all balances are from one moment, however slow the client is, and their sum is the supply", async () => {
  const { workspaceId } = owner
  const [{ id, schema }] = (await sql<{ id: string; schema: string }[]>`
    select id, required_schema as schema from mint_configs where workspace_id = ${workspaceId} limit 1`) as unknown as [
    { id: string; schema: string },
  ]
  const many = 30_000
  await sql`
    insert into mint_configs (workspace_id, id, name, symbol, decimals, required_schema, transfer_mode, rules, supply, issued, created_at)
    select workspace_id, 'large_fund', 'Large', 'LRG', 0, ${schema}, 'agent', rules, ${many}, ${many}, now()
    from mint_configs where workspace_id = ${workspaceId} and id = ${id}`
  const first = newWallet()
  await sql`
    insert into holdings (workspace_id, mint_config, wallet, balance, counted)
    select ${workspaceId}, 'large_fund', left(${first}, 36) || lpad(translate(n::text, '0', 'A'), 6, 'z'), 1, true
    from generate_series(1, ${many}) n`
  const response = await download("large_fund")
  const reader = response.body!.getReader()
  let text = new TextDecoder().decode((await reader.read()).value)
  // Everything moves to one holder during the download.
  await sql`delete from holdings where workspace_id = ${workspaceId} and mint_config = 'large_fund'`
  const decoder = new TextDecoder()
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += decoder.decode(part.value, { stream: true })
  const lines = linesOf(text)
  expect(lines).toHaveLength(many)
  expect(lines.reduce((sum, { balance }) => sum + BigInt(balance!), 0n)).toBe(BigInt(many))
  expect(new Set(lines.map(({ user_pubkey }) => user_pubkey)).size).toBe(many)
  expect(lines.at(-1)!.position).toBe(String(many))
})

test("an unknown token, and one of another workspace, have no register", async () => {
  for (const id of ["nothing", "x".repeat(100)]) expect((await download(id)).status).toBe(404)
  expect((await download("")).status).toBe(422)
  const stranger = await member(app)
  expect((await download("large_fund", stranger.browser)).status).toBe(404)
})
