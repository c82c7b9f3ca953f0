import { decide } from "./api.ts"
import { expect, expectAccessible, section, test } from "./dashboard.ts"

test.use({ permissions: ["clipboard-read", "clipboard-write"] })

test("a refused request names its rule, token and investor, shows the claims on request, and is copied as curl", async ({
  page,
  customer,
  as,
}) => {
  const { api } = customer
  const id = `no_canada_${Date.now().toString(36)}`
  await api.call("POST", "/mint-configs", {
    ...{ id, name: "US Fund", symbol: "USF", decimals: 2, required_schema: "kyc_individual_v1" },
    rules: { blocked_countries: ["CA"] },
  })
  const externalId = `emma-${Date.now().toString(36)}`
  const session = await api.start({ externalId })
  await decide(session.sessionId, "approved", undefined, "CA")
  await expect.poll(async () => (await api.status(session.wallet)).status).toBe("verified")
  const mint = { user_pubkey: session.wallet, mint_config: id, amount: "1" }
  const refused = await api.send("POST", "/token/mint", mint)
  expect(refused.status).toBe(403)

  await page.goto(section(customer, "logs"))
  const hours = page.getByText("Requests per hour as a table")
  await expect(hours).toBeVisible()
  await expect(page.getByRole("row").filter({ hasText: "country_not_allowed" })).toContainText(
    `${externalId} · US Fund`,
  )
  await page.getByLabel("Error code").fill("country_n")
  await expect(page).toHaveURL(/error=country_n$/)
  await expect(page.getByRole("row").filter({ hasText: "country_not_allowed" })).toHaveCount(1)
  await expect(page.getByRole("row").filter({ hasText: "wallet_not_verified" })).toHaveCount(0)
  await expectAccessible(page)

  // The last bar is this hour, the first one yesterday's.
  const bars = page.locator("[data-hour]")
  await bars.last().click()
  await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\dT\d\d:00:00Z&to=/)
  await expect(page.getByRole("button", { name: /^Time/ })).toHaveAccessibleName(
    /^Time \d+ \w+, \d\d:\d\d – \d\d:\d\d$/,
  )
  await expect(page.getByRole("row").filter({ hasText: "country_not_allowed" })).toHaveCount(1)
  await bars.first().click()
  await expect(page.getByText("No matching requests")).toBeVisible()
  await hours.click()
  const hour = page.getByRole("button", { name: /^Show requests of/ }).first()
  await hour.focus()
  await page.keyboard.press("Enter")
  await expect(hour).toHaveAttribute("aria-pressed", "true")
  await expect(page.getByRole("row").filter({ hasText: "country_not_allowed" })).toHaveCount(1)
  await expectAccessible(page)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/error=country_n$/)
  await page.goto(section(customer, `logs/${refused.requestId}`))
  const why = page.getByRole("region", { name: "Why it was refused" })
  await expect(why.getByRole("link", { name: "Country", exact: true })).toHaveAttribute(
    "href",
    new RegExp(`/tokens/${id}/rules$`),
  )
  await expect(why).toContainText("No investors from Canada.")
  await expect(why).not.toContainText("Canada (CA)")
  await expect(page.getByRole("link", { name: "US Fund" })).toHaveAttribute("href", new RegExp(`/tokens/${id}$`))
  await expect(page.getByRole("link", { name: new RegExp(externalId) })).toHaveAttribute("href", /\/investors\/inv_/)
  await expectAccessible(page)

  await page.getByRole("button", { name: "Copy as curl" }).click()
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).toContain('-H "Authorization: Bearer $VOUCH_API_KEY"')
  expect(command).toContain(`--data-raw '${JSON.stringify(mint)}'`)
  expect(command).not.toContain(customer.apiKey.slice(0, 15))

  await why.getByRole("button", { name: "Show the claims it read" }).click()
  await expect(why).toContainText("Canada (CA)")
  await expectAccessible(page)
  await page.goto(section(customer, "audit"))
  await expect(page.getByText(`Olivia Owner viewed the claims of ${externalId}`).first()).toBeVisible()

  const developer = await as("developer")
  await developer.goto(section(customer, `logs/${refused.requestId}`))
  await expect(developer.getByText("Owners and compliance officers can see them.")).toBeVisible()
  await expect(developer.getByRole("button", { name: "Show the claims it read" })).toHaveCount(0)
})
