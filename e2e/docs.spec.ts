import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Page } from "@playwright/test"
import { changeAnswer } from "./answers.ts"
import { newWallet } from "./api.ts"
import { section, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"

test.describe("without a sign-in", () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  test("every error has a page, and an unknown code answers 404 and suggests others", async ({ page, traffic }) => {
    await page.goto("/docs/errors")
    await expect(heading(page, "Errors")).toBeVisible()
    const top = page.getByRole("navigation", { name: "Documentation" })
    await expect(top.getByRole("link", { name: "Errors" })).toBeVisible()
    await expect(top.getByRole("link", { name: "Dashboard" })).toHaveCount(0)
    await page.getByRole("link", { name: "wallet_not_verified" }).click()
    await expect(heading(page, "The wallet is not verified")).toBeVisible()
    await expect(page).toHaveTitle("wallet_not_verified · Vouch")
    await expect(page.getByText(/^Start a verification with POST \/kyc\/start/)).toBeVisible()
    await expect(page.getByText("POST /v1/token/mint")).toBeVisible()
    await expect(page.getByText(/"detail": ".* is not verified for kyc_individual_v1/)).toBeVisible()
    await expect(page.getByRole("region", { name: "Response", exact: true })).toContainText("HTTP/1.1 403")
    await expectAccessible(page)
    const endpoints = page.getByRole("region", { name: "Which endpoints return it" })
    await endpoints.getByRole("link", { name: /^POST \/token\/mint/ }).click()
    await expect(heading(page, "Mint tokens")).toBeVisible()
    await page.getByRole("main").getByRole("link", { name: "wallet_not_verified" }).click()
    await expect(heading(page, "The wallet is not verified")).toBeVisible()

    traffic.allow(/404 \(Not Found\)/)
    const unknown = await page.goto("/docs/errors/wallet_not_verifed")
    expect(unknown!.status()).toBe(404)
    await expect(heading(page, "Unknown error code")).toBeVisible()
    await expectAccessible(page)
    await page.getByRole("link", { name: "wallet_not_verified" }).click()
    await expect(heading(page, "The wallet is not verified")).toBeVisible()
  })

  test("a guide leads to the next one, its code can be copied, and an unknown page says so", async ({
    page,
    context,
    traffic,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    await page.goto("/docs")
    await page.getByRole("main").getByRole("link", { name: "Verify a wallet" }).click()
    await expect(heading(page, "Verify a wallet")).toBeVisible()
    await expectAccessible(page)
    const code = page.getByRole("group", { name: "Code: JavaScript" }).first()
    await code.locator("xpath=..").getByRole("button", { name: "Copy the code" }).click()
    await expect(page.getByRole("status").filter({ hasText: "Copied" })).toHaveCount(1)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe((await code.innerText()).trimEnd())

    await page.getByRole("link", { name: "Next Issue a token" }).click()
    await expect(heading(page, "Issue a token")).toBeVisible()
    const contents = page.getByRole("navigation", { name: "Contents" })
    await expect(contents.getByRole("link", { name: "Issue a token" })).toHaveAttribute("aria-current", "page")
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Mint" }).click()
    await expect(page.getByRole("heading", { name: "Mint", exact: true })).toBeInViewport()

    traffic.allow(/404 \(Not Found\)/)
    expect((await page.goto("/docs/guides/nowhere"))!.status()).toBe(404)
    await expect(heading(page, "Page not found")).toBeVisible()
  })

  test("the search finds sections and error codes by keyboard", async ({ page }) => {
    const search = page.getByRole("dialog", { name: "Search the documentation" })
    const box = search.getByRole("combobox")
    await page.goto("/docs/glossary")
    await expect(heading(page, "Glossary")).toBeVisible()
    await expect(async () => {
      await page.keyboard.press("/")
      await expect(box).toBeFocused({ timeout: 1000 })
    }).toPass()
    await box.fill("rotate the secret")
    await expect(search.getByRole("option", { selected: true })).toContainText("Rotate the secret")
    await expectAccessible(page)
    await page.keyboard.press("Enter")
    await expect(page).toHaveURL(/\/docs\/guides\/events#rotate-the-secret$/)
    await expect(page.getByRole("heading", { name: "Rotate the secret" })).toBeInViewport()

    await expect(async () => {
      await page.keyboard.press("Control+k")
      await expect(box).toBeFocused({ timeout: 1000 })
    }).toPass()
    await box.fill("wallet_not_ver")
    await expect(search.getByRole("option", { selected: true })).toContainText("wallet_not_verified")
    await box.fill("zzzzzz")
    await expect(search.getByText("Nothing found.")).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(search).toHaveCount(0)
  })

  test.describe("without scripts", () => {
    test.use({ javaScriptEnabled: false })
    test("a document is complete, and its contents also work on a phone", async ({ page, traffic }) => {
      // The page requests icons, which are refused like scripts.
      traffic.allow(/.*/)
      await page.setViewportSize({ width: 375, height: 800 })
      await page.goto("/docs/guides/verify")
      await expect(heading(page, "Verify a wallet")).toBeVisible()
      await page.getByRole("link", { name: "Contents" }).click()
      const contents = page.getByRole("navigation", { name: "Contents" })
      await expect(contents.getByText("Guides", { exact: true })).toBeInViewport()
      await contents.getByRole("link", { name: "Errors" }).click()
      await expect(heading(page, "Errors")).toBeVisible()
      // No control is shown that would not work.
      await expect(page.getByRole("button")).toHaveCount(0)
      await page.goto("/docs/api/getSession")
      await expect(page.getByText("/session/{id}").first()).toBeVisible()
      await expect(page.getByRole("button")).toHaveCount(0)
    })
  })

  test("/docs links to everything, with requests that work once the key is filled in", async ({ page, customer }) => {
    await page.goto("/docs")
    await expect(heading(page, "Documentation")).toBeVisible()
    const text = async (name: string) => (await page.getByRole("region", { name }).last().textContent())!
    // The browser fills in the server's address once the page's script runs.
    await expect(page.getByRole("region", { name: "Your key and this server" }).last()).toContainText(
      `VOUCH=http://localhost:${process.env.PORT}/v1`,
    )
    const where = (await text("Your key and this server")).replace("vouch_test_…", customer.apiKey)
    const run = async (line: string) =>
      JSON.parse((await promisify(execFile)("sh", ["-c", `${where}\n${line}`])).stdout)
    expect(await run(await text("Start a verification (curl)"))).toHaveProperty("session_url")
    expect(await run(await text("Get the wallet's status (curl)"))).toHaveProperty("status")
    // Pasting it twice returns the first response again, because nothing in it changes per run.
    const mint = await text("Mint to the wallet (curl)")
    expect(mint).not.toMatch(/\$\(|`/)
    const answer = await run(mint)
    expect(answer).toHaveProperty("request_id")
    expect(await run(mint)).toEqual(answer)
    await page.getByRole("main").getByRole("link", { name: "Errors Every error" }).click()
    await expect(heading(page, "Errors")).toBeVisible()
    await page.getByRole("link", { name: "Docs", exact: true }).click()
    await expect(heading(page, "Documentation")).toBeVisible()
  })

  test("the API reference sends a request to this server, with a key that is not stored", {
    tag: "@phone",
  }, async ({ page, traffic, customer }) => {
    await page.goto("/docs/api")
    await expect(heading(page, "API reference")).toBeVisible()
    await page.getByRole("main").getByRole("link", { name: "GET /usage Get quota usage" }).click()
    await expect(heading(page, "Get quota usage")).toBeVisible()
    const part = page.getByRole("main")
    await openTry(page)
    await part.getByLabel("API key").fill(customer.apiKey)
    const answered = page.waitForResponse(/\/v1\/usage$/)
    await part.getByRole("button", { name: "Send GET" }).click()
    expect(await (await answered).json()).toMatchObject({ plan: "growth", used: expect.any(Number) })
    await expect(part.getByRole("status")).toContainText(/200 in \d+ ms, request req_/)
    await expect(part.getByRole("region", { name: "Answer of GET /usage" })).toContainText('"plan": "growth"')
    await expectAccessible(page)

    const strangers = traffic.requests.filter(({ url }) => /^https?:/.test(url) && !isOurs(url))
    expect(strangers, "requests to anybody but this server").toEqual([])
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
    expect(kept, "what the page keeps").not.toContain(customer.apiKey)
    expect(traffic.requests.filter(({ url }) => url.includes(customer.apiKey))).toEqual([])
    await page.reload()
    await openTry(page)
    await expect(part.getByLabel("API key")).toHaveValue("")
  })

  test("an edited write is sent, its refusal is shown, and a live key asks for confirmation", async ({
    page,
    traffic,
    customer,
  }) => {
    traffic.allow(/403 \(Forbidden\)/)
    await page.goto("/docs/api/mintTokens")
    const part = page.getByRole("main")
    await openTry(page)
    await part.getByLabel("API key").fill(customer.apiKey)
    const body = part.getByLabel("Body")
    await body.fill("{")
    await part.getByRole("button", { name: "Send POST" }).click()
    await expect(part.getByRole("status")).toContainText("The body is not valid JSON")
    const user_pubkey = newWallet()
    await body.fill(JSON.stringify({ user_pubkey, mint_config: "us_real_estate_fund_v1", amount: "1" }))
    const sent = page.waitForRequest(/\/v1\/token\/mint$/)
    await part.getByRole("button", { name: "Send POST" }).click()
    expect((await sent).headers()["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
    await expect(part.getByRole("region", { name: "Answer of POST" })).toContainText("wallet_not_verified")

    await part.getByLabel("API key").fill(customer.apiKey.replace("vouch_test_", "vouch_live_"))
    const count = traffic.requests.length
    await part.getByRole("button", { name: "Send POST" }).click()
    await expect(part.getByRole("status")).toContainText("Confirm that you want to send this POST")
    expect(traffic.requests).toHaveLength(count)
  })

  test("on a wide screen the sample stays next to the fields, and names the shell's variables", async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.goto("/docs/api/createMintConfig")
    const sample = page.getByRole("group", { name: /^Code: Shell/ }).first()
    const field = page.getByText("transfer_mode", { exact: true }).last()
    await field.scrollIntoViewIfNeeded()
    await expect(sample).toBeInViewport()
    const [left, right] = [(await field.boundingBox())!, (await sample.boundingBox())!]
    expect(right.x).toBeGreaterThan(left.x + left.width)
    await page.getByText("Set KEY and VOUCH first").click()
    await expect(page.getByRole("region", { name: "Your key and this server" })).toHaveText(
      `KEY=vouch_test_…\nVOUCH=http://localhost:${process.env.PORT}/v1`,
    )
    await expectAccessible(page)
  })

  test("samples are shown in the chosen language, also on the next page", async ({ page }) => {
    await page.goto("/docs/api/mintTokens")
    const shown = page.getByRole("group", { name: /^Code: (Shell|TypeScript|Python)/ })
    await expect(shown).toContainText("curl -s")
    const python = page.getByRole("radio", { name: "Python" })
    // The choice works only once its script runs.
    await expect(async () => {
      await python.check({ force: true })
      await expect(shown).toContainText("mint_tokens.sync", { timeout: 500 })
    }).toPass()
    await page.getByRole("link", { name: "Next Transfer tokens" }).click()
    await expect(shown).toContainText("transfer_tokens.sync")
    await expectAccessible(page)
  })
})

/** Opens the form that sends a request. The button works only once the page's script runs. */
async function openTry(page: Page) {
  const open = page.getByRole("button", { name: /^Try it: / })
  await expect(async () => {
    if (await open.isVisible()) await open.click({ timeout: 1000 })
    await expect(open).toBeHidden({ timeout: 500 })
  }).toPass()
  await expect(page.getByLabel("API key")).toBeVisible()
}

const isOurs = (url: string) => new URL(url).host === `localhost:${process.env.PORT}`

test("the quick start contains the start of the reader's key and works once the rest is filled in", async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "developers"))
  await expect(heading(page, "Developers")).toBeVisible()
  const line = page.getByRole("region", { name: "Start a verification (curl)" })
  await expect(line).toContainText(`http://localhost:${process.env.PORT}/v1/kyc/start`)
  await expectAccessible(page)
  const shown = (await line.textContent())!
  const start = /Bearer (\S+)…/.exec(shown)![1]!
  expect(customer.apiKey.startsWith(start)).toBe(true)
  expect(shown).not.toContain(customer.apiKey)

  // Pasting a line twice must have no second effect.
  for (const step of ["Start a verification", "Mint to the wallet"]) {
    const sample = page.getByRole("region", { name: `${step} (curl)` })
    await expect(sample).toContainText(/"Idempotency-Key: (start|mint)-[a-z0-9]{6}"/)
    await expect(sample).not.toContainText("$(")
  }
  await expect(page.getByRole("region", { name: "Send a test webhook" })).toContainText("secrets.json")

  const command = shown.replace(`${start}…`, customer.apiKey)
  const { stdout } = await promisify(execFile)("sh", ["-c", command])
  const { session_url } = JSON.parse(stdout)
  await page.goto(session_url)
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()

  await page.goto(section(customer, "developers"))
  for (const [language, word] of [
    ["Node", "await fetch("],
    ["Python", "requests.post("],
  ] as const) {
    await page.getByRole("tab", { name: language }).click()
    const sample = page.getByRole("region", { name: `Start a verification (${language})` })
    await expect(sample).toContainText(word)
    await expect(sample).toContainText(/"Idempotency-Key": "start-[a-z0-9]{6}"/)
    await expectAccessible(page)
  }
  // The choice holds for the reference, and for the next visit.
  await page.goto("/docs/api/mintTokens")
  await expect(page.getByRole("radio", { name: "Python" })).toBeChecked()
  await page.goto(section(customer, "developers"))
  await expect(page.getByRole("tab", { name: "Python" })).toHaveAttribute("aria-selected", "true")
})

test("the quick start chooses a key that can send its requests, and names the scopes that another one lacks", {
  tag: "@phone",
}, async ({ page, customer }) => {
  await changeAnswer(page, "key.list", (list) => {
    const reads = { key_id: "key_reporting", name: "Reporting", scopes: ["kyc:read", "token:read"] }
    list.data.unshift({ ...list.data[0], ...reads, status: "active" })
  })
  await page.goto(section(customer, "developers"))
  const key = page.getByLabel("Key", { exact: true })
  await expect(key).not.toHaveValue("key_reporting")
  await expect(page.getByText(/^This key lacks/)).toHaveCount(0)
  await key.selectOption("Reporting")
  await expect(page.getByText("This key lacks kyc:write and token:mint.")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Create key" }).click()
  await expect(page.getByRole("dialog", { name: /key/ })).toBeVisible()
})

test("without a key the quick start says to create one", async ({ page, customer }) => {
  await page.goto(`/${customer.workspaces.live}/developers`)
  await expect(page.getByText("Create an API key first")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("main").getByRole("link", { name: "API keys" }).click()
  await expect(heading(page, "API keys")).toBeVisible()
})

test("a signed-in reader of the documentation has a link to the dashboard", { tag: "@phone" }, async ({ page }) => {
  await page.goto("/docs/guides/verify")
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Dashboard" }).click()
  await expect(heading(page, "Overview")).toBeVisible()
})
