import type { Page } from "@playwright/test"

/**
 * Changes what the server answers to a page's calls of a procedure, such as `overview.get`: a state that takes a month to
 * come, or a lie. `change` gets the answer's data, and writes into it.
 */
export async function changeAnswer(
  page: Page,
  procedure: string,
  // biome-ignore lint/suspicious/noExplicitAny: an answer is changed without its type, like what a liar sends
  change: (data: any) => void,
): Promise<void> {
  await page.route(`**/api/trpc/${procedure}**`, (route) =>
    whileWaitedFor(async () => {
      const response = await route.fetch()
      const json = await response.json()
      change(json.result.data)
      await route.fulfill({ response, json })
    }),
  )
}

/** Answers a call, unless its page has left it meanwhile, as by a reload: then nobody waits for the answer. */
export async function whileWaitedFor(answer: () => Promise<void>): Promise<void> {
  await answer().catch((error) => {
    if (!/disposed|has been closed/.test(String(error))) throw error
  })
}
