import { changeAnswer } from "./answers.ts"
import { expect, expectAccessible, section, test } from "./dashboard.ts"

test("the audit log says up to which entry it is on chain, with the transaction and how to verify it", async ({
  page,
  customer,
}) => {
  await page.goto(section(customer, "audit"))
  await expect(page.getByText("Its hashes are not on chain yet.")).toBeVisible()
  const explorer = "https://explorer.solana.com/tx/5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4t"
  await changeAnswer(page, "audit.proof", (data) => {
    data.anchor = { place: 12_345, transaction: "5VER", explorer, until: "2026-11-26T23:59:12Z" }
  })
  await page.reload()
  await expect(page.getByText("Entry 12,345")).toHaveAttribute("href", explorer)
  await expect(page.getByText(/and all before it, until .*2026.* are anchored on chain/)).toBeVisible()
  await expect(page.getByRole("link", { name: "Verify the log" })).toHaveAttribute("href", "/docs/guides/audit")
  await expectAccessible(page)
})
