import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { type Api, apiOf, newWallet } from "./api.ts"
import { PASSWORD } from "./dashboard.ts"
import { type OwnServer, startOwnServer } from "./own-server.ts"
import { expect, expectAccessible, heading, test } from "./support.ts"

// From a list's file to a member's decision. On a separate server, because a list applies to all workspaces.
const FUND = "us_real_estate_fund_v1"
const folder = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-list-`))
const path = join(folder, "ofac-solana.txt")
const stranger = newWallet()
let server: OwnServer
let ours: Api

/** Replaces the list like an operator: writes another file and moves it into place. */
function list(...wallets: string[]) {
  writeFileSync(`${path}.new`, `${[stranger, ...wallets].join("\n")}\n`)
  renameSync(`${path}.new`, path)
}

test.beforeAll(async () => {
  list()
  server = await startOwnServer({ settings: { VOUCH_SANCTIONS_LIST: path } })
  ours = apiOf(/Test key {4}(\S+)/.exec(server.printed())![1]!, server.origin)
})
test.afterAll(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Signs up as the first owner and returns the address of the workspace. */
async function comeIn(page: Page): Promise<string> {
  await page.goto(/\S+\/setup\?token=\S+/.exec(server.printed())![0])
  await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace")
  await page.getByLabel("Email", { exact: true }).fill("ada@example.com")
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
  await page.getByRole("button", { name: "Create account" }).click()
  await expect(heading(page, "Overview")).toBeVisible()
  return page.url().replace(/\/overview$/, "")
}

async function holder(): Promise<string> {
  const { wallet } = await ours.verifiedWallet()
  await ours.call("POST", "/token/mint", { user_pubkey: wallet, mint_config: FUND, amount: "100" })
  return wallet
}

/** The result of a mint to a wallet: its status, or the error code. */
async function mint(wallet: string): Promise<string> {
  const asked = { user_pubkey: wallet, mint_config: FUND, amount: "1" }
  const { status, json } = await ours.send("POST", "/token/mint", asked)
  return status === 200 ? json.status : json.error
}

test("when holders get on a list, reviews open automatically and decisions take effect", async ({ page, traffic }) => {
  // Leaving a page cancels its event stream.
  traffic.allow(/net::ERR_ABORTED/)
  const [harmless, sanctioned, delisted] = [await holder(), await holder(), await holder()]
  const workspace = await comeIn(page)
  const rowOf = (wallet: string) => page.getByRole("row").filter({ hasText: wallet })
  const history = page.getByRole("region", { name: "History" })
  const outcome = page.getByRole("region", { name: "Outcome" })

  await page.goto(`${workspace}/reviews`)
  await expect(page.getByText("Nothing to review")).toBeVisible()
  await expectAccessible(page)
  list(harmless, sanctioned, delisted)
  for (const wallet of [harmless, sanctioned, delisted]) {
    await expect(rowOf(wallet)).toContainText("The wallet was found on a list")
    expect(await mint(wallet)).toBe("wallet_sanctioned")
  }
  await expect(page.getByRole("link", { name: "Reviews 3 waiting" })).toBeVisible()
  await expectAccessible(page)

  await test.step("a false match is cleared, and the wallet can be used again", async () => {
    await rowOf(harmless).getByRole("link").press("Enter")
    await expect(heading(page, /^The wallet was found on a list/)).toBeVisible()
    await expect(history).toContainText("ofac-solana.txt: 4 addresses")
    await expectAccessible(page)
    await page.getByRole("region", { name: "Person" }).getByRole("link").first().press("Enter")
    const waiting = page.getByRole("region", { name: "1 review needs a decision" })
    await expect(waiting).toContainText(harmless)
    await expectAccessible(page)
    await waiting.getByRole("link", { name: "Wallet list match" }).press("Enter")
    await page.getByRole("button", { name: "Clear" }).click()
    await page.getByLabel("Internal reason").fill("Another person of the same exchange")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Confirm clearing" }).click()
    await expect(outcome).toContainText("Cleared")
    await expect(outcome).toContainText("Another person of the same exchange")
    await expectAccessible(page)
    expect(await mint(harmless)).toBe("confirmed")
    expect((await ours.status(harmless)).status).toBe("verified")
  })

  await test.step("a true match is revoked: its verification ends, and the wallet stays refused", async () => {
    await page.goto(`${workspace}/reviews`)
    await expect(rowOf(harmless)).toHaveCount(0)
    await rowOf(sanctioned).getByRole("link").click()
    await page.getByRole("button", { name: "Revoke" }).click()
    await page.getByLabel("Internal reason").fill("The same person")
    await page.getByLabel("Reason shown to the investor").selectOption("not_eligible")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Confirm revocation" }).click()
    await expect(outcome).toContainText("Revoked")
    await expect(outcome).toContainText("Requirements not met")
    await expectAccessible(page)
    await expect.poll(async () => (await ours.status(sanctioned)).status).toBe("rejected")
    expect(await mint(sanctioned)).toBe("wallet_sanctioned")
  })

  await test.step("a wallet that leaves the list leaves nothing to decide, and its page says so without a reload", async () => {
    await page.goto(`${workspace}/reviews`)
    await rowOf(delisted).getByRole("link").click()
    await expect(page.getByRole("button", { name: "Clear" })).toBeVisible()
    list(harmless, sanctioned)
    await expect(outcome).toContainText("the wallet left the list")
    await expect(page.getByRole("button", { name: "Clear" })).toHaveCount(0)
    await expectAccessible(page)
    expect(await mint(delisted)).toBe("confirmed")
  })

  await page.goto(`${workspace}/reviews?state=closed`)
  for (const [wallet, word] of [
    [harmless, "Cleared"],
    [sanctioned, "Revoked"],
    [delisted, "Closed"],
  ] as const)
    await expect(rowOf(wallet)).toContainText(word)
  await expectAccessible(page)
  await page.goto("about:blank")
})
