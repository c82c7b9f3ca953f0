import { randomBytes } from "node:crypto"
import type { Page } from "@playwright/test"
import { origin } from "./api.ts"
import { addCodes, PASSWORD, test } from "./dashboard.ts"
import { expect, expectAccessible, heading } from "./support.ts"
import { vouch } from "./vouch.ts"

/** A separate account, so that its requirement affects no other test, with the page of its owner. */
async function ownAccount(page: Page) {
  const email = `${randomBytes(6).toString("hex")}@example.com`
  const { owner_link, workspaces } = await vouch<{
    owner_link: string
    workspaces: { live: string; test: string }
  }>(...["account", "create", "--name", `Own ${email.split("@")[0]}`, "--plan", "growth", "--owner", email])
  await page.context().clearCookies()
  await comeIn(page, owner_link, email)
  return workspaces.test
}

async function comeIn(page: Page, link: string, email: string) {
  await page.goto(link)
  await page.getByLabel("Name", { exact: true }).fill("A person")
  // The link may be restricted to one address.
  const address = page.getByLabel("Email", { exact: true })
  if (await address.isEditable()) await address.fill(email)
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
  await page.getByRole("button", { name: "Create account" }).click()
  await expect(page.getByRole("button", { name: /^Account of/ })).toBeVisible()
}

test("an account requires a second factor: its owner has one, and members must set theirs up first", async ({
  page,
  browser,
  traffic,
}) => {
  traffic.allow(/403 \(Forbidden\)/)
  const workspace = await ownAccount(page)
  await page.goto(`/${workspace}/settings?part=workspace`)
  const demand = page.getByRole("button", { name: "Turn on: Second factor for everyone" })
  await demand.click()
  const question = page.getByRole("alertdialog")
  await question.getByRole("button", { name: "Turn on" }).click()
  await expect(question.getByRole("alert")).toContainText("your own second factor first")
  await expectAccessible(page)
  await question.getByRole("button", { name: "Cancel" }).click()

  await page.goto(`/${workspace}/settings?part=account`)
  await addCodes(page)
  await expect(page.getByRole("button", { name: "New backup codes" })).toBeVisible()
  await page.goto(`/${workspace}/settings?part=workspace`)
  await demand.click()
  await question.getByRole("button", { name: "Turn on" }).click()
  await expect(page.getByRole("button", { name: "Turn off: Second factor for everyone" })).toBeVisible()
  await expectAccessible(page)

  const invited = await page.request.post("/api/trpc/member.invite", {
    data: { role: "compliance" },
    headers: { "x-vouch-workspace": workspace, origin },
  })
  const { result } = (await invited.json()) as { result: { data: { link: string } } }
  const guest = await browser.newContext({ storageState: { cookies: [], origins: [] }, baseURL: origin })
  const theirs = await guest.newPage()
  await theirs.goto(result.data.link)
  await expect(theirs.getByText("This account requires a second factor")).toBeVisible()
  await expectAccessible(theirs)
  await comeIn(theirs, result.data.link, `${randomBytes(6).toString("hex")}@example.com`)
  await expect(heading(theirs, "Set up a second factor")).toBeVisible()
  await theirs.goto(`/${workspace}/attestations`)
  await expect(heading(theirs, "Set up a second factor")).toBeVisible()
  // No link leads to a page that would not be shown.
  const sections = theirs.getByRole("navigation", { name: "Main" })
  await expect(sections).toHaveCount(0)
  await expect(theirs.getByRole("link", { name: /^Times in/ })).toHaveCount(0)
  await expectAccessible(theirs)
  await addCodes(theirs)
  await expect(heading(theirs, "Attestations")).toBeVisible()
  await expect(sections.getByRole("link")).not.toHaveCount(0)
  await guest.close()
})
