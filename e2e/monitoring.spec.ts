import type { Page } from "@playwright/test"
import { changeAnswer } from "./answers.ts"
import { expect, expectAccessible, section, test } from "./dashboard.ts"

const openSettings = (page: Page, path: string) => page.goto(`${path}?part=monitoring`)

test("an owner chooses the automatic actions, the choice is saved, and the audit log says by whom", async ({
  page,
  customer,
}) => {
  await openSettings(page, section(customer, "settings"))
  const listed = page.getByLabel("Wallet on a screening list")
  await expect(listed).toHaveValue("review")
  await expect(page.getByLabel("Person deactivated")).toHaveValue("withdraw")
  await listed.selectOption("freeze")
  await page.getByLabel("Case opened").selectOption("withdraw")
  await page.getByRole("button", { name: "Save monitoring" }).click()
  await expect(page.getByText("Monitoring saved")).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await expect(listed).toHaveValue("freeze")
  await expect(page.getByLabel("Case opened")).toHaveValue("withdraw")
  await page.goto(section(customer, "audit"))
  const entry = page.getByRole("row", { name: /changed what monitoring does on: / })
  await entry.getByRole("button", { name: "Details" }).click()
  await expect(entry).toContainText("review → freeze")
})

test("a viewer sees the choices and cannot change them", async ({ as, customer }) => {
  const page = await as("viewer")
  await openSettings(page, section(customer, "settings"))
  await expect(page.getByText("Revoke the person’s verifications").first()).toBeVisible()
  await expect(page.getByRole("button", { name: "Save monitoring" })).toHaveCount(0)
  await expectAccessible(page)
})

test("the page shows the lists in use, and why a file is not used", async ({ page, customer }) => {
  const list = {
    name: "ofac-solana.txt",
    digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    entries: 12_345,
    loaded_at: "2026-11-01T08:00:00Z",
    problem: "cannot be read: ENOENT",
    compared_at: "2026-11-01T08:00:02Z",
  }
  await changeAnswer(page, "monitoring.get", (data) => Object.assign(data, { lists: [list], listed: 3, cleared: 1 }))
  await openSettings(page, section(customer, "settings"))
  await expect(page.getByText("12,345")).toBeVisible()
  await expect(page.getByText("The file is not used, because it cannot be read: ENOENT.")).toBeVisible()
  await expectAccessible(page)
})
