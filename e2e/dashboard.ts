import { randomBytes } from "node:crypto"
import { type APIRequestContext, type Browser, type Page, request as playwrightRequest } from "@playwright/test"
import { TOTP } from "otpauth"
import { type Api, apiOf, origin } from "./api.ts"
import { test as base, expect } from "./support.ts"
import { createKey, vouch } from "./vouch.ts"

export const PASSWORD = "correct horse battery staple"

export type Role = "owner" | "developer" | "compliance" | "viewer"
type Cookies = Awaited<ReturnType<APIRequestContext["storageState"]>>

/** A separate customer for each worker, whose owner is signed in. */
export type Customer = {
  account: string
  email: string
  workspaces: { live: string; test: string }
  /** A key of the test workspace. */
  apiKey: string
  /** Calls the API with that key. */
  api: Api
  cookies: Cookies
}

export const test = base.extend<{ as: (role: Role) => Promise<Page>; leaving: undefined }, { customer: Customer }>({
  customer: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
    async ({}, use) => use(await createCustomer()),
    { scope: "worker" },
  ],
  // Each page begins with the owner signed in.
  storageState: async ({ customer }, use) => use(customer.cookies),
  // Leaving a page cancels its event stream and its reads.
  leaving: [
    async ({ traffic }, use) => {
      traffic.allow(/net::ERR_ABORTED/)
      await use(undefined)
    },
    { auto: true },
  ],
  /** A page of another member, in addition to the owner's. */
  as: async ({ browser, customer }, use) => {
    const contexts: Awaited<ReturnType<typeof browser.newContext>>[] = []
    await use(async (role) => {
      const { cookies: storageState } = await createMember(customer, role)
      const context = await browser.newContext({ storageState, baseURL: origin })
      contexts.push(context)
      return context.newPage()
    })
    for (const context of contexts) await context.close()
  },
})

/** A customer for tests whose settings must affect no others. */
export async function createCustomer(): Promise<Customer> {
  const account = `Acme ${randomBytes(6).toString("hex")}`
  const email = `${randomBytes(6).toString("hex")}@example.com`
  const made = await vouch<{ owner_link: string; workspaces: Customer["workspaces"] }>(
    ...["account", "create", "--name", account, "--plan", "growth", "--owner", email],
  )
  const apiKey = await createKey(account)
  const cookies = await comeIn(made.owner_link, { name: "Olivia Owner", email })
  return { account, email, workspaces: made.workspaces, apiKey, api: apiOf(apiKey), cookies }
}

/** Creates a user with an invitation link, like the page, and signs in. */
async function comeIn(link: string, person: { name: string; email: string }): Promise<Cookies> {
  const context = await playwrightRequest.newContext({ baseURL: origin })
  const token = new URL(link).searchParams.get("token")
  const data = { ...person, token, password: PASSWORD }
  const created = await context.post("/api/trpc/setup.createUser", { data })
  expect(created.status(), await created.text()).toBe(200)
  const signedIn = await context.post("/api/auth/sign-in/email", {
    data: { email: person.email, password: PASSWORD },
    headers: { origin },
  })
  expect(signedIn.status(), await signedIn.text()).toBe(200)
  const cookies = await context.storageState()
  await context.dispose()
  return cookies
}

export async function createMember(customer: Customer, role: Role): Promise<{ email: string; cookies: Cookies }> {
  const owner = await playwrightRequest.newContext({ baseURL: origin, storageState: customer.cookies })
  const invited = await owner.post("/api/trpc/member.invite", {
    data: { role },
    headers: { "x-vouch-workspace": customer.workspaces.test, origin },
  })
  const { result } = (await invited.json()) as { result: { data: { link: string } } }
  await owner.dispose()
  const email = `${randomBytes(6).toString("hex")}@example.com`
  return { email, cookies: await comeIn(result.data.link, { name: `The ${role}`, email }) }
}

/** The page of a member with a separate account, which a test may change. */
export async function memberOfNewAccount(browser: Browser, customer: Customer, role: Role = "developer") {
  const { email, cookies } = await createMember(customer, role)
  const context = await browser.newContext({ storageState: cookies, baseURL: origin })
  const page = await context.newPage()
  await page.goto(section(customer, "settings?part=account"))
  await expect(page.getByRole("heading", { name: "Authenticator app" })).toBeVisible()
  return { email, page, context }
}

/** Sets up an authenticator app with the page's card. */
export async function addCodes(page: Page) {
  await page.getByRole("button", { name: "Turn on", exact: true }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Your password").fill(PASSWORD)
  await dialog.getByRole("button", { name: "Continue" }).click()
  const secret = (await dialog.locator("[data-secret]").textContent())!.replaceAll(" ", "")
  await dialog.getByRole("textbox", { name: "Code" }).fill(new TOTP({ secret, period: 30, digits: 6 }).generate())
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await dialog.getByRole("button", { name: "I have stored these codes" }).click()
}

/** The review of a wallet's session that the provider left in review. */
export async function reviewOf({ cookies, workspaces }: Customer, wallet: string): Promise<string> {
  const owner = await playwrightRequest.newContext({ baseURL: origin, storageState: cookies })
  const headers = { "x-vouch-workspace": workspaces.test, origin }
  let found: string | undefined
  // A submission reaches its webhook a moment after it was sent.
  await expect
    .poll(async () => {
      const listed = await owner.get("/api/trpc/review.list?input={}", { headers })
      const { result } = (await listed.json()) as {
        result: { data: { data: { wallet: string; review_id: string }[] } }
      }
      found = result.data.data.find((one) => one.wallet === wallet)?.review_id
      return found
    })
    .toBeDefined()
  await owner.dispose()
  return found!
}

/** Shows the filters of a list, which are behind a button on a phone. */
export async function showFilters(page: Page) {
  const button = page.getByRole("button", { name: /^Filters/ })
  if (page.viewportSize()!.width < 768 && (await button.getAttribute("aria-expanded")) === "false") await button.click()
}

/** Sorts a list: with the head of a column or, on a phone, with a filter. */
export async function sortBy(page: Page, head: RegExp, order: "Oldest first" | "Expiring first") {
  if (page.viewportSize()!.width < 768) {
    await showFilters(page)
    await page.getByLabel("Order").selectOption(order)
  } else await page.getByRole("columnheader", { name: head }).getByRole("button").click()
}

/** Chooses an entry of the menu at the top of a page. */
export async function chooseAction(page: Page, name: string) {
  await page.getByRole("button", { name: "More actions" }).click()
  await page.getByRole("menuitem", { name, exact: true }).click()
}

/** Shows the field of a limit in the form of a token. */
export async function addLimit(page: Page, name: string) {
  await page.getByRole("button", { name: "Add a limit" }).click()
  await page.getByRole("menuitem", { name, exact: true }).click()
}

/** The address of a section of the customer's test workspace. */
export const section = ({ workspaces }: Customer, path: string): string => `/${workspaces.test}/${path}`

export { expect, expectAccessible, heading } from "./support.ts"
