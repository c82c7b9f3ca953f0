import type { Page } from "@playwright/test"
import { decide, origin } from "./api.ts"
import { type Customer, reviewOf, section, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"

/** A session that the sandbox left in review, with the address of its review. */
async function leftInReview(customer: Customer) {
  const session = await customer.api.start()
  await decide(session.sessionId, "in_review")
  return { ...session, path: section(customer, `reviews/${await reviewOf(customer, session.wallet)}`) }
}

/** Opens the dialog of a decision and enters the reason. */
async function openDecision(page: Page, name: string, reason: string) {
  await page.getByRole("main").getByRole("button", { name, exact: true }).click()
  const dialog = page.getByRole("alertdialog")
  await dialog.getByLabel("Internal reason").fill(reason)
  return dialog
}

test("a compliance officer finds a waiting review, takes it, adds a note, views the claims and approves", {
  tag: ["@journey", "@phone"],
}, async ({ as, customer }) => {
  const { wallet, path } = await leftInReview(customer)
  const page = await as("compliance")
  await page.goto(section(customer, "reviews"))
  await expect(heading(page, "Reviews")).toBeVisible()
  const row = page.getByRole("row").filter({ has: page.locator(`a[href="${path}"]`) })
  await expect(row).toContainText("Vendor review")
  await expectAccessible(page)
  await page.getByLabel("Kind").selectOption("screening")
  await expect(page.getByText("No matching reviews")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Clear" }).click()
  await row.getByRole("link").first().click()

  await expect(heading(page, /^Vendor review/)).toBeVisible()
  await page.getByRole("button", { name: "Assign to me" }).click()
  await expect(page.getByText("Assigned to The compliance")).toBeVisible()
  await page.getByLabel("Note", { exact: true }).fill("Called the investor")
  await page.getByRole("button", { name: "Add note" }).click()
  await expect(page.getByText("Called the investor")).toBeVisible()
  await expect(page.getByLabel("Note", { exact: true })).toHaveValue("")
  await expectAccessible(page)

  const dialog = await openDecision(page, "Approve", "Passport checked by hand")
  await dialog.getByRole("button", { name: "View and change claims" }).click()
  await expect(dialog.getByLabel("Country")).toHaveValue("US")
  await dialog.getByLabel("Country").selectOption("CA")
  await expectAccessible(page)
  await dialog.getByRole("button", { name: "Approve" }).click()
  await expect(page.getByRole("heading", { name: "Outcome" })).toBeVisible()
  await expect(page.getByText("Passport checked by hand")).toBeVisible()
  await expectAccessible(page)
  await expect.poll(async () => (await customer.api.status(wallet)).status).toBe("verified")

  const { attestation_id } = await customer.api.status(wallet)
  await page.goto(section(customer, `attestations/${attestation_id}`))
  await expect(page.getByText("Approved by a member")).toBeVisible()
  await page.goto(section(customer, `audit?subject=${attestation_id}`))
  await expect(page.getByText("attestation.decided_manually")).toBeVisible()
})

test("a decision by another member while the page is open is shown, and no review is decided twice", async ({
  page,
  as,
  customer,
  traffic,
}) => {
  traffic.allow(/409 \(Conflict\)/)
  const { path, wallet } = await leftInReview(customer)
  const other = await as("compliance")
  await page.goto(path)
  const dialog = await openDecision(page, "Approve", "All clear")
  await other.goto(path)
  const theirs = await openDecision(other, "Reject", "Name differs")
  await theirs.getByLabel("Reason shown to the investor").selectOption("information_mismatch")
  await expectAccessible(other)
  await theirs.getByRole("button", { name: "Reject" }).click()
  await expect(other.getByRole("heading", { name: "Outcome" })).toBeVisible()
  // A live update may already have closed the dialog.
  const confirm = dialog.getByRole("button", { name: "Approve" })
  if (await confirm.isVisible()) await confirm.click({ timeout: 5000 }).catch(() => {})
  expect((await customer.api.status(wallet)).status).toBe("rejected")
})

test("a member without reviews sees no link and no count, and the page says why", async ({ as, customer }) => {
  for (const role of ["developer", "viewer"] as const) {
    const page = await as(role)
    await page.goto(section(customer, "reviews"))
    await expect(page.getByText("Your role does not include reviews")).toBeVisible()
    await expect(page.getByRole("navigation").getByRole("link", { name: /^Reviews/ })).toHaveCount(0)
    await expectAccessible(page)
    const refused = await page.request.get("/api/trpc/review.list?input={}", {
      headers: { "x-vouch-workspace": customer.workspaces.test, origin },
    })
    expect(refused.status()).toBe(403)
  }
})
