import type { Page } from "@playwright/test"

/** The link to the request that an act waits for. */
export const open = (page: Page) => page.getByRole("link", { name: "Open the request" })

/** Approves the request that the page shows. The member has just used their second factor. */
export async function approve(page: Page) {
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Approve" }).click()
}
