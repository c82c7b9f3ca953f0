import { createMember, PASSWORD, section, test } from "./dashboard.ts"
import { startOwnServer } from "./own-server.ts"
import { expect, expectAccessible, heading } from "./support.ts"
import { vouch } from "./vouch.ts"

test.describe("without a sign-in", () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  test("the first owner signs up with the link that the start prints, which works once", {
    tag: "@journey",
  }, async ({ page, traffic }) => {
    // The second use of the link.
    traffic.allow(/status of 404/)
    const server = await startOwnServer()
    try {
      const link = /\S+\/setup\?token=\S+/.exec(server.printed())![0]
      expect(link.startsWith(`${server.origin}/setup?token=`)).toBe(true)
      await page.goto(link)
      await expect(heading(page, "Create your account")).toBeVisible()
      await expectAccessible(page)
      await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace")
      await page.getByLabel("Email", { exact: true }).fill("ada@example.com")
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
      await page.getByRole("button", { name: "Create account" }).click()
      await expect(heading(page, "Overview")).toBeVisible()
      await page.getByRole("button", { name: "Account of Ada Lovelace" }).click()
      await page.getByRole("menuitem", { name: "Sign out" }).click()
      await expect(heading(page, "Sign in")).toBeVisible()
      await page.goto(link)
      await expect(heading(page, "This link does not work")).toBeVisible()
      await expectAccessible(page)
    } finally {
      await page.goto("about:blank")
      await server.stop()
    }
  })

  test("a page of the dashboard asks to sign in first, and opens afterwards", {
    tag: ["@journey", "@phone"],
  }, async ({ page, traffic, customer }) => {
    // The wrong password.
    traffic.allow(/status of 401/)
    await page.goto(section(customer, "settings"))
    await expect(heading(page, "Sign in")).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel("Email", { exact: true }).fill(customer.email)
    await page.getByLabel("Password", { exact: true }).fill("not the password")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await expect(page.getByRole("main").getByRole("alert")).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(heading(page, "Settings")).toBeVisible()
    expect(new URL(page.url()).pathname).toBe(section(customer, "settings"))
  })

  test("a forgotten password: a server without mail promises none, and the operator's link works once", async ({
    page,
    traffic,
    customer,
  }) => {
    // The second use of the link.
    traffic.allow(/status of 404/)
    await page.goto("/forgot")
    await page.getByLabel("Email", { exact: true }).fill("anybody@example.com")
    await page.getByRole("button", { name: "Send link" }).click()
    await expect(heading(page, "Ask your administrator")).toBeVisible()
    await expectAccessible(page)

    const { email } = await createMember(customer, "viewer")
    const { reset_link } = await vouch<{ reset_link: string }>("user", "reset", email)
    await page.goto(reset_link)
    await expect(heading(page, "Choose a new password")).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel("New password").fill("another long password")
    await page.getByRole("button", { name: "Change password" }).click()
    await expect(heading(page, "Your password is changed")).toBeVisible()
    await page.goto(reset_link)
    await page.getByLabel("New password").fill("yet another password")
    await page.getByRole("button", { name: "Change password" }).click()
    await expect(page.getByRole("main").getByRole("alert")).toBeVisible()
    await page.goto("/sign-in")
    await page.getByLabel("Email", { exact: true }).fill(email)
    await page.getByLabel("Password", { exact: true }).fill("another long password")
    await page.getByRole("button", { name: "Sign in", exact: true }).click()
    await expect(heading(page, "Overview")).toBeVisible()
  })
})

test("the workspace switch opens the same section of the other mode, and a banner says what is not real there", {
  tag: "@phone",
}, async ({ page, customer }) => {
  await page.goto(section(customer, "keys"))
  await expect(page.getByRole("region", { name: "About this mode" })).toContainText("Local test network")
  await expect(page.getByRole("region", { name: "About this mode" })).toContainText("Sandbox provider")
  const modes = page.getByRole("navigation", { name: "Workspace" })
  await expect(modes.getByRole("link", { name: "Test" })).toHaveAttribute("aria-current", "true")
  await modes.getByRole("link", { name: "Live" }).click()
  await expect(page).toHaveURL(new RegExp(`/${customer.workspaces.live}/keys$`))
  await expect(modes.getByRole("link", { name: "Live" })).toHaveAttribute("aria-current", "true")
})

test("another customer's workspace is not found, and the page links to one's own", async ({
  page,
  traffic,
  customer,
}) => {
  traffic.allow(/404/)
  await page.goto("/ws_4f8NqYcTzHkLwR2sVbJm9X/overview")
  await expect(heading(page, "Choose a workspace")).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("link", { name: new RegExp(`${customer.account}.*test`, "i") }).click()
  await expect(heading(page, "Overview")).toBeVisible()
})
