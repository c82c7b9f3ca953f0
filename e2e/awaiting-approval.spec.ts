import type { Page } from "@playwright/test"
import { approve, open, requireTwo, reviewOfTwo, test } from "./approving.ts"
import { addCodes, chooseAction, expect, expectAccessible, heading, section } from "./dashboard.ts"
import { held } from "./servicing.ts"

const outcome = (page: Page) => page.getByRole("region", { name: "Outcome" })

/** Asks another member to approve the approval of a review. */
async function askToApprove(page: Page, review: string) {
  await page.goto(review)
  await page.getByRole("main").getByRole("button", { name: "Approve", exact: true }).first().click()
  await page.getByLabel("Internal reason").fill("Passport checked by hand")
  await page.getByRole("button", { name: "Ask for approval" }).click()
}

test("a review's decision waits, and takes effect once another member approves it", {
  tag: ["@phone"],
}, async ({ page, officer, firm: customer, traffic }) => {
  // A request that waits.
  traffic.allow(/409/)
  const { review, wallet } = await reviewOfTwo(customer)

  await test.step("the page and the form say that it needs another member", async () => {
    await page.goto(review)
    await expect(page.getByText("Your decision takes effect once another member has approved it.")).toBeVisible()
    await page.getByRole("main").getByRole("button", { name: "Approve", exact: true }).first().click()
    await expect(page.getByText("It happens once another member has approved it.")).toBeVisible()
    await page.getByLabel("Internal reason").fill("Passport checked by hand")
    await expectAccessible(page)
    await page.getByRole("button", { name: "Ask for approval" }).click()
    await expect(page.getByText("You asked for this decision. Another member must approve it.")).toBeVisible()
    await expect(page.getByText("That was the last case.")).toBeVisible()
    await expectAccessible(page)
    expect((await customer.api.status(wallet)).status).toBe("pending")
  })

  await test.step("the requester cannot approve it", async () => {
    await open(page).click()
    await expect(heading(page, /^Decide a review: Approve/)).toBeVisible()
    await expect(page.getByText("You made this request, directly or with a key that you know.")).toBeVisible()
    await expect(page.getByRole("button", { name: "Approve", exact: true })).toHaveCount(0)
    await expectAccessible(page)
  })

  await test.step("the officer reads who asked, and approves it", async () => {
    await officer.goto(review)
    await expect(officer.getByText("Olivia Owner asked for this decision.")).toBeVisible()
    await expect(officer.getByRole("definition").filter({ hasText: "Passport checked by hand" })).toBeVisible()
    await expectAccessible(officer)
    await open(officer).click()
    await officer.getByRole("button", { name: "Approve", exact: true }).click()
    await expectAccessible(officer)
    await officer.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click()
    await expect(outcome(officer)).toContainText("Done as requested.")
    await expectAccessible(officer)
    await expect.poll(async () => (await customer.api.status(wallet)).status).toBe("verified")
    await page.goto(review)
    await expect(page.getByText("Approved by another member")).toBeVisible()
  })
})

test("a reason that is being written stays when the request ends, and sending it says how it ended", async ({
  page,
  officer,
  firm: customer,
  traffic,
}) => {
  traffic.allow(/409/)
  const { review } = await reviewOfTwo(customer)
  await askToApprove(page, review)
  await open(page).click()
  await expect(page.getByRole("button", { name: "Withdraw" })).toBeVisible()

  await officer.goto(page.url())
  await officer.getByRole("button", { name: "Reject", exact: true }).click()
  const dialog = officer.getByRole("alertdialog")
  await dialog.getByLabel("Reason").fill("The passport has expired")
  await page.getByRole("button", { name: "Withdraw" }).click()
  await expect(officer.getByRole("main").getByText("Withdrawn", { exact: true })).toBeAttached()
  await expect(dialog.getByLabel("Reason")).toHaveValue("The passport has expired")
  await dialog.getByRole("button", { name: "Reject" }).click()
  await expect(dialog.getByRole("alert")).toContainText("This request is no longer waiting: it is withdrawn")
  await expectAccessible(officer)
  await officer.keyboard.press("Escape")
  await expect(outcome(officer)).toContainText("Nothing happened.")
})

test("a member without a second factor is led to set one up, and can then approve", {
  tag: ["@phone"],
}, async ({ page, officer, firm: customer, traffic }) => {
  traffic.allow(/409/)
  const { review } = await reviewOfTwo(customer)
  await askToApprove(officer, review)
  const request = await open(officer).getAttribute("href").then(String)

  await page.goto(request)
  const setUp = page.getByRole("link", { name: "Set up a second factor" })
  await expect(setUp).toBeVisible()
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeDisabled()
  await expect(page.getByRole("button", { name: "Reject", exact: true })).toBeDisabled()
  await expectAccessible(page)
  await setUp.click()
  await addCodes(page)
  await page.goto(request)
  await approve(page)
  await expect(outcome(page)).toContainText("Done as requested.")
})

