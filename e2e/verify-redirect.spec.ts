import { startVendor, type Vendor } from "../test/vendor/server.ts"
import { type Api, apiOf } from "./api.ts"
import { type OwnServer, startOwnServer } from "./own-server.ts"
import { expect, expectAccessible, heading, test } from "./support.ts"
import { createKey } from "./vouch.ts"

// The hosted page with a provider that verifies on its own page, on a separate server.
let vendor: Vendor
let server: OwnServer
let ours: Api

test.beforeAll(async () => {
  vendor = await startVendor()
  server = await startOwnServer({
    entry: "test/vendor/main.ts",
    settings: { ...vendor.settings, VOUCH_TEST_PROVIDER: "exampleid" },
  })
  vendor.reportTo(`${server.origin}/v1/kyc/webhook/exampleid`)
  // The command line cannot use the provider's double.
  ours = apiOf(await createKey("e2e", { ...server.env, VOUCH_TEST_PROVIDER: "" }), server.origin)
})
test.afterAll(async () => {
  await server?.stop()
  await vendor?.stop()
})

test("consent, the provider's page, back, and the result", async ({ page, traffic }) => {
  // The page asks for the status while it is left for the provider's.
  traffic.allow(/verification\.view: net::ERR_ABORTED/)
  const { url, wallet, sessionId } = await ours.start()
  const go = page.getByRole("button", { name: "Continue to Example ID" })
  await page.goto(url)
  await expect(heading(page, "Verify your identity")).toBeVisible()
  await expect(page.getByRole("definition").getByText("Example ID", { exact: true })).toBeVisible()
  await expect(page.getByLabel("Country")).toHaveCount(0)
  await expectAccessible(page)

  const consent = page.getByRole("checkbox", { name: "I agree", exact: true })
  await go.click()
  await expect(consent).toBeFocused()
  await expect(consent).toHaveAccessibleDescription(/^Agree to continue\./)
  expect(vendor.opened(sessionId)).toHaveLength(0)

  await consent.check()
  await go.dblclick()
  await expect(heading(page, "Example ID")).toBeVisible()
  expect(vendor.opened(sessionId)).toHaveLength(1)
  await page.getByRole("button", { name: "Later" }).click()
  await expect(heading(page, "Waiting for the result")).toBeVisible()
  await expect(page.getByText("Not finished yet? Continue where you left off.")).toBeVisible()
  await expectAccessible(page)

  await go.click()
  await page.getByRole("button", { name: "Pass" }).click()
  await expect(heading(page, "Your wallet is verified")).toBeVisible()
  expect(await ours.status(wallet)).toMatchObject({ status: "verified" })
})

test("the page says that a provider is down, and continues when it is back", async ({ page, traffic }) => {
  traffic.allow(/status of 503/)
  const { url, sessionId } = await ours.start()
  await page.goto(url)
  await page.getByRole("checkbox", { name: "I agree", exact: true }).check()
  vendor.misbehave("fails")
  const go = page.getByRole("button", { name: "Continue to Example ID" })
  await go.click()
  await expect(page.getByRole("alert").filter({ hasText: "Example ID is not responding right now" })).toBeVisible()
  await expectAccessible(page)
  vendor.misbehave(null)
  await go.click()
  await expect(heading(page, "Example ID")).toBeVisible()
  await page.getByRole("button", { name: "Fail to read" }).click()
  await expect(page.getByText("Please submit again.")).toBeVisible()
  await expect(go).toBeVisible()
  expect(vendor.opened(sessionId)).toHaveLength(1)
})
