import { expect, expectAccessible, section, test } from "./dashboard.ts"
import { held } from "./servicing.ts"

test("the register at a moment is shown, and a snapshot of it is taken and downloaded", {
  tag: ["@phone"],
}, async ({ page, customer }) => {
  const { id, wallet } = await held(customer, "100")

  await test.step("the register lists who holds the token at the last final moment", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    await page.getByRole("tab", { name: "Register" }).click()
    const table = page.getByRole("table", { name: "Register" })
    await expect(async () => {
      await page.reload()
      await expect(table.getByRole("row").nth(1)).toContainText(/100\s*100 %/)
    }).toPass()
    await expectAccessible(page)
    await table.getByText("1 wallet").click()
    await expect(table.getByRole("listitem")).toContainText([wallet.slice(0, 4)])
    await expect(table.getByRole("listitem")).toContainText("100")
    await expectAccessible(page)
    await page.getByLabel("Rows").selectOption("By wallet")
    await expect(table.getByRole("row").filter({ hasText: wallet.slice(0, 4) })).toContainText("100")
    await expectAccessible(page)
    await page.getByLabel("At").fill("2020-01-01T00:00:00")
    await expect(page.getByText("No one held the token at that moment.")).toBeVisible()
    await expectAccessible(page)
  })

  await test.step("a snapshot of a past second is ready soon", async () => {
    await page.getByRole("tab", { name: "Snapshots" }).click()
    await page.getByRole("button", { name: "Take a snapshot" }).click()
    const sheet = page.getByRole("dialog")
    await sheet.getByLabel("Name").fill("Record date 2019")
    await sheet.getByLabel("Record date").fill("2019-12-31T23:59:59")
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Take the snapshot" }).click()
    await expect(sheet).toBeHidden()
    const row = page.getByRole("row").filter({ hasText: "Record date 2019" })
    await expect(row.getByText("Ready").first()).toBeAttached()
    await expectAccessible(page)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      row.getByRole("link", { name: "Export CSV" }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^snap_\w+\.csv$/)
  })
})
