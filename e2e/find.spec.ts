import type { Page } from "@playwright/test"
import { expect, expectSound, heading, section, test } from "./dashboard.ts"

const search = (page: Page) => page.getByRole("dialog", { name: "Search everything" })

test("Ctrl K goes to a page by a few letters, and to a wallet, by the keyboard alone", async ({
  page,
  customer,
}) => {
  const { wallet } = await customer.api.start({})
  await page.goto(section(customer, "overview"))
  await expect(heading(page, "Overview")).toBeVisible()
  await page.keyboard.press("Control+k")
  const box = search(page).getByRole("combobox")
  await expect(box).toBeFocused()
  await expectSound(page)
  await box.fill("web")
  await expect(search(page).getByRole("option", { selected: true })).toContainText("Webhooks")
  await page.keyboard.press("Enter")
  await expect(heading(page, "Webhooks")).toBeVisible()

  await page.keyboard.press("Control+k")
  await box.fill(wallet)
  await expect(search(page).getByRole("option")).toHaveCount(1)
  await expect(search(page).getByRole("option", { selected: true })).toContainText("Investor")
  await expectSound(page)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/investors\/inv_/)

  await page.keyboard.press("Control+k")
  await box.fill("zzzzzzzz")
  await expect(search(page).getByText("Nothing found.")).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(search(page)).toHaveCount(0)
})

test("the arrows go round, and the search opens by its button", { tag: "@phone" }, async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "overview"))
  await page.getByRole("button", { name: "Search everything" }).click()
  const options = search(page).getByRole("option")
  await expect(options.first()).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("ArrowUp")
  await expect(options.last()).toHaveAttribute("aria-selected", "true")
  await expect(options.last()).toBeInViewport()
  await page.keyboard.press("ArrowDown")
  await expect(options.first()).toHaveAttribute("aria-selected", "true")
  await options.filter({ hasText: "Keyboard shortcuts" }).click()
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
  await expectSound(page)
})

test("single keys lead around the pages, never while one types, and can be switched off", async ({
  page,
  customer,
}) => {
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await page.goto(section(customer, "attestations"))
  await expect(heading(page, "Attestations")).toBeVisible()
  await expect(page.getByRole("button", { name: "Search everything" })).toBeVisible()
  await page.keyboard.press("/")
  await expect(page.getByRole("searchbox").first()).toBeFocused()
  await page.keyboard.type("ge?/")
  await expect(page.getByRole("searchbox").first()).toHaveValue("ge?/")
  await expect(shortcuts).toHaveCount(0)
  await page.getByRole("searchbox").first().blur()
  await expect(page).toHaveURL(/[?&]q=/)
  await page.keyboard.press("g")
  await page.keyboard.press("e")
  await expect(heading(page, "Events")).toBeVisible()
  await page.keyboard.press("?")
  await expect(shortcuts).toBeVisible()
  await expectSound(page)
  await shortcuts.getByRole("checkbox", { name: /^Single-letter shortcuts/ }).uncheck()
  await page.keyboard.press("Escape")
  await expect(shortcuts).toHaveCount(0)
  await page.keyboard.press("?")
  await page.keyboard.press("g")
  await page.keyboard.press("t")
  await expect(heading(page, "Events")).toBeVisible()
  await expect(shortcuts).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole("button", { name: "Search everything" })).toBeVisible()
  await page.keyboard.press("?")
  await page.keyboard.press("Control+k")
  await expect(search(page)).toBeVisible()
  await expect(shortcuts).toHaveCount(0)
})
