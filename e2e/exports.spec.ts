import { readFile } from "node:fs/promises"
import type { Page } from "@playwright/test"
import { expect, expectAccessible, heading, section, test } from "./dashboard.ts"

type Coming = { push: (text: string) => void; end: () => void; cut: () => void; isStopped: boolean }

/** Provides the bytes of exports in place of the network, so that a test controls their speed. */
const slowExports = (page: Page) =>
  page.addInitScript(() => {
    const real = window.fetch
    window.fetch = (input, init) => {
      if (typeof input !== "string" || !input.startsWith("/api/export/")) return real(input, init)
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          const coming: Coming = {
            push: (text) => stream.enqueue(new TextEncoder().encode(text)),
            end: () => stream.close(),
            cut: () => stream.error(new TypeError("network error")),
            isStopped: false,
          }
          init!.signal!.addEventListener("abort", () => {
            coming.isStopped = true
            stream.error(init!.signal!.reason)
          })
          Object.assign(window, { coming })
        },
      })
      const headers = {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="attestations-2026-01-02.csv"',
        ...(input.includes("q=known") && { "vouch-rows": "4000" }),
      }
      return Promise.resolve(new Response(body, { headers }))
    }
  })

const rows = (count: number) => `${"att_1,verified\r\n".repeat(count)}`
type Here = { coming?: Coming | undefined }
const push = (page: Page, text: string) => page.evaluate((text) => (window as Here).coming!.push(text), text)
const tell = (page: Page, what: "end" | "cut") => page.evaluate((what) => (window as Here).coming![what](), what)

/** Starts an export, and waits for its request. */
async function begin(page: Page): Promise<void> {
  await page.evaluate(() => {
    ;(window as Here).coming = undefined
  })
  await page.getByRole("link", { name: "Export CSV" }).click()
  await page.waitForFunction(() => (window as Here).coming !== undefined)
}

test("an export shows its progress, continues on another page, and is saved complete", async ({ page, customer }) => {
  await slowExports(page)
  await page.goto(section(customer, "attestations?q=known"))
  await begin(page)
  const panel = page.getByRole("region", { name: "Exports" })
  await expect(panel.getByText("Exporting attestations", { exact: true })).toBeVisible()
  await push(page, `attestation_id,status\r\n${rows(999)}`)
  // The progress is updated with the next bytes.
  await expect(async () => {
    await push(page, rows(1))
    await expect(panel.getByText(/^1,0\d\d rows of 4,000$/)).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(panel.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "25")
  await expectAccessible(page)
  // More rows were added since they were counted.
  await expect(async () => {
    await push(page, rows(1500))
    await expect(panel.getByText(/rows so far$/)).toBeVisible({ timeout: 500 })
  }).toPass()
  await page.getByRole("link", { name: "Sessions" }).first().click()
  await expect(heading(page, "Sessions")).toBeVisible()
  await expect(panel.getByText("Exporting attestations", { exact: true })).toBeVisible()
  const downloading = page.waitForEvent("download")
  await tell(page, "end")
  const download = await downloading
  expect(download.suggestedFilename()).toBe("attestations-2026-01-02.csv")
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n")
  await expect(page.getByText(`Exported ${(lines.length - 1).toLocaleString("en-GB")} rows`)).toBeVisible()
  await expect(panel).toHaveCount(0)
})

test("a stopped or broken export saves no file and says so", async ({ page, customer }) => {
  await slowExports(page)
  const saved: string[] = []
  page.on("download", (download) => saved.push(download.suggestedFilename()))
  await page.goto(section(customer, "attestations"))
  const panel = page.getByRole("region", { name: "Exports" })
  await begin(page)
  await push(page, `attestation_id,status\r\n${rows(10)}`)
  await expect(panel.getByText(/so far/)).toBeVisible()
  await expectAccessible(page)
  const stop = panel.getByRole("button", { name: "Stop exporting attestations" })
  await stop.focus()
  await page.keyboard.press("Enter")
  await expect(page.getByText("Export stopped. Nothing was saved.")).toBeVisible()
  await expect(panel).toHaveCount(0)
  expect(await page.evaluate(() => (window as Here).coming!.isStopped)).toBe(true)

  await begin(page)
  await push(page, `attestation_id,status\r\n${rows(10)}`)
  await tell(page, "cut")
  await expect(page.getByText("No answer arrived from the server.")).toBeVisible()
  await expect(panel).toHaveCount(0)
  expect(saved).toEqual([])
})

test("a refusal by the server is shown on the page", async ({ page, customer, traffic }) => {
  traffic.allow(/status of 422/)
  await page.goto(section(customer, "attestations?schema=mistyped"))
  await page.getByRole("link", { name: "Export CSV" }).click()
  await expect(page.getByText(/schema.*mistyped|mistyped.*schema/i).last()).toBeVisible()
})

test("every list of the dashboard can be exported with its filters", async ({ page, customer }) => {
  const externalId = `export-${Date.now()}`
  await customer.api.start({ externalId })
  await customer.api.start()
  const pages = ["attestations", "audit", "sessions", "investors", "reviews", "approvals", "events", "logs", "keys"]
  for (const list of [...pages, "schemas", "tokens", "distributions", "webhooks"]) {
    await page.goto(section(customer, list))
    await expect(page.getByRole("main").getByRole("link", { name: "Export CSV" }), list).toHaveCount(1)
  }
  await page.goto(section(customer, `investors?q=${externalId}`))
  await expect(page.getByRole("table").getByRole("row")).toHaveCount(2)
  const downloading = page.waitForEvent("download")
  await page.getByRole("link", { name: "Export CSV" }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^investors-.*\.csv$/)
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\r\n")
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(externalId)
  await expectAccessible(page)
})

test("the lists within a page can be exported", async ({ page, customer }) => {
  const id = `export_${Date.now()}`
  await customer.api.call("POST", "/mint-configs", {
    ...{ id, name: "Export fund", symbol: "EXP", decimals: 2, required_schema: "kyc_individual_v1" },
  })
  const { wallet } = await customer.api.start()
  const investor = (await customer.api.call("GET", `/investors?wallet=${wallet}`)).data[0].investor_id
  const { endpoint_id } = await customer.api.call("POST", "/webhook-endpoints", { url: `https://example.com/${id}` })
  const exporter = page.getByRole("main").getByRole("link", { name: "Export CSV" })
  for (const path of [
    `webhooks/${endpoint_id}`,
    `investors/${investor}`,
    "settings?part=members",
    "settings?part=approvals",
  ]) {
    await page.goto(section(customer, path))
    await expect(exporter.first(), path).toBeVisible()
    await expectAccessible(page)
  }
  await page.goto(section(customer, `tokens/${id}`))
  for (const tab of ["Operations", "Holds", "Snapshots"]) {
    await page.getByRole("tab", { name: tab }).click()
    await expect(exporter, tab).toHaveCount(1)
  }
})
