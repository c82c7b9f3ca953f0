import type { Page } from "@playwright/test"
import { decide } from "./api.ts"
import {
  addCodes,
  test as base,
  type Customer,
  createCustomer,
  memberOfNewAccount,
  reviewOf,
  section,
} from "./dashboard.ts"

/**
 * A customer with another member who can approve. A policy also binds members invited later: another member must confirm
 * them before they can approve. So each test has its own customer.
 */
export const test = base.extend<{ firm: Customer; officer: Page }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the needed fixtures from the pattern
  firm: async ({}, use) => use(await createCustomer()),
  storageState: async ({ firm }, use) => use(firm.cookies),
  /** The page of a compliance officer who has just used their second factor. */
  officer: async ({ browser, firm }, use) => {
    const { page, context } = await memberOfNewAccount(browser, firm, "compliance")
    await addCodes(page)
    await use(page)
    await context.close()
  },
})

export const requireTwo = ({ api }: Customer, ...actions: string[]) =>
  api.call("POST", "/approval-policies", { actions, approvals: 1 })

/** A review of a firm in which two members decide: its page and its wallet. */
export async function reviewOfTwo(firm: Customer): Promise<{ review: string; wallet: string }> {
  await requireTwo(firm, "review_decision")
  const { sessionId, wallet } = await firm.api.start()
  await decide(sessionId, "in_review")
  return { review: section(firm, `reviews/${await reviewOf(firm, wallet)}`), wallet }
}

/** The link to the request that an act waits for. */
export const open = (page: Page) => page.getByRole("link", { name: "Open the request" })

/** Approves the request that the page shows. The member has just used their second factor. */
export async function approve(page: Page) {
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click()
}
