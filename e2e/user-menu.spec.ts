import { createMember, expect, expectAccessible, heading, section, test } from "./dashboard.ts"

const trigger = "Account of Olivia Owner"

test("the user's menu names the person and their role, and leads to their account, the docs and the shortcuts", {
  tag: "@phone",
}, async ({ page, customer }) => {
  await page.goto(section(customer, "schemas"))
  const open = () => page.getByRole("button", { name: trigger }).click()
  const menu = page.getByRole("menu")
  await open()
  await expect(menu).toContainText("Olivia Owner")
  await expect(menu).toContainText(customer.email)
  await expect(menu).toContainText(`Owner of ${customer.account}, test workspace`)
  await expectAccessible(page)
  const item = (name: string) => menu.getByRole("menuitem", { name })
  await expect(item("Documentation")).toHaveAttribute("href", "/docs")
  await item("Keyboard shortcuts").click()
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
  await expect(menu).toBeHidden()
  await page.keyboard.press("Escape")
  await open()
  await item("Switch to the live workspace").click()
  await expect(page).toHaveURL(new RegExp(`/${customer.workspaces.live}/schemas$`))
  await expect(menu).toBeHidden()
  await open()
  await expect(menu).toContainText("live workspace")
  await item("Your account").click()
  await expect(heading(page, "Settings")).toBeVisible()
  await expect(page.getByRole("heading", { name: "Authenticator app" })).toBeVisible()
  await open()
  await item("What’s new").click()
  await expect(heading(page, "Changes")).toBeVisible()
})

test("the theme is chosen in the menu by keyboard, at once, and the settings show it", async ({
  browser,
  customer,
  baseURL,
}) => {
  const { cookies } = await createMember(customer, "viewer")
  const context = await browser.newContext({ storageState: cookies, baseURL: baseURL! })
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: "light" })
  await page.goto(section(customer, "settings?part=account"))
  await expect(page.getByRole("combobox", { name: "Theme" })).toHaveValue("system")
  const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await canvas()
  await page.getByRole("button", { name: "Account of The viewer" }).press("Enter")
  const choice = (name: string) => page.getByRole("menuitemradio", { name })
  await expect(page.getByRole("menuitem", { name: "Your account" })).toBeFocused()
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowDown")
  await expect(choice("System")).toBeFocused()
  await expect(choice("System")).toHaveAttribute("aria-checked", "true")
  await page.keyboard.press("ArrowRight")
  await page.keyboard.press("ArrowRight")
  await expect(choice("Dark")).toBeFocused()
  await page.keyboard.press("ArrowRight")
  await expect(choice("Dark")).toBeFocused()
  await page.keyboard.press("Enter")
  // The menu stays open, so that the reader sees what they chose.
  await expect(choice("Dark")).toHaveAttribute("aria-checked", "true")
  expect(await canvas()).not.toBe(light)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("button", { name: "Account of The viewer" })).toBeFocused()
  await expect(page.getByRole("combobox", { name: "Theme" })).toHaveValue("dark")
  await page.reload()
  await expect(page.getByRole("combobox", { name: "Theme" })).toHaveValue("dark")
  expect(await canvas()).not.toBe(light)
  await page.getByRole("button", { name: "Account of The viewer" }).click()
  await choice("System").click()
  expect(await canvas()).toBe(light)
  await context.close()
})

test("opened before its items have loaded, the menu gives the first one the focus", async ({ page, customer }) => {
  const items = Promise.withResolvers<void>()
  await page.route("**/_next/static/chunks/*.js", async (route) => {
    const response = await route.fetch()
    const body = await response.text()
    if (body.includes("What’s new")) await items.promise
    await route.fulfill({ response, body })
  })
  await page.goto(section(customer, "schemas"))
  await page.getByRole("button", { name: /^Account of/ }).press("Enter")
  await expect(page.getByRole("menu")).toBeVisible()
  await expect(page.getByRole("menuitem")).toHaveCount(0)
  items.resolve()
  await expect(page.getByRole("menuitem", { name: "Your account" })).toBeFocused()
})
