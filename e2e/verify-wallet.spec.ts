import type { Page } from "@playwright/test"
import { PublicKey } from "@solana/web3.js"
import { qrCode } from "../server/lib/qr-code.ts"
import { newSigningWallet, type SigningWallet } from "../test/fixtures/wallet.ts"
import { startVendor, type Vendor } from "../test/vendor/server.ts"
import { type Api, apiOf } from "./api.ts"
import { hardwareWallets } from "./hardware-wallets.ts"
import { type OwnServer, startOwnServer } from "./own-server.ts"
import { expect, expectAccessible, heading, test } from "./support.ts"
import { createKey } from "./vouch.ts"
import { installWallet } from "./wallet.ts"

// The hosted page with a wallet proof: live mode, with a provider that verifies people.
let vendor: Vendor
let server: OwnServer
let api: Api

test.beforeAll(async () => {
  vendor = await startVendor()
  server = await startOwnServer({
    entry: "test/vendor/main.ts",
    settings: { ...vendor.settings, VOUCH_LIVE_PROVIDER: "exampleid" },
  })
  vendor.reportTo(`${server.origin}/v1/kyc/webhook/exampleid`)
  // The command line cannot use the provider's double.
  const env = { ...server.env, VOUCH_LIVE_PROVIDER: "" }
  api = apiOf(await createKey("e2e", env, "live"), server.origin)
})
test.afterAll(async () => {
  await server?.stop()
  await vendor?.stop()
})

const STEP = "Prove that this wallet is yours"
const signWith = (page: Page, name: string) => page.getByRole("button", { name: `Sign with ${name}`, exact: true })
const alert = (page: Page) => page.getByRole("alert")
const goOn = (page: Page) => page.getByRole("button", { name: "Continue to Example ID" })

async function open(page: Page, wallet: SigningWallet = newSigningWallet()) {
  const session = await api.start({}, wallet.address)
  await page.goto(session.url)
  await expect(heading(page, "Verify your identity")).toBeVisible()
  return { ...session, wallet }
}

async function agree(page: Page) {
  await page.getByRole("checkbox", { name: "I agree", exact: true }).check()
  await page.getByRole("button", { name: "Continue", exact: true }).click()
  await expect(heading(page, STEP)).toBeVisible()
}

test("an investor consents and signs by keyboard, goes to the provider, and reads the result", {
  tag: "@journey",
}, async ({ page }) => {
  const wallet = newSigningWallet()
  await installWallet(page, {
    name: "Test Wallet",
    accounts: [wallet],
    can: ["solana:signIn", "solana:signMessage"],
  })
  const { sessionId } = await open(page, wallet)
  const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem")
  await expect(steps).toHaveText([/Confirm/, /Wallet/, /Check/, /Result/])
  await expect(steps.nth(0)).toHaveAttribute("aria-current", "step")
  await expect(goOn(page)).toHaveCount(0)
  await expectAccessible(page)

  const consent = page.getByRole("checkbox", { name: "I agree", exact: true })
  await page.getByRole("button", { name: "Continue", exact: true }).focus()
  await page.keyboard.press("Enter")
  await expect(consent).toBeFocused()
  await page.keyboard.press("Space")
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await expect(heading(page, STEP)).toBeFocused()
  await expect(steps.nth(1)).toHaveAttribute("aria-current", "step")
  await expect(page.getByText(wallet.address)).toBeVisible()
  await expect(signWith(page, "Test Wallet")).toBeVisible()
  await expectAccessible(page)
  expect(vendor.opened(sessionId)).toHaveLength(0)

  await page.keyboard.press("Tab")
  await expect(signWith(page, "Test Wallet")).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(goOn(page)).toBeVisible()
  await expect(steps.nth(2)).toHaveAttribute("aria-current", "step")
  await expect(heading(page, "Verify your identity")).toBeFocused()
  await expect(consent).toHaveCount(0)
  await expectAccessible(page)

  await goOn(page).click()
  await page.getByRole("button", { name: "Pass" }).click()
  await expect(heading(page, "Your wallet is verified")).toBeVisible()
  expect(await api.status(wallet.address)).toMatchObject({ status: "verified" })
})

