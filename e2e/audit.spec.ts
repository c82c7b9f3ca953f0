import { changeAnswer } from "./answers.ts"
import { expect, expectAccessible, section, test } from "./dashboard.ts"

test("the audit log says up to which entry it is on chain, with the transaction and how to verify it", async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "audit"))
  await expect(page.getByText("The hashes of the log are not on chain yet.")).toBeVisible()
  const explorer = "https://explorer.solana.com/tx/5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4t"
  await changeAnswer(page, "audit.proof", (data) => {
    data.anchor = { place: 12_345, transaction: "5VER", explorer, until: "2026-11-26T23:59:12Z" }
  })
  await page.reload()
  await expect(page.getByText("Entry 12,345")).toHaveAttribute("href", explorer)
  await expect(page.getByText(/and all before it, until .*2026.* are anchored on chain/)).toBeVisible()
  await expect(page.getByRole("link", { name: "How to verify the log" })).toHaveAttribute("href", "/docs/guides/audit")
  await expectAccessible(page)
})

test("entries are sentences with names, reasons and links, and show the entry itself on demand", {
  tag: "@phone",
}, async ({ page, customer }) => {
  const { api } = customer
  const externalId = `family-office-${Math.random().toString(36).slice(2, 8)}`
  const { wallet, id } = await api.verifiedWallet({ externalId })
  await api.call("POST", `/attestation/${id}/revoke`, { reason: "Moved to another bank" })
  await page.goto(section(customer, "audit"))
  const entry = page.getByRole("row", { name: new RegExp(`revoked ${externalId}'s individual identity verification`) })
  await expect(entry).toContainText("Reason: Moved to another bank")
  await expect(entry.getByRole("link", { name: externalId })).toHaveAttribute("href", /\/investors\/inv_/)
  await expect(entry).not.toContainText("attestation.revoked")
  const details = entry.getByRole("button", { name: "Details" })
  await expect(details).toHaveAttribute("aria-expanded", "false")
  await details.focus()
  await page.keyboard.press("Enter")
  await expect(details).toHaveAttribute("aria-expanded", "true")
  await expect(entry).toContainText("attestation.revoked")
  await expect(entry).toContainText(id)
  await expect(entry).toContainText("Not yet. Hashes are anchored once a day")
  await expectAccessible(page)

  await entry.getByRole("link", { name: "All about this subject" }).click()
  await expect(page.getByLabel("Person or object")).toHaveValue(id)
  await expect(page.getByRole("button", { name: "Details" })).toHaveCount(1)
  await expect(page.getByText(wallet)).toHaveCount(0)
})

test("the log is filtered by member or key, also by one who has left", async ({ page, customer }) => {
  await page.goto(section(customer, "audit"))
  await page.getByLabel("Member or key").selectOption({ label: "Olivia Owner" })
  await expect(page.getByText("The administrator created the account")).toHaveCount(0)
  await expect(page.getByText("Olivia Owner joined as owner")).toBeVisible()
  await expect(page).toHaveURL(/actor_id=/)
  await page.goto(section(customer, "audit?actor_id=gone"))
  await expect(page.getByLabel("Member or key")).toHaveValue("gone")
  await expect(page.getByText("No matching entries")).toBeVisible()
  await expectAccessible(page)
})
