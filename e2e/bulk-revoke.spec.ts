import { readFile } from "node:fs/promises"
import { type Api, newWallet } from "./api.ts"
import { approve, open, requireTwo, test as withOfficer } from "./approving.ts"
import { expect, expectAccessible, heading, section, showFilters, test } from "./dashboard.ts"

test("two attestations are selected by keyboard and revoked, with progress and then each result", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const name = `bulk-${newWallet().slice(0, 6)}`
  const verified = await customer.api.verifiedWallet()
  const pending = [
    await customer.api.start({ externalId: `${name}-1` }),
    await customer.api.start({ externalId: `${name}-2` }),
    await customer.api.start({ externalId: `${name}-3` }),
  ] as const
  await page.goto(section(customer, `attestations?q=${name}`))
  const table = page.getByRole("table", { name: "Attestations" })
  const row = (wallet: string) => table.getByRole("row", { name: wallet })
  const box = (wallet: string) => row(wallet).getByRole("checkbox")
  await expect(table.getByRole("row")).toHaveCount(4)
  const bar = page.getByRole("region", { name: "Selected attestations" })
  await expect(bar).toHaveCount(0)

  // All of the page, all but one, and none after a change of the filter.
  const all = table.getByRole("checkbox", { name: "Select all on this page" })
  await all.focus()
  await page.keyboard.press("Space")
  await expect(bar).toContainText("3 selected")
  await box(pending[2].wallet).focus()
  await page.keyboard.press("Space")
  await expect(bar).toContainText("2 selected")
  expect(await all.evaluate((element: HTMLInputElement) => element.indeterminate)).toBe(true)
  await expectAccessible(page)
  await showFilters(page)
  await page.getByLabel("Status").selectOption("pending")
  await expect(bar).toHaveCount(0)
  await page.getByRole("button", { name: "Clear" }).click()

  await box(verified.wallet).check()
  await box(pending[0].wallet).focus()
  await page.keyboard.press("Space")
  // A click on a box does not open the row.
  await expect(heading(page, "Attestations")).toBeVisible()
  await bar.getByRole("button", { name: "Revoke" }).focus()
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("alertdialog", { name: "Revoke 2 attestations?" })
  await expect(dialog).toContainText("1 verified: the wallet is no longer verified")
  await expect(dialog).toContainText("1 pending: the session closes")
  await dialog.getByLabel("Internal reason").fill("Left the fund")
  await expectAccessible(page)
  await dialog.getByLabel("Type REVOKE to confirm").fill("REVOKE")
  await page.keyboard.press("Enter")

  const panel = page.getByRole("region", { name: /2 attestations/ })
  await expect(panel).toBeFocused()
  await expect(panel.getByRole("heading")).toHaveText("2 attestations revoked")
  await expect(panel).toContainText("Started by Olivia Owner")
  await expect(bar).toHaveCount(0)
  await expect(row(verified.wallet)).toContainText("Revoked")
  await expect(row(pending[0].wallet)).toContainText("Revoked")
  await expect(row(pending[1].wallet)).toContainText("Pending")
  await expect(box(verified.wallet)).toBeDisabled()
  await expectAccessible(page)
  // The revocation is found again, and each attestation says why it ended and by whom.
  await page.reload()
  await expect(panel.getByRole("heading")).toHaveText("2 attestations revoked")
  await panel.getByRole("button", { name: "Dismiss" }).click()
  await expect(panel).toHaveCount(0)
  await page.goto(section(customer, `attestations/${verified.id}`))
  await expect(heading(page, /: Individual identity Revoked$/)).toBeVisible()
  await expect(page.getByText("Left the fund").first()).toBeVisible()
  await expect(page.getByText("by Olivia Owner")).toBeVisible()
  await expect(page.getByText("Credential destroyed on chain")).toBeVisible()
})

test("a running revocation is shown to every member, with what it did not revoke", async ({ page, customer }) => {
  const [first, second] = [newWallet(), newWallet()]
  const job = {
    id: "blk_11111111111111111111",
    attestations: 40,
    revoked: 11,
    ended_before: 1,
    failed_count: 0,
    gone: 0,
    failed: [] as { attestation_id: string; error: string }[],
    left: 0,
    cancelled_by: null,
    started_by: "Carla Compliance",
    started_at: new Date().toISOString(),
    ended_at: null as string | null,
  }
  await page.route("**/api/trpc/bulkRevocation.get**", (route) => route.fulfill({ json: { result: { data: job } } }))
  await page.goto(section(customer, "attestations"))
  const panel = page.getByRole("region", { name: /40 attestations/ })
  await expect(panel.getByRole("heading")).toHaveText("Revoking 40 attestations")
  await expect(panel).toContainText("12 of 40 done")
  await expect(panel.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "30")
  await expectAccessible(page)
  const failed = Array.from({ length: 7 }, (_, n) => ({
    attestation_id: `att_${n}${[first, second][n % 2]!.slice(0, 20)}`,
    error: n === 0 ? "attestation_not_found" : "internal_error",
  }))
  Object.assign(job, { revoked: 32, failed, failed_count: failed.length, ended_at: new Date().toISOString() })
  await expect(panel.getByRole("heading", { level: 2 })).toHaveText("32 of 40 attestations revoked")
  await expect(panel.getByRole("listitem")).toHaveCount(5)
  await panel.getByRole("button", { name: "Show all 7" }).click()
  await expect(panel.getByRole("listitem")).toHaveCount(7)
  await expect(panel.getByRole("listitem").first()).toContainText("not found in this workspace")
  await expectAccessible(page)
})