test("an investor chooses among several wallets, and one that only signs messages is enough", async ({
  page,
  traffic,
}) => {
  traffic.allow(/status of 422/)
  const wallet = newSigningWallet()
  const other = newSigningWallet()
  await installWallet(page, { name: "Other Account", accounts: [other], can: ["solana:signMessage"] })
  await installWallet(page, { name: "Plain Wallet", accounts: [other, wallet], can: ["solana:signMessage"] })
  await installWallet(page, {
    name: "Wrong Key",
    accounts: [other],
    can: ["solana:signIn"],
    isHidden: true,
  })
  await open(page, wallet)
  await agree(page)
  await expect(page.getByRole("main").getByRole("button")).toHaveText([
    "Sign with Other Account",
    "Sign with Plain Wallet",
    "Sign with Wrong Key",
  ])
  await signWith(page, "Other Account").click()
  await expect(alert(page)).toHaveText(/^Other Account has a different account open\./)
  await signWith(page, "Wrong Key").click()
  await expect(alert(page)).toHaveText(/^The signature is not from the account above\./)
  await expectAccessible(page)
  await signWith(page, "Plain Wallet").click()
  await expect(goOn(page)).toBeVisible()
})

test("an investor who declines can try again, and a message changed by the wallet is refused with a reason", async ({
  page,
  traffic,
}) => {
  traffic.allow(/status of 422/)
  const wallet = newSigningWallet()
  const answers: ((text: string) => string | null)[] = [
    () => null,
    (text) => text.replace(/^\S+/, "evil.example"),
    (text) => `${text}\nAnd more.`,
    (text) => text,
  ]
  const asked = (text: string) => answers.shift()!(text)
  await installWallet(page, {
    name: "Test Wallet",
    accounts: [wallet],
    can: ["solana:signIn", "solana:signMessage"],
    asked,
  })
  await open(page, wallet)
  await agree(page)
  for (const words of [
    /^Test Wallet did not sign\./,
    /^The wallet signed for a different site\./,
    /^The wallet changed the message/,
  ]) {
    await signWith(page, "Test Wallet").click()
    await expect(alert(page)).toHaveText(words)
  }
  // The consent is kept, so a reload shows the same step.
  await page.reload()
  await expect(heading(page, STEP)).toBeVisible()
  await signWith(page, "Test Wallet").click()
  await expect(goOn(page)).toBeVisible()
})

test("a wallet that never answers blocks neither other wallets nor its own next request", async ({ page }) => {
  const wallet = newSigningWallet()
  const asked: ((text: string | null) => void)[] = []
  await installWallet(page, {
    name: "Silent Wallet",
    accounts: [wallet],
    can: ["solana:signMessage"],
    asked: () => new Promise((answer) => void asked.push(answer)),
  })
  await installWallet(page, { name: "Test Wallet", accounts: [wallet], can: ["solana:signMessage"] })
  await open(page, wallet)
  await agree(page)
  for (const times of [1, 2]) {
    await signWith(page, "Silent Wallet").click()
    await expect.poll(() => asked.length).toBe(times)
    await expect(page.getByText("Approve the request in Silent Wallet.")).toBeVisible()
  }
  // The wallet's answer to the first request comes too late.
  asked[0]!(null)
  await expect(alert(page)).toHaveText("")
  await signWith(page, "Test Wallet").click()
  await expect(goOn(page)).toBeVisible()
})

