import { showInstead } from "./hosted-page.ts"
import { expect, expectAccessible, heading, setHidden, submitForm, test } from "./support.ts"

const CALLS = "**/api/trpc/**"
const LOOKS = "**/api/trpc/verification.view"

test.describe("the connection", () => {
  test("may be slow: the page is complete before it sends other requests", async ({ page, api, traffic }) => {
    const { url } = await api.start()
    await page.route(CALLS, () => {})
    await page.goto(url)
    await expect(heading(page, "Verify your identity")).toBeVisible()
    await expectAccessible(page)
    const asked = traffic.requests.map(({ url }) => url)
    expect(asked.filter((one) => !one.includes("/api/") && !one.endsWith("/icon.svg"))).toEqual([url])
  })

  test("may fail at first: the page retries automatically and by its button", async ({ page, api, traffic }) => {
    traffic.allow(/ERR_FAILED|status of 503/)
    const { url } = await api.start()
    // The server works again when the button is pressed. The page's own retries before that fail.
    let pressed = false
    await page.exposeFunction("pressed", () => {
      pressed = true
    })
    await showInstead(page, url, () => ({ state: "failed" }), { status: 503, while: () => !pressed })
    await page.route(CALLS, (route) => (pressed ? route.continue() : route.abort()))
    await page.goto(url)
    await expect(heading(page, "This page could not be loaded")).toBeVisible()
    await expectAccessible(page)
    await page.evaluate(() =>
      document.addEventListener("click", () => (window as unknown as { pressed(): void }).pressed(), true),
    )
    await page.getByRole("button", { name: "Try again" }).click()
    await expect(heading(page, "Verify your identity")).toBeVisible({ timeout: 2000 })
  })

  test("the page appears without any action once the server works again", async ({ page, api, traffic }) => {
    traffic.allow(/status of 503/)
    const { url } = await api.start()
    let isBack = false
    await showInstead(page, url, () => ({ state: "failed" }), { status: 503, while: () => !isBack })
    await page.goto(url)
    await expect(heading(page, "This page could not be loaded")).toBeVisible()
    isBack = true
    await expect(heading(page, "Verify your identity")).toBeVisible()
  })

  test("may be lost while a verification is checked, and recovers", async ({ page, api, traffic }) => {
    traffic.allow(/ERR_FAILED/)
    const { url } = await api.start()
    await page.goto(url)
    await submitForm(page, { outcome: "in_review" })
    await expect(page.getByText("A reviewer is checking it. You can close this page and open")).toBeVisible()
    await page.route(LOOKS, (route) => route.abort())
    await expect(page.getByText("Connection lost. Trying again.")).toBeVisible()
    await expectAccessible(page)
    await page.unroute(LOOKS)
    await expect(page.getByText("Connection lost. Trying again.")).toBeHidden()
  })

  test("is polled often for half a minute, then rarely, and not while the page is hidden", async ({
    page,
    api,
    traffic,
  }) => {
    const looks = () => traffic.requests.filter(({ url }) => url.endsWith("verification.view")).length
    const looksWithin = async (time_ms: number) => {
      const before = looks()
      // In steps, because each poll waits for a real answer before it sets the next timer.
      for (let passed_ms = 0; passed_ms < time_ms; passed_ms += 100) {
        await page.clock.runFor(100)
        await page.evaluate(() => fetch("/icon.svg").then((response) => response.arrayBuffer()))
      }
      return looks() - before
    }
    const { url } = await api.start()
    await page.clock.install()
    await page.goto(url)
    await submitForm(page, { outcome: "in_review" })
    await expect(page.getByText("A reviewer is checking it. You can close this page and open")).toBeVisible()
    // From here on the test controls the page's time, no matter how long an answer takes.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    expect(await looksWithin(3000)).toBeGreaterThanOrEqual(3)
    // A poll in progress at that moment times out at once.
    traffic.allow(/verification\.view: net::ERR_ABORTED/)
    await page.clock.fastForward(30_000)
    await expect.poll(() => looksWithin(6000)).toBeLessThanOrEqual(4)
    await setHidden(page, true)
    expect(await looksWithin(6000)).toBe(0)
    const before = looks()
    await setHidden(page, false)
    await expect.poll(() => looks() - before).toBe(1)
  })
})
