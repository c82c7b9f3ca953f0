import { changeAnswer } from "./answers.ts"
import { section, showFilters, test } from "./dashboard.ts"
import { expect, heading } from "./support.ts"

test("Older shows the top of the table, and Back returns to the previous page", {
  tag: "@phone",
}, async ({ page, customer }) => {
  for (let batch = 0; batch < 11; batch++) await Promise.all(Array.from({ length: 10 }, () => customer.api.start()))

  await page.goto(section(customer, "attestations"))
  const table = page.getByRole("table", { name: "Attestations" })
  const older = page.getByRole("button", { name: "Older" })
  const newer = page.getByRole("button", { name: "Newer" })
  const firstLink = table.getByRole("link").first()
  const opened = async () => (await firstLink.getAttribute("href"))!
  await expect(table.getByRole("row")).toHaveCount(51)
  const first = await opened()

  await older.click()
  await expect.poll(opened).not.toBe(first)
  await expect(firstLink).toBeInViewport()
  const second = await opened()
  await older.click()
  await expect(table.getByRole("row").last()).toBeVisible()
  await expect.poll(opened).not.toBe(second)
  const third = await opened()

  await page.goBack()
  await expect.poll(opened).toBe(second)
  await firstLink.click()
  await expect(page).toHaveURL(/\/attestations\/att_/)
  await expect(heading(page, /: Individual identity/)).toBeVisible()
  await page.goBack()
  await expect.poll(opened).toBe(second)
  await page.reload()
  await expect.poll(opened).toBe(second)
  await older.click()
  await expect.poll(opened).toBe(third)
  await newer.click()
  await expect.poll(opened).toBe(second)

  // Another list starts at its own first page.
  await showFilters(page)
  await page.getByLabel("Status").selectOption("pending")
  await expect.poll(opened).toBe(first)
  await expect(page).toHaveURL(/\?status=pending$/)
})

test("a table is a tab stop while it is too wide, also after its list has failed", async ({
  page,
  customer,
  traffic,
}) => {
  traffic.allow(/503/)
  // One word, which is too wide for the first width and not for the second.
  await changeAnswer(page, "key.list", ({ data }) => {
    data[0].name = "a".repeat(30)
  })
  await page.setViewportSize({ width: 800, height: 800 })
  await page.goto(section(customer, "keys"))
  await expect(page.getByRole("table")).toBeVisible()
  let fails = true
  await page.route(/\/api\/trpc\/key\.list/, (route) =>
    fails ? route.fulfill({ status: 503, json: {} }) : route.fallback(),
  )
  await page.reload()
  const retry = page.getByRole("main").getByRole("button", { name: "Try again" })
  await expect(retry).toBeVisible()
  fails = false
  await retry.click()
  const region = page.getByRole("region", { name: /^Table: / })
  await expect(region).toHaveAttribute("tabindex", "0")
  await page.setViewportSize({ width: 2000, height: 800 })
  await expect(page.getByRole("table")).toBeVisible()
  await expect(region).toBeHidden()
  await page.setViewportSize({ width: 800, height: 800 })
  await expect(region).toBeVisible()
})