test("an approved API key is collected once, by the member who requested it", {
  tag: ["@phone"],
}, async ({ page, officer, firm: customer, traffic }) => {
  traffic.allow(/409/)
  await requireTwo(customer, "key_create")
  await page.goto(section(customer, "keys"))
  await page.getByRole("button", { name: "Create key", exact: true }).click()
  const form = page.getByRole("dialog", { name: "Create an API key" })
  await form.getByLabel("Name").fill("Back office")
  await form.getByRole("button", { name: "Read only", exact: true }).click()
  await form.getByRole("button", { name: "Create key" }).click()
  await expect(form.getByRole("alert")).toContainText("This needs the approval of another member.")
  await expectAccessible(page)
  await open(page).click()
  await expect(heading(page, /^Create or rotate an API key: Back office/)).toBeVisible()
  await expectAccessible(page)
  const request = page.url()

  await officer.goto(request)
  await approve(officer)
  await expect(outcome(officer)).toBeVisible()
  await expect(outcome(officer)).toContainText("Olivia Owner can collect the key now.")
  await expect(officer.getByRole("button", { name: "Collect the key" })).toHaveCount(0)

  await expect(page.getByText("You can collect it for 7 days.")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("button", { name: "Collect the key" }).click()
  const secret = page.getByRole("dialog", { name: "The key is ready" })
  const key = await secret.getByRole("region", { name: "API key" }).textContent()
  expect(key).toMatch(/^vouch_test_/)
  // The page behind it has read that the key exists.
  await expect(outcome(page).getByText("The key exists. Its secret was shown once.")).toBeAttached()
  await expectAccessible(page)
  await secret.getByRole("checkbox", { name: "I have stored this key" }).check()
  await secret.getByRole("button", { name: "Done" }).click()
  await page.reload()
  await expect(outcome(page)).toBeVisible()
  await expect(page.getByRole("button", { name: "Collect the key" })).toHaveCount(0)
  expect(await page.content()).not.toContain(key)
  await expectAccessible(page)
})

test("unpausing, changing, cancelling and erasing say that they wait, and link to the request", async ({
  page,
  officer: _,
  firm: customer,
  traffic,
}) => {
  traffic.allow(/409/)
  const { api } = customer
  const { id } = await held(customer, "10", { rules: { max_holders: 10 } })
  await api.call("POST", `/mint-config/${id}/pause`)
  const { wallet } = await api.start()
  const { attestation_id } = await api.status(wallet)
  const { data } = await api.call("GET", `/investors?wallet=${wallet}`)
  await requireTwo(customer, "unpause", "config_change", "session_cancel", "erase")

  async function expectWaiting(title: RegExp) {
    await expect(page.getByRole("alert").filter({ has: open(page) })).toContainText(
      "This needs the approval of another member. It takes effect once they approve it.",
    )
    await expectAccessible(page)
    await open(page).click()
    await expect(heading(page, title)).toBeVisible()
    await expectAccessible(page)
  }

  await test.step("unpausing a token", async () => {
    await page.goto(section(customer, `tokens/${id}`))
    await chooseAction(page, "Unpause")
    await page.getByRole("alertdialog").getByRole("button", { name: "Unpause" }).click()
    await expectWaiting(/^Unpause a token: Fund /)
  })

  await test.step("changing a token's rules", async () => {
    await page.goto(section(customer, `tokens/${id}/rules`))
    await page.getByLabel("Maximum holders").fill("20")
    await page.getByRole("button", { name: "Save changes" }).click()
    await expectWaiting(/^Change a token: Fund /)
    await expect(page.getByRole("region", { name: "Request" })).toContainText("RulesMaximum holders: 20")
  })

  await test.step("cancelling a session", async () => {
    await page.goto(section(customer, `attestations/${attestation_id}`))
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Cancel session" }).click()
    await page.getByRole("alertdialog").getByLabel("Internal reason").fill("Wrong person")
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel session" }).click()
    await expectWaiting(/^Cancel a session/)
  })

  await test.step("erasing a person", async () => {
    await page.goto(section(customer, `investors/${data[0].investor_id}`))
    await page.getByRole("button", { name: "More actions" }).click()
    await page.getByRole("menuitem", { name: "Erase data" }).click()
    await page.getByRole("alertdialog").getByRole("textbox").fill("ERASE")
    await page.getByRole("alertdialog").getByRole("button", { name: "Erase data" }).click()
    await expectWaiting(/^Erase a person’s data: /)
  })

  await page.goto(section(customer, "approvals"))
  await expect(page.getByRole("row", { name: /Pending/ })).toHaveCount(4)
})
