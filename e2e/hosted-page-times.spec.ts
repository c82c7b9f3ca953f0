import { expect, heading, test } from "./support.ts"

/** Spaces and direction marks differ between versions of browsers. */
const plain = (text: string | null) => text!.replace(/[\u200e\u200f]/g, "").replace(/\s/g, " ")

for (const { locale, timezoneId, format } of [
  { locale: "en-GB", timezoneId: "Asia/Kolkata", format: /^\d{1,2} \w+ 20\d\d, \d\d:\d\d GMT\+5:30$/ },
  { locale: "en-US", timezoneId: "America/New_York", format: /^\w+ \d{1,2}, 20\d\d, \d\d:\d\d (AM|PM) E[SD]T$/ },
  { locale: "de-AT", timezoneId: "Europe/Vienna", format: /^\d{1,2}\. \S+ 20\d\d, \d\d:\d\d (MEZ|MESZ)$/ },
  { locale: "ar-SA", timezoneId: "Asia/Riyadh", format: /^\d{1,2} \S+ 20\d\d، \d\d:\d\d (ص|م) غرينتش\+3$/ },
  { locale: "ar-EG", timezoneId: "Asia/Tokyo", format: /^\d{1,2} \S+ 20\d\d، \d\d:\d\d (ص|م) غرينتش\+9$/ },
]) {
  test(`${locale}: times are in the zone ${timezoneId}, as the reader writes them`, async ({ browser, api }) => {
    const { url } = await api.start()
    const context = await browser.newContext({ locale, timezoneId })
    const page = await context.newPage()
    await page.goto(url)
    await expect(page.locator("time")).toBeVisible()
    expect(plain(await page.locator("time").textContent())).toMatch(format)
    await context.close()
  })
}

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false, timezoneId: "Asia/Riyadh" })

  test("times are in UTC, and say so", async ({ page, api }) => {
    await page.goto((await api.start()).url)
    await expect(page.locator("time")).toBeVisible()
    await expect(page.locator("time")).toHaveText(/ UTC$/)
  })
})

test.describe("before the script runs", () => {
  test.use({ timezoneId: "Asia/Riyadh" })

  test("no other time is shown, and UTC only if the script fails", async ({ page, api, traffic }) => {
    traffic.allow(/Refused to execute inline script|violates the following Content Security Policy/)
    const { url } = await api.start()
    await page.route(url, async (route) => {
      const response = await route.fetch()
      // The page's policy blocks a script with another nonce.
      const body = (await response.text()).replace(/<script nonce="[^"]*">/, '<script nonce="other">')
      // Hidden for as long as the test needs to see it.
      await route.fulfill({ response, body: body.replace("wait-for-zone 1s", "wait-for-zone 30s") })
    })
    await page.goto(url)
    await expect(heading(page, "Verify your identity")).toBeVisible()
    await expect(page.locator("time")).toBeHidden()
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish()
    })
    await expect(page.locator("time")).toBeVisible()
    await expect(page.locator("time")).toHaveText(/ UTC$/)
  })
})
