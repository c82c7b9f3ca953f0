import type { Page } from "@playwright/test"

/**
 * Changes the server's answers to a page's calls of a procedure, such as `overview.get`, to show a state that takes a
 * month to reach, or a false answer. `change` gets the answer's data and modifies it.
 */
export async function changeAnswer(
  page: Page,
  procedure: string,
  // biome-ignore lint/suspicious/noExplicitAny: an answer is changed without its type, because a lie may have any form
  change: (data: any) => void,
): Promise<void> {
  await page.route(`**/api/trpc/${procedure}**`, (route) =>
    unlessCancelled(async () => {
      const response = await route.fetch()
      const json = await response.json()
      change(json.result.data)
      await route.fulfill({ response, json })
    }),
  )
}

/** Answers a call. Does nothing if its page has cancelled it, for example by a reload. */
export async function unlessCancelled(answer: () => Promise<void>): Promise<void> {
  await answer().catch((error) => {
    if (!/disposed|has been closed/.test(String(error))) throw error
  })
}
