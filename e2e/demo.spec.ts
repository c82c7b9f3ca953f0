import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Locator } from "@playwright/test"
import { walletOf } from "../demo/company.ts"
import { freePorts } from "../test/fixtures/free-ports.ts"
import { takePicture } from "./pictures.ts"
import { expect, heading, test } from "./support.ts"

test("the demo has something to see on every page of the walk", async ({ page, traffic }) => {
  test.setTimeout(300_000)
  traffic.allow(/net::ERR_ABORTED/)
  const demo = await startDemo()
  try {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(demo.signIn)
    await page.getByLabel("Email").fill(demo.owner)
    await page.getByLabel("Password", { exact: true }).fill(demo.password)
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await expect(heading(page, "Overview")).toBeVisible()
    const workspace = page.url().replace(/overview.*/, "")
    const show = async (name: string, path: string, ...seen: Locator[]) => {
      await page.goto(workspace + path)
      await rest(name, ...seen)
    }
    const rest = async (name: string, ...seen: Locator[]) => {
      for (const one of seen) await expect(one).toBeVisible()
      await expect(page.locator("[aria-busy=true], [data-slot=skeleton]")).toHaveCount(0)
      await takePicture(page, `walk-${name}`, { fullPage: false })
    }
    const main = page.getByRole("main")
    const row = (text: string | RegExp) => main.getByRole("row").filter({ hasText: text }).first()

    await show("overview", "overview", main.getByRole("link", { name: "6 reviews to decide" }))
    await show("reviews", "reviews", row("PEP screening: 1 possible match"), row("grace-kim-1085"))
    await row("PEP screening").getByRole("link").first().click()
    await rest("review", heading(page, /PEP screening: 1 possible match/))
    await show("investors", "investors", row("nina-schmidt-1091"))
    await page.goto(`${workspace}investors?wallet=${walletOf("oskar-lindqvist-1014")}`)
    await row("oskar-lindqvist-1014").getByRole("link").first().click()
    await expect(heading(page, /oskar-lindqvist-1014/)).toBeVisible()
    const warning = main.getByText(/Verifications of this person contradict each other/)
    await main.getByRole("button", { name: "Show claims" }).click()
    await expect(main.getByText("(differs)").first()).toBeVisible()
    await warning.scrollIntoViewIfNeeded()
    await rest("investor", warning)
    const fund = "tokens/harbour_income_fund"
    await show("register", `${fund}?tab=register`, row("family-office-2"))
    await show("webhooks", "webhooks", row("Failing"))
    await show("logs", "logs", row("country_not_allowed"))
    await row("country_not_allowed").getByRole("link").first().click()
    await page.waitForURL(/\/logs\/req_/)
    await rest("request", main.getByText("country_not_allowed").first())
    await show("approvals", "approvals", row(/180,000/))
    await show("audit", "audit", row(/Olivia Owner/))
  } finally {
    await demo.stop()
  }
})

async function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), `vouch-test-${process.pid}-demo-`))
  const port = await freePorts(1)
  const env = { ...process.env, PORT: String(port), VOUCH_LOCALNET_PORT: String(await freePorts(2)) }
  const args = ["demo/main.ts", "--data", join(folder, "data")]
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await expect.poll(() => printed, { timeout: 240_000 }).toContain("Ctrl-C stops it.")
  } catch (error) {
    await stop()
    throw error
  }
  const [, signIn] = / is ready: (\S+)/.exec(printed)!
  const [, owner] = /(\S+@\S+) +owner/.exec(printed)!
  const [, password] = /Password {2}(\S+)/.exec(printed)!
  return { signIn: signIn!, owner: owner!, password: password!, stop }
}
