import { expect, expectAccessible, fillInForm, heading, submitForm, test } from "./support.ts"
import { bytesOver, MAX_BYTES } from "./wire.ts"

test("the page loads completely in less than 150 kB, and stays below until the session ends", async ({ page, api }) => {
  const { url } = await api.start()
  const loaded = await bytesOver(page)
  await page.goto(url)
  await expect(heading(page, "Verify your identity")).toBeVisible()
  const first = loaded()
  await submitForm(page)
  await expect(heading(page, "Your wallet is verified")).toBeVisible()
  const whole = loaded()
  console.log(`hosted page: ${first} bytes at first, ${whole} until the result`)
  expect(first).toBeGreaterThan(1000)
  expect(whole).toBeLessThanOrEqual(MAX_BYTES)
})

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false })

  test("the page shows the state of the session and the next step", async ({ page, api }) => {
    const { url, sessionId } = await api.start()
    await page.goto(url)
    await expect(heading(page, "Verify your identity")).toBeVisible()
    await expect(page.locator("noscript .notice")).toContainText("this page needs JavaScript")
    await expect(page.locator("noscript .notice")).toBeVisible()
    await expect(page.getByRole("button", { name: "Submit verification" })).toBeHidden()
    await fetch(`${new URL(url).origin}/api/trpc/verification.submit`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ sessionId, consent: true, country: "DE", ageOver18: true, accredited: true },
        decision: "in_review",
      }),
    })
    await expect(async () => {
      await page.reload()
      await expect(page.getByRole("main")).toContainText("A reviewer is checking it.", { timeout: 500 })
    }).toPass()
    await expect(page.locator("noscript .text")).toHaveText("Reload this page to see the latest status.")
  })
})

test.describe("languages", { tag: "@phone" }, () => {
  test("the page uses the browser's language, and remembers another choice", async ({ browser, api }) => {
    const { url } = await api.start()
    const context = await browser.newContext({ locale: "de-AT" })
    const page = await context.newPage()
    await page.goto(url)
    await expect(heading(page, "Bestätigen Sie Ihre Identität")).toBeVisible()
    await expect(page.locator("html")).toHaveAttribute("lang", "de")
    await expect(page.getByLabel("Land", { exact: true }).locator("option[value=DE]")).toHaveText("Deutschland")
    await expectAccessible(page)

    await page.getByLabel("Land", { exact: true }).selectOption("AT")
    await page.getByRole("link", { name: "日本語" }).click()
    await expect(heading(page, "本人確認")).toBeVisible()
    await expect(page.locator("html")).toHaveAttribute("lang", "ja")
    // Entered values stay when the language changes.
    await expect(page.getByLabel("国", { exact: true })).toHaveValue("AT")
    await expectAccessible(page)
    await page.goto(url)
    await expect(heading(page, "本人確認")).toBeVisible()
    await page.goto(`${url}?lang=fr`)
    await expect(heading(page, "Vérifiez votre identité")).toBeVisible()
    await context.close()
  })

  test("an investor in Saudi Arabia verifies in Arabic, from the first error to the result", async ({
    browser,
    api,
  }) => {
    const { url } = await api.start()
    const context = await browser.newContext({ locale: "ar-SA", timezoneId: "Asia/Riyadh" })
    const page = await context.newPage()
    await page.goto(url)
    await expect(heading(page, "التحقق من هويتك")).toBeVisible()
    await page.getByRole("button", { name: "إرسال المعلومات" }).click()
    await expect(page.getByText("يُرجى اختيار بلدك.")).toBeVisible()
    await expect(page.getByLabel("البلد", { exact: true })).toBeFocused()
    await expectAccessible(page)
    await page.getByLabel("البلد", { exact: true }).selectOption({ label: "المملكة العربية السعودية" })
    // In the order of the page, as in every language.
    for (const name of ["عمري 18 عامًا أو أكثر", "مستثمر معتمد"]) {
      await page.keyboard.press("Tab")
      await expect(page.getByRole("checkbox", { name, exact: true })).toBeFocused()
      await page.keyboard.press("Space")
    }
    await page.getByRole("checkbox", { name: "أوافق", exact: true }).check()
    await page.getByRole("button", { name: "إرسال المعلومات" }).click()
    await expect(heading(page, "تم التحقق من محفظتك")).toBeFocused()
    await expect(page.locator("time")).toHaveText(/غرينتش\+3/)
    await expectAccessible(page)
    await context.close()
  })

  test("automatic updates are in the page's language", async ({ page, api }) => {
    const { url, wallet } = await api.start()
    await page.goto(`${url}?lang=es`)
    await expect(heading(page, "Verifique su identidad")).toBeVisible()
    const { attestation_id } = await api.status(wallet)
    await api.revoke(attestation_id, "Started by mistake.")
    await expect(heading(page, "Verificación cancelada")).toBeFocused()
    await expect(page).toHaveTitle("Verificación cancelada · e2e · Vouch")
    await expectAccessible(page)
  })
})

test("the steps mark the current one", async ({ page, api }) => {
  const { url } = await api.start()
  await page.goto(url)
  const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem")
  await expect(steps).toHaveText([/Confirm/, /Check/, /Result/])
  await expect(page.locator("[aria-current=step]")).toHaveText(/Confirm/)
  await submitForm(page, { outcome: "in_review" })
  await expect(page.locator("[aria-current=step]")).toHaveText(/Check/)
  await expect(steps.first()).toContainText("done")
})

test("a page on another device follows the session to its end", async ({ page, browser, api }) => {
  const { url } = await api.start()
  await page.goto(url)
  await expect(heading(page, "Verify your identity")).toBeVisible()
  const phone = await browser.newContext({ viewport: { width: 375, height: 812 } })
  const other = await phone.newPage()
  await other.goto(url)
  await fillInForm(other)
  await other.getByRole("button", { name: "Submit verification" }).click()
  await expect(heading(page, "Your wallet is verified")).toBeVisible()
  await phone.close()
})