test("a running revocation is stopped by keyboard and says what was left", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const job = {
    id: "blk_11111111111111111111",
    ...{ attestations: 40, revoked: 11, ended_before: 1, failed_count: 0, gone: 0, failed: [], left: 0 },
    ...{
      started_by: "Carla Compliance",
      cancelled_by: null,
      started_at: new Date().toISOString(),
      ended_at: null,
    },
  }
  const asked: unknown[] = []
  await page.route("**/api/trpc/bulkRevocation.*", (route) => {
    if (route.request().method() === "POST") {
      asked.push(route.request().postDataJSON())
      const ended_at = new Date().toISOString()
      Object.assign(job, { revoked: 13, left: 26, cancelled_by: "Olivia Owner", ended_at })
    }
    return route.fulfill({ json: { result: { data: job } } })
  })
  await page.goto(section(customer, "attestations"))
  const panel = page.getByRole("region", { name: /40 attestations/ })
  await panel.getByRole("button", { name: "Stop" }).focus()
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("alertdialog", { name: "Stop revoking?" })
  await expect(dialog).toContainText("Attestations already revoked stay revoked.")
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Keep revoking" }).click()
  await expect(panel.getByRole("button", { name: "Stop" })).toBeFocused()
  expect(asked).toEqual([])
  await page.keyboard.press("Enter")
  await dialog.getByRole("button", { name: "Stop revoking" }).focus()
  await page.keyboard.press("Enter")
  await expect(dialog).toHaveCount(0)
  expect(asked).toEqual([{ id: job.id }])
  await expect(panel.getByRole("heading")).toHaveText("13 of 40 attestations revoked")
  await expect(panel).toContainText("Stopped by Olivia Owner; 26 not revoked. 1 had already ended.")
  await expect(panel).toBeFocused()
  await expectAccessible(page)
})

test("a member who may not revoke may not stop", async ({ as, customer }) => {
  const page = await as("viewer")
  await page.route("**/api/trpc/bulkRevocation.get**", (route) =>
    route.fulfill({
      json: {
        result: {
          data: {
            id: "blk_11111111111111111111",
            ...{ attestations: 40, revoked: 11, ended_before: 1, failed_count: 0, gone: 0, failed: [], left: 0 },
            ...{
              started_by: "Carla",
              cancelled_by: null,
              started_at: new Date().toISOString(),
              ended_at: null,
            },
          },
        },
      },
    }),
  )
  await page.goto(section(customer, "attestations"))
  const panel = page.getByRole("region", { name: /40 attestations/ })
  await expect(panel).toContainText("12 of 40 done")
  await expect(panel.getByRole("button")).toHaveCount(0)
})

test("a viewer cannot select rows", async ({ as, customer }) => {
  await customer.api.start()
  const page = await as("viewer")
  await page.goto(section(customer, "attestations"))
  await expect(page.getByRole("row").nth(1)).toBeVisible()
  await expect(page.getByRole("checkbox")).toHaveCount(0)
})

/** Starts sessions whose external ids begin with `name`: more than a page of them. */
async function startMany(api: Api, name: string, count: number): Promise<void> {
  const start = (n: number) => api.start({ externalId: `${name}-${n}` })
  for (let n = 0; n < count; n += 10)
    await Promise.all(Array.from({ length: Math.min(10, count - n) }, (_, i) => start(n + i)))
}

