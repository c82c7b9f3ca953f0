import { expect, test } from "vitest"
import { member } from "#test/fixtures/people.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("each mint and transfer of an API key is in the audit log once, under the key's name", async () => {
  const { browser, account, workspaceId } = await member(app)
  const key = await app.key({ account })
  expect(key.workspaceId).toBe(workspaceId)
  const tokens = tokenFixture(app, key)
  const fund = await tokens.config()
  const [one, other] = await tokens.wallets(2)
  const headers = { "Idempotency-Key": "the-same" }
  const minted = await tokens.mint(fund, one, "10", { headers })
  expect((await tokens.mint(fund, one, "10", { headers })).json).toEqual(minted.json)
  const another = await tokens.mint(fund, other, "2")
  const moved = await tokens.transfer(fund, one, other, "4")
  const refused = await tokens.transfer(fund, one, other, "4000")
  expect(refused.json.error).toBe("insufficient_balance")

  const { data } = await browser.query("audit.list", { action: "token.", actor: "key" })
  const by = {
    actor: "key",
    actor_id: key.keyId,
    actor_name: "test",
    subject_name: null,
    whole_account: false,
  }
  const mint = { ...by, action: "token.mint_requested" }
  const lines = data.data.map((line: Record<string, unknown>) => ({ ...line, named: line.request_id !== null }))
  expect(lines).toMatchObject([
    {
      ...by,
      action: "token.transfer_requested",
      subject: moved.json.operation_id,
      detail: { mint_config: fund, amount: "4", from: one, to: other },
      named: true,
    },
    {
      ...mint,
      subject: another.json.operation_id,
      detail: { mint_config: fund, amount: "2", to: other },
      named: true,
    },
    {
      ...mint,
      subject: minted.json.operation_id,
      detail: { mint_config: fund, amount: "10", to: one },
      named: true,
    },
  ])
})