test.describe("a hardware wallet", () => {
  for (const [name, wallet, outcome] of hardwareWallets)
    test(`through ${name}: it signs ${outcome}`, async ({ page }) => {
      const account = newSigningWallet()
      await installWallet(page, { name, accounts: [account], ...wallet })
      await open(page, account)
      await agree(page)
      await signWith(page, name).click()
      if (outcome === "in another way") {
        // The investor may have declined. They can repeat the request or sign in another way.
        await expect(alert(page)).toHaveText(new RegExp(`^${name} did not sign\\.`))
        await expect(signWith(page, name)).toBeVisible()
        const other = page.getByRole("button", { name: `Sign in another way with ${name}` })
        await expect(other).toBeFocused()
        await page.keyboard.press("Enter")
        await expect(alert(page)).toHaveText(new RegExp(`^${name} did not sign\\.`))
      }
      if (outcome !== "at once") {
        const unsent = page.getByRole("button", { name: `Sign with ${name} without sending` })
        await expect(unsent).toBeFocused()
        await expect(page.getByText("It is never sent, so it costs nothing")).toBeVisible()
        await expectAccessible(page)
        await page.keyboard.press("Enter")
      }
      await expect(goOn(page)).toBeVisible()
    })
})

test("a smart wallet's members send a memo on chain, and the page checks the transaction", async ({
  page,
  traffic,
}) => {
  traffic.allow(/status of 422/)
  const [vault] = PublicKey.findProgramAddressSync([newSigningWallet().publicKey], PublicKey.default)
  const session = await api.start({}, vault.toBase58())
  await page.goto(session.url)
  await agree(page)
  await expect(page.getByText(/^Proof of this wallet for localhost:\d+: \w{20,22}$/)).toBeVisible()
  await expectAccessible(page)
  const field = page.getByRole("textbox", { name: "Signature of the executed transaction" })
  const check = page.getByRole("button", { name: "Check transaction" })
  await check.click()
  await expect(page.getByText("Enter the transaction signature")).toBeVisible()
  await expect(field).toBeFocused()
  await field.fill("5".repeat(88))
  await check.click()
  await expect(page.getByRole("alert").filter({ hasText: "The transaction was not found" })).toBeVisible()
  await expectAccessible(page)
})

test("without a wallet the page says what to do, and accepts one that appears later", async ({ page }) => {
  const wallet = newSigningWallet()
  const announce = await installWallet(page, {
    name: "Late",
    accounts: [wallet],
    can: ["solana:signIn", "solana:signMessage"],
    isLate: true,
  })
  const { url } = await open(page, wallet)
  await page.goto(`${url}?lang=en`)
  await agree(page)
  await expect(page.getByText("This browser has no Solana wallet. Install")).toBeVisible()
  // The address for the phone does not contain this browser's language.
  const code = page.getByRole("img", { name: "QR code with the address of this page" })
  await expect(code).toBeVisible()
  const drawn = await code.locator("path").getAttribute("d")
  expect(qrCode(url, "").text).toContain(`<path d="${drawn}"/>`)
  await expect(page.getByRole("main").getByRole("button")).toHaveCount(0)
  await expectAccessible(page)
  await announce()
  await expect(code).toHaveCount(0)
  await signWith(page, "Late").click()
  await expect(goOn(page)).toBeVisible()
})

test.describe("on a phone", () => {
  test.use({
    viewport: { width: 375, height: 812 },
    userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15",
  })
  test("without a wallet, links open this page in the browser of a wallet's app", async ({ page }) => {
    const { url } = await open(page)
    await agree(page)
    await expect(page.getByRole("img", { name: "QR code" })).toHaveCount(0)
    const links = page.getByRole("main").getByRole("link")
    await expect(links).toHaveText(["Open in Phantom", "Open in Solflare", "Open in Backpack"])
    for (const link of await links.all()) {
      const { pathname, searchParams } = new URL((await link.getAttribute("href"))!)
      expect(decodeURIComponent(pathname.split("/browse/")[1]!)).toBe(url)
      expect(searchParams.get("ref")).toBe(server.origin)
    }
    await expectAccessible(page)
  })
})
