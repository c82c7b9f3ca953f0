import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { member } from "#test/fixtures/people.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp()

test("members can read their workspace's settings and its issuing address", async () => {
  const { browser, workspaceId, account } = await member(app)
  const { data } = await browser.query("workspace.get")
  expect(data).toMatchObject({
    id: workspaceId,
    mode: "test",
    account: { id: account.id, name: account.name, plan: "free" },
    base_url: `${deployment.origin}/v1`,
    provider: "Built-in sandbox",
  })
  expect(data.webhook_secret.variable).toBe("VOUCH_WEBHOOK_SECRET")
  expect(JSON.stringify(data)).not.toContain("whsec_")
  const viewer = await member(app, { account, role: "viewer" })
  expect((await viewer.browser.query("workspace.get")).data.webhook_secret).toBeNull()
  expect(data.chain.authority).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
  expect(data.chain.authority).not.toBe(data.chain.fee_payer)
})