test("all that match a filter are selected across pages, revoked, and their results exported", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const name = `many-${newWallet().slice(0, 6)}`
  await startMany(customer.api, name, 56)
  await page.goto(section(customer, `attestations?q=${name}`))
  const table = page.getByRole("table", { name: "Attestations" })
  const bar = page.getByRole("region", { name: "Selected attestations" })
  const rows = table.getByRole("checkbox", { name: /^Select \w{32}/ })
  await expect(rows).toHaveCount(50)
  await table.getByRole("checkbox", { name: "Select all on this page" }).check()
  await expect(bar).toContainText("50 selected")
  const all = bar.getByRole("button", { name: "Select all 56 matching" })
  await expect(all).toBeVisible()
  await expectAccessible(page)
  await all.focus()
  await page.keyboard.press("Enter")
  await expect(bar).toBeFocused()
  await expect(bar).toContainText("All 56 matching selected")

  // The other page is selected, too. Clearing one row there selects row by row again.
  await page.getByRole("button", { name: "Older" }).click()
  await expect(rows).toHaveCount(6)
  await expect(rows.first()).toBeChecked()
  await rows.first().uncheck()
  await expect(bar).toContainText("50 selected")
  await page.getByRole("button", { name: "Newer" }).click()
  await expect(rows).toHaveCount(50)
  await all.click()

  await bar.getByRole("button", { name: "Revoke" }).click()
  const dialog = page.getByRole("alertdialog", { name: "Revoke 56 attestations?" })
  await expect(dialog).toContainText("56 pending: the sessions close")
  await dialog.getByLabel("Internal reason").fill("The fund closes")
  await dialog.getByLabel("Type REVOKE to confirm").fill("REVOKE")
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Revoke 56" }).click()
  const panel = page.getByRole("region", { name: /56 attestations/ })
  await expect(panel.getByRole("heading")).toHaveText("56 attestations revoked", { timeout: 60_000 })
  await expect(bar).toHaveCount(0)
  await expectAccessible(page)
  const downloading = page.waitForEvent("download")
  await panel.getByRole("link", { name: "Export results" }).click()
  const lines = (await readFile(await (await downloading).path(), "utf8")).trim().split("\r\n")
  expect(lines).toHaveLength(57)
  expect(lines.slice(1).every((line) => line.includes(",revoked,revoked,"))).toBe(true)
})

test("more than 10,000 that match cannot be selected together", async ({ page, customer }) => {
  const name = `crowd-${newWallet().slice(0, 6)}`
  await startMany(customer.api, name, 51)
  const counted = { verified: 10_001, pending: 0, is_too_many: true, rows: null, up_to: "x" }
  await page.route("**/api/trpc/bulkRevocation.count**", (route) =>
    route.fulfill({ json: { result: { data: counted } } }),
  )
  await page.goto(section(customer, `attestations?q=${name}`))
  await page.getByRole("checkbox", { name: "Select all on this page" }).check()
  const bar = page.getByRole("region", { name: "Selected attestations" })
  await expect(bar).toContainText("More than 10,000 match. Narrow the filters to select all of them.")
  await expect(bar.getByRole("button", { name: /^Select all/ })).toHaveCount(0)
  await expectAccessible(page)
})

withOfficer(
  "a second person sees the filter, the number and a sample, downloads the list, and approves it",
  async ({ page, officer, firm: customer, traffic }) => {
    // A request that waits.
    traffic.allow(/409/)
    await requireTwo(customer, "attestation_revoke_bulk")
    await startMany(customer.api, "closing", 52)
    await page.goto(section(customer, "attestations?q=closing&status=pending"))
    await page.getByRole("checkbox", { name: "Select all on this page" }).check()
    const bar = page.getByRole("region", { name: "Selected attestations" })
    await bar.getByRole("button", { name: "Select all 52 matching" }).click()
    await bar.getByRole("button", { name: "Revoke" }).click()
    const dialog = page.getByRole("alertdialog")
    await dialog.getByLabel("Internal reason").fill("The fund closes")
    await dialog.getByLabel("Type REVOKE to confirm").fill("REVOKE")
    await dialog.getByRole("button", { name: "Revoke 52" }).click()
    await expect(open(page).first()).toBeVisible()
    await expectAccessible(page)

    await officer.goto(section(customer, "approvals"))
    await officer
      .getByRole("link", { name: /52 verifications|Revoke many/ })
      .first()
      .click()
    await expect(heading(officer, /^Revoke many verifications: 52 verifications/)).toBeVisible()
    const request = officer.getByRole("region", { name: "Request" })
    await expect(request).toContainText("52 attestations")
    await expect(request).toContainText("All that matched a filter")
    await expect(request).toContainText("closing")
    await expect(request.getByRole("table", { name: "Attestations to revoke" }).getByRole("row")).toHaveCount(21)
    await expectAccessible(officer)
    const downloading = officer.waitForEvent("download")
    await request.getByRole("link", { name: "Download the list" }).click()
    const lines = (await readFile(await (await downloading).path(), "utf8")).trim().split("\r\n")
    expect(lines).toHaveLength(53)
    await approve(officer)
    await expect(officer.getByRole("region", { name: "Outcome" })).toContainText("Done as requested.")
    await page.goto(section(customer, "attestations?q=closing&status=revoked"))
    await expect(page.getByLabel("Status")).toContainText("Revoked (52)", { timeout: 60_000 })
  },
)
