import { randomBytes } from "node:crypto"
import type { Page } from "@playwright/test"
import { changeAnswer } from "./answers.ts"
import { decide, newWallet, origin } from "./api.ts"
import { expect, expectAccessible, heading, section, test } from "./dashboard.ts"

/** Changes the ledger's state on the overview and nothing else. */
async function showLedger(page: Page, ledger: object, checks: object = {}) {
  await changeAnswer(page, "overview.get", (data) => {
    Object.assign(data.ledger, ledger)
    Object.assign(data.checks, checks)
  })
}

test("a quarantine says why and who ends it, and a reconciliation what it found", async ({ page, customer }) => {
  const banner = page.getByRole("region", { name: /^Minting is on hold/ })
  await page.goto(section(customer, "overview"))
  await expect(page.getByText("Last reconciliation")).toBeVisible()
  await expect(banner).toHaveCount(0)

  await test.step("of the whole mode", async () => {
    const reason = "no node can say what has landed: rpc keeps no history. `vouch ledger reconcile` shows it"
    await showLedger(page, { quarantine: { of: "mode", reason } }, { chain: reason })
    await page.reload()
    await expect(banner).toContainText("rpc keeps no history")
    await expect(banner).toContainText("You can still read everything and revoke.")
    await expectAccessible(page)
  })

  await test.step("of the workspace, with differences", async () => {
    await page.unroute("**/api/trpc/overview.get**")
    await showLedger(page, {
      quarantine: { of: "workspace", reason: "an administrator decides" },
      audit: { at: new Date().toISOString(), differences: 1234 },
    })
    await page.reload()
    await expect(banner.getByRole("heading")).toHaveText("Minting is on hold until an administrator decides")
    await expect(banner.getByRole("code")).toHaveText("vouch ledger reconcile")
    await expect(page.getByText("1,234 differences")).toBeVisible()
    await expect(page.getByText(/run vouch ledger audit/)).toBeVisible()
    await expectAccessible(page)
  })
})

test("verifications that expire soon are counted, with a link to the list", async ({ page, customer }) => {
  const { api, workspaces } = customer
  const schemaId = `short_${randomBytes(3).toString("hex")}`
  const created = await page.request.post("/api/trpc/schema.create", {
    data: { id: schemaId, name: "Five days", validity_days: 5 },
    headers: { "x-vouch-workspace": workspaces.test, origin },
  })
  expect(created.status(), await created.text()).toBe(200)
  const wallet = newWallet()
  const { session_id } = await api.call("POST", "/kyc/start", { userPubkey: wallet, schemaId })
  await decide(session_id, "approved")
  const status = () => api.call("GET", `/kyc/status/${wallet}?schema=${schemaId}`)
  await expect.poll(async () => (await status()).status).toBe("verified")

  const soon = page.getByRole("link", { name: /^\d+ verifications? expires? within 7 days/ })
  await expect(async () => {
    await page.goto(section(customer, "overview"))
    await expect(soon).toBeVisible({ timeout: 5000 })
  }).toPass()
  await expect(soon).toContainText("Renewal reminders are off")
  await expectAccessible(page)
  await soon.click()
  await expect(heading(page, "Attestations")).toBeVisible()
  await expect(page.getByLabel("Expires")).toHaveValue("7")
  await expect(page.getByRole("row").filter({ hasText: wallet })).toContainText("Five days")
})

test("the overview lists what needs attention with links, or says that nothing does", async ({ page, customer }) => {
  await customer.api.start({})
  const none = { count: 0, oldest: null }
  const nothing = {
    reviews: none,
    approvals: none,
    endpoints: { failing: 0, disabled: 0, failing_since: null, oldest_failing: null, oldest_disabled: null },
    low_sol: null,
  }
  const show = async (attention: object, count = 0) => {
    await page.unroute("**/api/trpc/overview.get**")
    await changeAnswer(page, "overview.get", (data) => {
      Object.assign(data.attention, nothing, attention)
      data.expiring.days_7 = { count, more: false }
      data.expiring.days_30 = { count: count * 3, more: false }
    })
    await page.goto(section(customer, "overview"))
  }
  const [wallet, now] = [newWallet(), new Date().toISOString()]
  const card = page.getByRole("region", { name: "Needs attention" })
  await show({})
  await expect(card).toContainText("Nothing needs your attention.")
  await show(
    {
      approvals: {
        count: 1,
        oldest: {
          ...{ approval_id: "apr_1", action: "mint", created_at: new Date(Date.now() - 3 * 3_600_000).toISOString() },
          request: { amount: "1500", mint_config: "us_fund_v1", user_pubkey: wallet },
        },
      },
      reviews: {
        count: 100,
        oldest: {
          review_id: "rev_1",
          finding: "vendor_review",
          said: "PEP screening",
          external_id: "pavel",
          opened_at: now,
        },
      },
      endpoints: {
        ...{ failing: 1, failing_since: now, oldest_failing: { endpoint_id: "whe_1", url: "https://a.example/hooks" } },
        ...{ disabled: 2, oldest_disabled: { endpoint_id: "whe_2", url: "https://b.example/hooks" } },
      },
      low_sol: { address: newWallet(), sol: 0.0123, hours_left: 0.5 },
    },
    1,
  )
  await expect(card.getByRole("listitem")).toHaveText([
    `1 approval needs your decisionMint 1,500 us_fund_v1 to ${wallet.slice(0, 8)}…${wallet.slice(-8)}for 3 h`,
    "99+ reviews to decidePEP screening · pavel, and morefor 1 min",
    "2 webhook endpoints disabledhttps://b.example/hooks, and 1 more",
    "1 webhook endpoint failinghttps://a.example/hooksfor 1 min",
    /Send SOL to .*0\.0123 SOL, enough for about 30 minutes/,
    "1 verification expires within 7 days, 3 within 30Renewal reminders are off",
  ])
  await expectAccessible(page)
  await expect(card.getByRole("link", { name: /approval/ })).toHaveAttribute("href", /\/approvals\/apr_1$/)
  await expect(card.getByRole("link", { name: /failing/ })).toHaveAttribute("href", /\/webhooks\/whe_1$/)
  await expect(card.getByRole("link", { name: /disabled/ })).toHaveAttribute("href", /\/webhooks$/)
  await expect(card.getByRole("link", { name: /reviews/ })).toHaveAttribute("href", /\/reviews$/)
  // The row is a link as a whole.
  const row = card.getByRole("listitem").last()
  const box = (await row.boundingBox())!
  await row.click({ position: { x: box.width - 8, y: box.height / 2 } })
  await expect(page.getByLabel("Expires")).toHaveValue("7")
})
