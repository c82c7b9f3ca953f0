import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Page } from "@playwright/test"
import { section, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"
import { bytesOver, MAX_BYTES } from "./wire.ts"

const icon = readFileSync(new URL("../public/apple-touch-icon.png", import.meta.url))

const card = (page: Page) => page.getByRole("region", { name: "Hosted page" })

test("an owner brands the hosted page with a preview, and every color is readable", {
  tag: "@phone",
}, async ({ page, browser, customer, traffic }) => {
  traffic.allow(/status of 4/)
  await page.goto(section(customer, "settings?part=workspace"))
  const form = card(page)
  await form.getByLabel("Pick from a palette").fill("#123456")
  await expect(form.getByLabel("Color")).toHaveValue("#123456")
  await form.getByLabel("Color").fill("blue")
  await form.getByRole("button", { name: "Save hosted page" }).click()
  await expect(form.getByText("Must be a color such as #1d4ed8.")).toBeVisible()
  await expectAccessible(page)
  await form.getByLabel("Color").fill("#FFE066")
  await form.getByLabel("Contact").fill("acme")
  await form.getByRole("button", { name: "Save hosted page" }).click()
  await expect(form.getByText("Must be an email address or a URL that begins with https://.")).toBeVisible()
  await form.getByLabel("Contact").fill("investors@acme.example")
  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    form.getByLabel("Logo", { exact: true }).setInputFiles({ name, mimeType, buffer })
  await choose("logo.png", "image/png", Buffer.from("<svg></svg>"))
  await form.getByRole("button", { name: "Save hosted page" }).click()
  await expect(form.getByText("Must be a PNG, JPEG or WebP image.")).toBeVisible()
  // The largest allowed size, with data that does not compress.
  await choose("logo.png", "image/png", Buffer.concat([icon, randomBytes(100_000 - icon.length)]))
  await form.getByRole("button", { name: "Save hosted page" }).click()
  await expect(page.getByText("Hosted page saved")).toBeVisible()
  await expect(form.getByRole("img", { name: customer.account })).toHaveCount(2)
  await expectAccessible(page)

  const { url } = await customer.api.start()
  const investor = await browser.newContext({ viewport: { width: 375, height: 812 } })
  const theirs = await investor.newPage()
  const loaded = await bytesOver(theirs)
  await theirs.goto(url)
  await expect(heading(theirs, "Verify your identity")).toBeVisible()
  await expect(theirs.getByRole("img", { name: customer.account })).toBeVisible()
  await expect(theirs.getByRole("link", { name: "investors@acme.example" })).toBeVisible()
  await expect.poll(() => loaded() > 100_000).toBe(true)
  expect(loaded()).toBeLessThanOrEqual(MAX_BYTES)
  await expectAccessible(theirs)
  for (const color of ["#0b1f4d", "#ffffff", "#000000", "#777777"]) {
    await form.getByLabel("Color").fill(color)
    await form.getByRole("button", { name: "Save hosted page" }).click()
    await expect(async () => {
      await theirs.reload()
      expect(await theirs.content()).toContain(`--button:${color}`)
    }).toPass()
    await expectAccessible(theirs)
  }
  await investor.close()

  await form.getByRole("button", { name: "Remove logo" }).click()
  await expect(form.getByRole("img", { name: customer.account })).toHaveCount(0)
  await form.getByLabel("Color").fill("")
  await form.getByLabel("Contact").fill("")
  await form.getByRole("button", { name: "Save hosted page" }).click()
  await expect(page.getByText("Hosted page saved").last()).toBeVisible()
})

test("other members see the brand and cannot change it", async ({ as, customer }) => {
  const page = await as("developer")
  await page.goto(section(customer, "settings?part=workspace"))
  await expect(card(page)).toContainText("Contact")
  await expect(card(page).getByRole("button")).toHaveCount(0)
  await expectAccessible(page)
})
