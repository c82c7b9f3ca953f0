import type { Route } from "@playwright/test"
import { expect, expectSound, heading, setHidden, submitForm, test } from "./support.ts"

const CALLS = "**/api/trpc/**"
const LOOKS = "**/api/trpc/verification.view"

test.describe("the connection", () => {
  test("may be slow: there is the shape of what comes", async ({ page, api }) => {
    const { url } = await api.start()
    const waiting: Route[] = []
    await page.route(LOOKS, (route) => void waiting.push(route))
    await page.goto(url)
    await expect(heading(page, "Loading")).toBeAttached()
    await expectSound(page)
    await Promise.all(waiting.map((route) => route.continue()))
    await expect(heading(page, "Verify your identity")).toBeVisible()
  })

  test("may fail at first: the page tries again, by itself and when told", async ({ page, api, traffic }) => {
    traffic.forgive(/ERR_FAILED/)
    const { url } = await api.start()
    // The connection is back once the button is pressed: the page's own retries before that fail.
    let pressed = false
    await page.exposeFunction("pressed", () => {
      pressed = true
    })
    await page.route(CALLS, (route) => (pressed ? route.continue() : route.abort()))
    await page.goto(url)
    await expect(heading(page, "This page could not be loaded")).toBeVisible()
    await expectSound(page)
    await page.evaluate(() =>
      document.addEventListener("click", () => (window as unknown as { pressed(): void }).pressed(), true),
    )
    await page.getByRole("button", { name: "Try again" }).click()
    await expect(heading(page, "Verify your identity")).toBeVisible({ timeout: 2000 })
  })

  test("may be lost while a verification is checked, and comes back", async ({ page, api, traffic }) => {
    traffic.forgive(/ERR_FAILED/)
    const { url } = await api.start()
    await page.goto(url)
    await submitForm(page, { outcome: "in_review" })
    await expect(page.getByText("A reviewer is checking it. You can close this page and open")).toBeVisible()
    await page.route(LOOKS, (route) => route.abort())
    await expect(page.getByText("Connection lost, trying again")).toBeVisible()
    await expectSound(page)
    await page.unroute(LOOKS)
    await expect(page.getByText("Connection lost, trying again")).toBeHidden()
  })

  test("is used closely for half a minute, then rarely, and not while nobody looks", async ({
    page,
    api,
    traffic,
  }) => {
    const looks = () => traffic.requests.filter(({ url }) => url.endsWith("verification.view")).length
    const looksWithin = async (time_ms: number) => {
      const before = looks()
      // In steps, because every look waits for a real answer before it sets the next timer.
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
    // From here on its time is that of this test, however long an answer takes.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    expect(await looksWithin(3000)).toBeGreaterThanOrEqual(3)
    await page.clock.fastForward(30_000)
    await expect.poll(() => looksWithin(6000)).toBeLessThanOrEqual(4)
    await setHidden(page, true)
    expect(await looksWithin(6000)).toBe(0)
    const before = looks()
    await setHidden(page, false)
    await expect.poll(() => looks() - before).toBe(1)
  })
})
