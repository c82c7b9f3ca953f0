import { showInstead } from "./hosted-page.ts"
import { expect, expectAccessible, fillInForm, heading, returnToPage, setHidden, submitForm, test } from "./support.ts"

test.describe("from the form to the outcome", { tag: "@phone" }, () => {
  test("an approved wallet is verified, with its transaction", { tag: "@journey" }, async ({ page, context, api }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.addInitScript(countLayoutShifts)
    const { url, wallet } = await api.start()
    await page.goto(url)
    await expect(heading(page, "Verify your identity")).toBeVisible()
    await expect(page).toHaveTitle("Verify your identity · e2e · Vouch")
    await expect(page.getByRole("main")).toContainText("e2e asks you to confirm")
    await expect(page.getByRole("main")).toContainText("Individual identity")
    await expect(page.getByText("This is a sandbox")).toBeVisible()
    await expect(page.getByLabel("Country", { exact: true }).locator("option[value]")).toHaveCount(251)
    await expectAccessible(page)

    await submitForm(page)
    await expect(heading(page, "Your wallet is verified")).toBeFocused()
    await expect(page).toHaveTitle("Your wallet is verified · e2e · Vouch")
    const { status, onchain_tx } = await api.status(wallet)
    expect(status).toBe("verified")
    await page.getByRole("button", { name: "copy transaction signature" }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(onchain_tx)
    await page.getByRole("button", { name: "copy wallet address" }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wallet)
    await expect(page.getByText("Local test network")).toBeVisible()
    await expect(page.locator("time")).toHaveAttribute("title", / UTC$/)
    await expectAccessible(page)
    expect(await page.evaluate(() => (window as unknown as { shift: number }).shift)).toBeLessThan(0.01)
  })

  test("a rejected verification shows the reason and what to do", async ({ page, api }) => {
    const { url, wallet } = await api.start()
    await page.goto(url)
    await submitForm(page, { outcome: "rejected" })
    await expect(heading(page, "Verification rejected")).toBeVisible()
    await expect(page.getByText("Your information could not be verified.")).toBeVisible()
    // Only the customer sees the provider's own words.
    await expect(page.getByText("The sandbox was asked")).toHaveCount(0)
    await expect(page.getByText("Contact e2e if you think this is a mistake")).toBeVisible()
    await expectAccessible(page)
    expect(await api.status(wallet)).toMatchObject({ status: "rejected", onchain_tx: null })
  })

  test("a verification in review says so, also when its page is opened again", async ({ page, api }) => {
    const { url, wallet } = await api.start()
    await page.goto(url)
    await submitForm(page, { outcome: "in_review" })
    // Waits for the text about the review, because an earlier navigation would interrupt the page's own.
    await expect(page.getByText("open the same link later to see the result")).toBeVisible()
    await expectAccessible(page)
    // Between two polls, because a poll in progress would be cancelled and counted as failed.
    const look = await page.waitForResponse("**/verification.view")
    await look.finished()
    await page.reload()
    await expect(heading(page, "Your verification is being checked")).toBeVisible()
    await expect(page.getByRole("button", { name: "Submit verification" })).toHaveCount(0)
    expect(await api.status(wallet)).toMatchObject({ status: "pending" })
  })

  test("a verification that must be submitted again shows the form again and can then pass", async ({
    page,
    api,
    traffic,
  }) => {
    // The page may be polling when it is opened again.
    traffic.allow(/verification\.view: net::ERR_ABORTED/)
    const { url } = await api.start()
    await page.goto(url)
    await fillInForm(page, { outcome: "resubmission_requested" })
    await page.getByRole("checkbox", { name: "Accredited investor" }).uncheck()
    await page.getByRole("button", { name: "Submit verification" }).click()
    await expect(page.getByRole("main").getByText("Your last submission was not enough for a decision.")).toBeVisible()
    await expect(heading(page, "Verify your identity")).toBeFocused()
    await expectAccessible(page)
    // Entered values are still there when the page is opened again. Only the consent must be given again.
    for (const open of [async () => {}, async () => void (await page.reload())]) {
      await open()
      await expect(page.getByLabel("Country", { exact: true })).toHaveValue("DE")
      await expect(page.getByRole("checkbox", { name: "I am over 18" })).toBeChecked()
      await expect(page.getByRole("checkbox", { name: "Accredited investor" })).not.toBeChecked()
      await expect(page.getByRole("checkbox", { name: "I agree", exact: true })).not.toBeChecked()
    }
    await page.getByRole("checkbox", { name: "I agree", exact: true }).check()
    await page.getByRole("button", { name: "Submit verification" }).click()
    await expect(heading(page, "Your wallet is verified")).toBeVisible()
    // The stored values are deleted when the outcome arrives.
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test("an expired session is closed and says where to get a new link", async ({ page, api }) => {
    const { url } = await api.start()
    await page.goto(url)
    await submitForm(page, { outcome: "expired" })
    await expect(heading(page, "This verification has expired")).toBeVisible()
    await expect(page.getByText("Ask e2e for a new link")).toBeVisible()
    await expectAccessible(page)
  })

  test("a revoked verification says so without the team's internal reason", async ({ page, api }) => {
    const { url, wallet } = await api.start()
    await page.goto(url)
    await submitForm(page)
    await expect(heading(page, "Your wallet is verified")).toBeVisible()
    const { attestation_id } = await api.status(wallet)
    await api.revoke(attestation_id, "The wallet was reported as stolen.")
    await returnToPage(page)
    await expect(heading(page, "Verification revoked")).toBeVisible()
    await expect(page.getByText("Your information could not be verified.")).toBeVisible()
    expect(await page.content()).not.toContain("reported as stolen")
    await expectAccessible(page)
  })

  test("an expired verification says so", async ({ page, api }) => {
    const { url } = await api.start()
    await showInstead(page, url, (view) => ({ ...view, state: "expired", was: "verified" }))
    await page.goto(url)
    await expect(heading(page, "Your verification has expired")).toBeVisible()
    await expectAccessible(page)
  })

  for (const path of ["sess_11111111111111111111Ab", "anything", "x".repeat(500)]) {
    test(`/verify/${path.slice(0, 30)} is not found`, async ({ page, traffic }) => {
      traffic.allow(/404/)
      const response = await page.goto(`/verify/${path}`)
      expect(response!.status()).toBe(404)
      await expect(heading(page, "Verification not found")).toBeVisible()
      await expect(page).toHaveTitle("Verification not found · Vouch")
      await expectAccessible(page)
    })
  }
})

test.describe("the form", () => {
  test("can be filled in and sent by keyboard", async ({ page, api }) => {
    const { url } = await api.start()
    await page.goto(url)
    await expect(heading(page, "Verify your identity")).toBeVisible()
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press("Tab")
    await expect(page.getByRole("button", { name: "copy wallet address" })).toBeFocused()
    await press("Tab")
    await page.keyboard.type("Germ")
    await expect(page.getByLabel("Country", { exact: true })).toHaveValue("DE")
    await press("Tab", "Space", "Tab", "Space", "Tab")
    await page.keyboard.type("Rej")
    await expect(page.getByLabel("Outcome", { exact: true })).toHaveValue("rejected")
    await press("Tab", "Space", "Tab")
    await expect(page.getByRole("button", { name: "Submit verification" })).toBeFocused()
    await press("Enter")
    await expect(heading(page, "Verification rejected")).toBeFocused()
  })

  test("shows errors at their fields and focuses the first", async ({ page, api, traffic }) => {
    const { url } = await api.start()
    await page.goto(url)
    const country = page.getByLabel("Country", { exact: true })
    const consent = page.getByRole("checkbox", { name: "I agree", exact: true })
    const submit = page.getByRole("button", { name: "Submit verification" })
    await submit.click()
    await expect(country).toBeFocused()
    await expect(country).toHaveAccessibleDescription("Choose your country.")
    await expect(consent).toHaveAccessibleDescription(/^Agree to continue\./)
    await expectAccessible(page)
    await country.selectOption("FR")
    await expect(country).toHaveAttribute("aria-invalid", "false")
    await submit.click()
    await expect(consent).toBeFocused()
    expect(traffic.requests.filter(({ url }) => url.endsWith("verification.submit"))).toEqual([])
  })

  test("keeps its answers when they cannot be sent, and sends them once", async ({ page, api, traffic }) => {
    traffic.allow(/ERR_FAILED/)
    const { url } = await api.start()
    await page.goto(url)
    await fillInForm(page, { outcome: "rejected" })
    await page.route("**/verification.submit", (route) => route.abort())
    const submit = page.getByRole("button", { name: "Submit verification" })
    await submit.click()
    await expect(page.getByRole("alert").filter({ hasText: "were not sent" })).toBeVisible()
    await expectAccessible(page)
    await expect(page.getByLabel("Country", { exact: true })).toHaveValue("DE")
    await expect(page.getByRole("checkbox", { name: "I agree", exact: true })).toBeChecked()

    let sent = 0
    await page.unroute("**/verification.submit")
    await page.route("**/verification.submit", async (route) => {
      sent++
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    await submit.dblclick()
    await page.keyboard.press("Enter")
    await expect(heading(page, "Verification rejected")).toBeVisible()
    expect(sent).toBe(1)
  })
})

test.describe("another decision while the form is open", () => {
  test("a revocation appears without a reload, and entered values are not sent", async ({ page, api, traffic }) => {
    const { url, wallet } = await api.start()
    await page.goto(url)
    await fillInForm(page)
    const { attestation_id } = await api.status(wallet)
    await api.revoke(attestation_id, "Started by mistake.")
    await expect(heading(page, "Verification cancelled")).toBeFocused()
    await expect(page.getByText("e2e ended this verification before it was decided.")).toBeVisible()
    expect(traffic.requests.filter(({ url }) => url.endsWith("verification.submit"))).toEqual([])
    await expectAccessible(page)
  })

  test("a submission in another tab is followed in the first, from the form to the outcome", async ({
    page,
    context,
    api,
  }) => {
    const { url } = await api.start()
    await page.goto(url)
    await expect(heading(page, "Verify your identity")).toBeVisible()
    const second = await context.newPage()
    // As if both were in front, on two screens.
    await setHidden(page, false)
    await second.goto(url)
    await submitForm(second)
    await expect(heading(page, "Your wallet is verified")).toBeVisible()
    await second.close()
  })

  test("entered values stay while the page polls the session", async ({ page, api }) => {
    const { url } = await api.start()
    await page.goto(url)
    await fillInForm(page)
    for (let looks = 0; looks < 2; looks++) await (await page.waitForResponse("**/verification.view")).finished()
    await expect(page.getByLabel("Country", { exact: true })).toHaveValue("DE")
    await expect(page.getByRole("checkbox", { name: "I agree", exact: true })).toBeChecked()
  })
})

test.describe("the way back", { tag: "@phone" }, () => {
  const asker = "https://shop.example"
  const redirectUrl = `${asker}/welcome?cart=7`
  // The page may be polling at the moment it is left.
  const leftMeanwhile = /verification\.view: net::ERR_ABORTED/

  test.beforeEach(async ({ context }) => {
    await context.route(`${asker}/**`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Shop</title>Welcome" }),
    )
  })

  test("is taken after a few seconds, with the result and without a referrer", async ({ page, api, traffic }) => {
    traffic.allow(leftMeanwhile)
    const { url, wallet, sessionId } = await api.start({ redirectUrl })
    await page.goto(url)
    await submitForm(page)
    await expect(page.getByText("You will return to shop.example in 8 seconds unless you stay.")).toBeAttached()
    await expectAccessible(page)
    await page.waitForURL(`${asker}/**`)
    const { searchParams } = new URL(page.url())
    const { attestation_id } = await api.status(wallet)
    expect(Object.fromEntries(searchParams)).toEqual({ cart: "7", attestation_id, status: "verified" })
    expect(page.url()).not.toContain(sessionId)
    expect(await page.evaluate(() => document.referrer)).toBe("")
    expect(traffic.requests.find(({ url }) => url.startsWith(asker))?.referer).toBeUndefined()
  })

  test("can be declined, and opened by hand", async ({ page, api, traffic }) => {
    traffic.allow(leftMeanwhile)
    const { url } = await api.start({ redirectUrl })
    await page.goto(url)
    await submitForm(page, { outcome: "rejected" })
    await page.clock.install()
    await page.getByRole("button", { name: "Stay here" }).click()
    const link = page.getByRole("link", { name: "Return to shop.example" })
    await expect(link).toBeFocused()
    await page.clock.runFor(30_000)
    await expect(heading(page, "Verification rejected")).toBeVisible()
    await expectAccessible(page)
    await link.click()
    await page.waitForURL(/status=rejected/)
    expect(await page.evaluate(() => document.referrer)).toBe("")
  })
})

test.describe("other pages", () => {
  test("the start page asks for a sign-in and says where investors should go", async ({ page }) => {
    await page.goto("/")
    await page.waitForURL("/sign-in")
    await expect(heading(page, "Sign in")).toBeVisible()
    await expect(page.getByText("Asked to verify a wallet?")).toBeVisible()
    await expectAccessible(page)
  })

  test("an unknown address says so", async ({ page, traffic }) => {
    traffic.allow(/404/)
    const response = await page.goto("/nowhere")
    expect(response?.status()).toBe(404)
    await expect(heading(page, "Page not found")).toBeVisible()
    await expectAccessible(page)
  })
})

/** Adds up the layout shifts that the reader did not cause. Runs in the page. */
function countLayoutShifts() {
  const page = window as unknown as { shift: number }
  page.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & {
      value: number
      hadRecentInput: boolean
    })[]) {
      if (!entry.hadRecentInput) page.shift += entry.value
    }
  }).observe({ type: "layout-shift", buffered: true })
}
